/**
 * The one Trusted Types policy. The browser asks it before any text becomes HTML or the address of a script, and refuses what it
 * refuses. Three things pass: text without a tag (the style sheets that the widgets write), the shapes of the player's icons, and
 * mails for a frame that runs nothing.
 */
export function trustHtml(text: string, sink: string): string | null {
  if (!text.includes('<') || shapes.test(text)) return text
  return /srcdoc/i.test(sink) && isPlainMail(text) ? text : null
}

const shapes = /^(?:\s*<path(?: (?:d|fill|fill-rule|clip-rule|stroke|stroke-width)="[\w\s.,#-]*")+ ?\/>)+\s*$/

const tag = /<(!doctype html|\/?[a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)\s*\/?>/gi
const elements =
  /^(!doctype html|html|head|meta|title|base|body|div|section|p|h[1-6]|a|img|br|hr|b|i|em|strong|small|span|code|pre|ul|ol|li|table|thead|tbody|tr|th|td)$/i
const attributes =
  /^(lang|dir|charset|name|content|style|class|alt|title|width|height|align|valign|border|cellpadding|cellspacing|role|scope|colspan|rowspan|target|bgcolor|tabindex|aria-hidden|aria-label)$/i
const address = /^(https?:\/\/|\/(?!\/)|#)/i

/** A style sheet that fetches nothing: with it a mail is dark where its reader is, and narrow on a phone. */
const sheet = /<style>([^<]*)<\/style>/g
const fetching = /url\s*\(|image-set|@import|@font-face|\\/i

/** Nothing but the formatting that our mails have: no script, form, frame or handler, no address but of the web. */
function isPlainMail(html: string): boolean {
  const bare = html.replaceAll(sheet, (whole: string, css: string) => (fetching.test(css) ? whole : ''))
  const unmatched = bare.replaceAll(tag, (whole: string, name: string, given: string) =>
    elements.test(name.replace('/', '')) && given.split(/"\s+/).every(isHarmless) ? '' : whole,
  )
  return !unmatched.includes('<')
}

function isHarmless(attribute: string): boolean {
  const [name = '', value = ''] = attribute.trim().split('="')
  if (name === '' || attributes.test(name)) return true
  return /^(href|src)$/i.test(name) && address.test(value)
}

type Policies = {
  createPolicy(
    name: string,
    rules: { createHTML(text: string, type: string, sink: string): string | null },
  ): unknown
}

/** Before anything is drawn. Browsers that know no Trusted Types have the rest of the policy. */
export function guardSinks(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  // No rule for scripts: no text ever becomes one.
  trustedTypes?.createPolicy('default', { createHTML: (text, _type, sink) => trustHtml(text, sink) })
}
