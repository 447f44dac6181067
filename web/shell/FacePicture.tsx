import type { FaceStatus } from './faces.ts'

/** A still picture: the number on a screen that did not get its film. */
export function FacePicture({ status }: { status: FaceStatus | 'maintenance' }) {
  return (
    <svg className="face-picture" viewBox="0 0 240 132" width="240" height="132" aria-hidden>
      <ellipse cx="120" cy="124" rx="84" ry="6" className="face-ground" />
      <rect x="42" y="8" width="156" height="98" rx="12" className="face-frame" />
      <rect x="52" y="18" width="136" height="78" rx="6" className="face-screen" />
      <path d="M104 106h32l4 16h-40z" className="face-frame" />
      {status === 'maintenance' ? (
        <path
          d="M139 38a17 17 0 0 0-22 21l-21 21a6.500 6.500 0 0 0 9 9l21-21a17 17 0 0 0 21-22l-10 10-8-2-2-8z"
          className="face-sign"
        />
      ) : (
        <>
          <text x="120" y="69" textAnchor="middle" className="face-number">
            {status}
          </text>
          <rect x="64" y="82" width="112" height="4" rx="2" className="face-track" />
          <rect x="64" y="82" width="38" height="4" rx="2" className="face-played" />
          <circle cx="102" cy="84" r="4.500" className="face-played" />
        </>
      )}
    </svg>
  )
}
