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
  /** Address for questions; empty where none is configured. */
  get contact(): string {
    return meta('contact', '')
  },
  /** Address of the error page that the server gave in place of the one that was asked for; else empty. */
  get answered(): string {
    return meta('answered', '')
  },
  /** Of the request that the server could not answer with a page; else empty. */
  get reference(): string {
    return meta('reference', '')
  },
  /** Whether the menu shows the pages of the layouts, of signing in and of errors as well. */
  get hasDemoMenu(): boolean {
    return meta('demo-menu', '') === '1'
  },
}
