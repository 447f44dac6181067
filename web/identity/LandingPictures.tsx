import type { ReactNode } from 'react'

/** In the colours of the skin. */
const ink = { fill: 'var(--c-ink)' }
const main = { fill: 'var(--c-primary-text)' }
const paleMain = { ...main, fillOpacity: 0.4 }
const pale = { fill: 'var(--c-primary-tint)' }
const card = { fill: 'var(--c-surface)' }
const line = {
  fill: 'none',
  stroke: 'var(--c-primary-text)',
  strokeWidth: 4,
  strokeLinecap: 'round',
} as const
const rest = { ...line, stroke: 'var(--c-border)' }

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 240 132" aria-hidden>
      {children}
    </svg>
  )
}

/** One video goes to three people, each by a line of their own. */
export function SendPicture() {
  return (
    <Picture>
      <path {...line} d="M92 66c40 0 30-38 66-38M92 66h66M92 66c40 0 30 38 66 38" />
      <rect {...ink} x="24" y="38" width="84" height="56" rx="8" />
      <path {...pale} d="M58 54v24l20-12z" />
      {[28, 66, 104].map((y) => (
        <g key={y}>
          <rect {...card} x="158" y={y - 15} width="60" height="30" rx="6" />
          <circle {...main} cx="173" cy={y} r="7" />
          <path {...rest} d={`M186 ${y - 4}h22M186 ${y + 4}h14`} />
        </g>
      ))}
    </Picture>
  )
}

/** A phone before a screen, both at the same second. */
export function WatchPicture() {
  return (
    <Picture>
      <path
        {...ink}
        d="M36 14h132a8 8 0 0 1 8 8v74a8 8 0 0 1-8 8h-44l4 14H76l4-14H36a8 8 0 0 1-8-8V22a8 8 0 0 1 8-8z"
      />
      <rect {...pale} x="36" y="22" width="132" height="74" rx="3" />
      <path {...main} d="M92 42v28l24-14z" />
      <path {...rest} d="M46 86h112" />
      <path {...line} d="M46 86h70" />
      <rect {...ink} x="158" y="34" width="56" height="94" rx="9" />
      <rect {...card} x="164" y="42" width="44" height="76" rx="3" />
      <path {...main} d="M180 66v22l18-11z" />
      <path {...rest} d="M170 108h32" />
      <path {...line} d="M170 108h20" />
    </Picture>
  )
}

/** Where each bar stands, and how often its seconds were watched. */
const bars = [4, 5, 5, 4, 4, 3, 3, 1, 0, 0, 1, 2, 4, 4, 3, 3, 2, 2].map(
  (count, n) => [32 + n * 10, count] as const,
)

/** A timeline with the seconds that were watched, and how often. */
export function KnowPicture() {
  return (
    <Picture>
      <rect {...card} x="18" y="14" width="204" height="104" rx="8" />
      {bars.map(([at, count]) => (
        <rect
          key={at}
          {...(count > 3 ? main : paleMain)}
          x={at}
          y={78 - count * 10}
          width="6"
          height={Math.max(count * 10, 2)}
          rx="1"
        />
      ))}
      <rect {...pale} x="32" y="90" width="176" height="12" rx="3" />
      <path
        {...main}
        d="M35 90h67v12H35a3 3 0 0 1-3-3v-6a3 3 0 0 1 3-3zM142 90h63a3 3 0 0 1 3 3v6a3 3 0 0 1-3 3h-63z"
      />
    </Picture>
  )
}
