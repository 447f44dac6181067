import { corners, grounds, inks, strips } from '#contract/platform/colors.ts'

/** What the pages that the server writes call the colours of the console. */
const names = {
  page: 'c-body',
  card: 'c-surface',
  line: 'c-border',
  edge: 'c-input-border',
  ink: 'c-heading',
  text: 'c-text',
  soft: 'c-dimmed',
  accent: 'c-primary-text',
  tint: 'c-primary-tint',
  good: 'c-success',
  'good-tint': 'c-success-tint',
  bad: 'c-danger',
  'bad-tint': 'c-danger-tint',
  warn: 'c-warning',
  'warn-tint': 'c-warning-tint',
  's-watched': 's-watched',
  's-missing': 's-missing',
} as const

type Name = keyof typeof names

/** These of them in the theme of the device, and the corners of the console; each of them is sent with the page, so it names what it uses. */
export function houseStyle(used: readonly Name[]): string {
  const root = (theme: 'light' | 'dark') => {
    const colors = { ...grounds[theme], ...inks[theme], ...strips[theme] }
    return used.map((name) => `--${name}:${colors[names[name]]}`).join(';')
  }
  return `:root{color-scheme:light dark;--corner:${corners.control};--corner-card:${corners.card};${root('light')}}@media(prefers-color-scheme:dark){:root{${root('dark')}}}`
}
