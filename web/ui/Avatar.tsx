import type { CSSProperties } from 'react'
import { initials } from './format.ts'

/** Initials in a round; decoration beside a name, so screen readers skip it. */
export function Avatar({ name, size = 32 }: { name: string; size?: 24 | 32 | 36 | 48 }) {
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)
  const style: CSSProperties & Record<`--${string}`, string | number> = {
    '--hue': hue,
    '--size': `${size}px`,
  }
  return <span className="ui-avatar" aria-hidden data-initials={initials(name)} style={style} />
}
