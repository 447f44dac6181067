function meta(name: string, otherwise: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || otherwise
}

/** Names from the configuration; the server writes them into the page, so that no call is needed. */
export const product = {
  get name(): string {
    return meta('product', 'Sendreel')
  },
  get provider(): string {
    return meta('provider', 'Sendreel Project')
  },
}
