import type { Page } from '@playwright/test'

type Attributes = Record<string, string>
/** What a page has seen of itself: its attributes when its body begins and when its content is loaded. */
export type Seen = {
  atBody: Attributes
  atContentLoaded: Attributes
  /** What its content security policy has refused. */
  refused: string[]
  /** Every theme that it has ever had. */
  themes: string[]
}

/** Runs in the page before anything of it; give it to `addInitScript`. */
export function watchStart() {
  const read = () =>
    Object.fromEntries(
      [...document.documentElement.attributes]
        .filter(({ name }) => name.startsWith('data-'))
        .map(({ name, value }) => [name, value]),
    )
  const seen: Seen = { atBody: {}, atContentLoaded: {}, refused: [], themes: [] }
  Object.assign(globalThis, { seen })
  document.addEventListener('securitypolicyviolation', (event) => {
    seen.refused.push(`${event.violatedDirective} ${event.blockedURI}`)
  })
  document.addEventListener('DOMContentLoaded', () => {
    seen.atContentLoaded = read()
  })
  let hasBody = false
  new MutationObserver(() => {
    if (!document.documentElement) return
    const theme = document.documentElement.dataset['bsTheme']
    if (theme !== undefined) seen.themes.push(theme)
    if (hasBody || !document.body) return
    hasBody = true
    seen.atBody = read()
  }).observe(document, { childList: true, subtree: true, attributeFilter: ['data-bs-theme'] })
}

export function seenBy(page: Page): Promise<Seen> {
  return page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen)
}

/** The attributes of the specification's defaults. */
export const defaults = {
  'data-skin': 'classic',
  'data-bs-theme': 'light',
  'data-topbar-color': 'light',
  'data-menu-color': 'dark',
  'data-sidenav-size': 'default',
  'data-sidenav-user': 'true',
  'data-layout-position': 'fixed',
  'data-layout-width': 'fluid',
  'data-layout': '',
}
