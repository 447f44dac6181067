const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it stands in a page, also between quotation marks. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** Text as HTML, in which these tags alone become elements: `<save>…</save>` what the caller says. */
export function marked(text: string, tags: Readonly<Record<string, readonly [string, string]>>): string {
  return escapeHtml(text).replaceAll(/&lt;(\/?)(\w+)&gt;/g, (all, end: string, name: string) => {
    const pair = Object.hasOwn(tags, name) ? tags[name] : undefined
    return pair?.[end === '' ? 0 : 1] ?? all
  })
}
