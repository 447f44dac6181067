/**
 * Our own drawing: a play sign, and beside it an arc that is thick where it was watched and a thread where it was not. It takes its
 * colour from `--logo-mark`, which what lies behind it decides.
 */
export function LogoMark({ size = 26 }: { size?: number }) {
  return (
    <svg
      width={(size * 30.55) / 26}
      height={size}
      viewBox="0 0 30.55 26"
      aria-hidden
      fill="none"
      stroke="var(--logo-mark, var(--c-primary-text))"
    >
      <rect
        x="1"
        y="2"
        width="22"
        height="22"
        rx="6.5"
        stroke="none"
        fill="var(--logo-mark, var(--c-primary-text))"
      />
      <path
        d="M9 8.4v9.2c0 .8.9 1.3 1.6.9l7-4.6c.6-.4.6-1.3 0-1.7l-7-4.7c-.7-.5-1.6 0-1.6.9Z"
        stroke="none"
        fill="var(--logo-play, var(--c-surface))"
      />
      <path d="M25.8 5.6a11.5 11.5 0 0 1 2 9.4" strokeWidth="4" />
      <path d="M27.4 16.4a11.5 11.5 0 0 1-2 4.3" strokeWidth="1.3" strokeLinecap="round" />
    </svg>
  )
}
