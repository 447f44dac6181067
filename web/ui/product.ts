function meta(name: string, otherwise: string): string {
  if (typeof document === 'undefined') return `%${name}%`
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || otherwise
}

/**
 * What the configuration says; the server writes them into the page, so that no call is needed. Pages that are
 * drawn at build time hold `%product%` and `%provider%` instead, for the server to fill in.
 */
export const product = {
  get name(): string {
    return meta('product', 'Sendreel')
  },
  get provider(): string {
    return meta('provider', 'Sendreel Project')
  },
  /** Whether the menu shows the pages of the layouts, of signing in and of errors as well. */
  get hasDemoMenu(): boolean {
    return meta('demo-menu', '') === '1'
  },
}
