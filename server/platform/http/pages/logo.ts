import { drawnName, logo } from '#contract/directory/logo.ts'
import { escapeHtml } from './html.ts'

/** The name beside the sign, as `web/ui/Logo.tsx` has it: drawn where it is ours. */
export const logoName = (name: string): string =>
  name === drawnName
    ? `<svg viewBox="0 0 587.5 260" fill="currentColor" aria-hidden="true"><path d="${logo.name}"></path></svg>`
    : escapeHtml(name)

/** The sign; its style gives it its colours. */
export function logoMark(): string {
  const { tile, play, watched, missing } = logo
  const box = Object.entries(tile).map(([side, length]) => `${side}="${length}"`)
  const paths = [play, watched, missing].map((d) => `<path d="${d}"/>`)
  return `<svg class="mark" viewBox="0 0 30.55 26" aria-hidden="true"><rect ${box.join(' ')}/>${paths.join('')}</svg>`
}
