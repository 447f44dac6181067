/** What a page says before a script has run: to whom has none, to search engines, and while it waits. */
const spots =
  /(<noscript>|<meta name="description" content="|<span class="spinner"[^>]*><\/span>)(\s*)([^<"]*?)(\s*)(?=<|")/g

export const textsOfPage = (html: string): string[] =>
  Array.from(html.matchAll(spots), ([, , , text = '']) => text)

/** The page with its texts replaced, in its language and direction. */
export function pageIn(html: string, tag: string, textOf: (text: string) => string | undefined): string {
  return html
    .replace('<html lang="en-US" dir="ltr">', `<html lang="${tag}" dir="${directionOf(tag)}">`)
    .replaceAll(spots, (...found: string[]) => {
      const [whole = '', before = '', room = '', text = '', after = ''] = found
      const translation = textOf(text)
        ?.replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
      return translation === undefined ? whole : before + room + translation + after
    })
}

export function directionOf(tag: string): 'ltr' | 'rtl' {
  const locale = new Intl.Locale(tag) as Intl.Locale & { getTextInfo(): { direction: 'ltr' | 'rtl' } }
  return locale.getTextInfo().direction
}
