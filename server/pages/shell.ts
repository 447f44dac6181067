import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brandOf } from '#contract/directory/brand.ts'
import { languageNames, languages, localeOf, type Language } from '#contract/platform/text/languages.ts'
import { houseStyle } from '#server/platform/http/pages/house-style.ts'
import { policyText, videoPagePolicy, type Policy } from '#server/platform/http/headers.ts'
import { sayIn } from '#server/platform/messages.ts'
import { escapeHtml } from '../platform/http/pages/html.ts'

/** The style stands in the page, so that no other file is loaded for its look. */
const css =
  houseStyle([
    'page',
    'card',
    'line',
    'edge',
    'ink',
    'text',
    'soft',
    'warn',
    'warn-tint',
    's-watched',
    's-missing',
  ]) +
  readFileSync(path.join(import.meta.dirname, 'watch-page.css'), 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .trim()

/** This is a page with its policy: it loads nothing from elsewhere, and nothing inline but its style. */
export type PageText = { html: string; policy: string }

/** Returns the style with the colors of an organization, which the strip never takes. */
function styleOf(accentColor: string | null): string {
  const { light, dark } = brandOf(accentColor)
  const root = ({ band, button, onButton }: typeof light) =>
    `:root{--org:${band};--accent:${button};--on:${onButton}}`
  return `${css}${root(light)}@media(prefers-color-scheme:dark){${root(dark)}}`
}

function policyOf(style: string, policy: Policy): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return policyText(policy, { 'style-src': [`'sha256-${hash}'`] })
}

type Shell = {
  language: Language
  policy?: Policy
  /** These rules come beside the style of every such page. */
  moreStyle?: string
  accentColor?: string | null
  choice?: string
  title: string
  product: string
  /** Without one, the page is described as a video. */
  description?: string
  head?: string
  body: string
}

export function shell({
  language,
  policy = videoPagePolicy,
  moreStyle = '',
  accentColor = null,
  choice = '',
  title,
  product,
  description = sayIn(language, 'watch')('description', { title, product }),
  head = '',
  body,
}: Shell): PageText {
  const style = styleOf(accentColor) + moreStyle
  const html = `<!doctype html>
<html lang="${localeOf[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)} · ${escapeHtml(product)}</title>
<link rel="icon" href="data:,">
${head}<style>${style}</style>
</head>
<body>
${body}
<footer><span>${escapeHtml(sayIn(language, 'watch')('sentWith', { product }))}</span>${choice}</footer>
</body>
</html>
`
  return { html, policy: policyOf(style, policy) }
}

/**
 * Links to the other languages, each in its own words. A choice holds from then on. `address` is that of the page as it was asked for, with
 * a question mark and without a language.
 */
export function choiceOf({ language, address }: { language: Language; address: string }): string {
  const links = languages
    .filter((other) => other !== language)
    .map(
      (other) =>
        `<a href="${escapeHtml(`${address}&language=${other}`)}" hreflang="${other}" lang="${other}">${languageNames[other]}</a>`,
    )
  return `<nav aria-label="${escapeHtml(sayIn(language, 'watch')('language'))}">${links.join(' ')}</nav>`
}

export type Band = {
  language: Language
  organization: string
  logo: { src: string; width: number; height: number } | null
  /** This is the name of the person whose personal link it is. */
  recipient: string | null
}

/** Draws the band above the page, with the sender and the recipient. */
export function bandOf({ language, logo, organization, recipient }: Band): string {
  const name = escapeHtml(organization)
  const mark = logo
    ? `<img class="logo" src="${logo.src}" width="${logo.width}" height="${logo.height}" alt="${name}">`
    : ''
  // The picture says the name already to those who do not see it.
  const text = logo ? `<b aria-hidden="true">${name}</b>` : `<b>${name}</b>`
  const whose =
    recipient === null
      ? ''
      : `<span>${escapeHtml(sayIn(language, 'watch')('forPerson', { person: recipient }))}</span>`
  return `<header class="org"><div>${mark}${text}${whose}</div></header>`
}
