import { drawnName, logo } from '#contract/directory/logo.ts'
import { product } from './product.ts'

/** The sign. It takes its colour from `--logo-mark`, which what lies behind it decides. */
export function LogoMark({ size = 26 }: { size?: number }) {
  const mark = 'var(--logo-mark, var(--c-primary-text))'
  return (
    <svg
      width={(size * 30.55) / 26}
      height={size}
      viewBox="0 0 30.55 26"
      aria-hidden
      fill="none"
      stroke={mark}
    >
      <rect {...logo.tile} stroke="none" fill={mark} />
      <path d={logo.play} stroke="none" fill="var(--logo-play, var(--c-surface))" />
      <path d={logo.watched} strokeWidth="4" />
      <path d={logo.missing} strokeWidth="1.3" strokeLinecap="round" />
    </svg>
  )
}

/** Beside it: drawn where it is ours. In a page that is drawn by the build stands what the server fills in. */
export function LogoName({ className }: { className: string | undefined }) {
  return <span className={className}>{nameOf(product.name)}</span>
}

function nameOf(name: string) {
  if (typeof document === 'undefined') return '%logo%'
  if (name !== drawnName) return name
  return (
    <svg viewBox="0 0 587.5 260" fill="currentColor" aria-hidden>
      <path d={logo.name} />
    </svg>
  )
}
