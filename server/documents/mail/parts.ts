import { type Brand } from '#contract/directory/brand.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import type { Slots } from './filling.ts'
import { blocksOf, type Attributes } from './markdown.ts'

/** A piece of a mail, as the rows of a table and as text; what says nothing as text leaves no gap there. */
export type Part = { html: (look: Brand) => string; text: string }

/** No mail program loads the typeface; who has it installed sees it. */
export const face = "font-family:'Open Sans',Segoe UI,Helvetica,Arial,sans-serif"
const body = `${face};font-size:15px;line-height:24px;color:#35413b`
const quiet = `${face};font-size:13px;line-height:20px;color:#5a6760`
const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'

const row = (top: number, content: string) =>
  `<tr><td class="m-p" style="padding:${top}px 40px 0">${content}</td></tr>`

/** Lines within a paragraph stay lines. */
export const lines = (text: string) => escapeHtml(text).replaceAll('\n', '<br>')

/** The subject says it in the text already. */
export function heading(text: string): Part {
  return {
    html: () =>
      row(
        28,
        `<h1 class="m-h" style="${face};margin:0;font-size:22px;line-height:28px;font-weight:600;color:#17211d">${escapeHtml(text)}</h1>`,
      ),
    text: '',
  }
}

export function words(text: string): Part {
  return { html: () => row(12, `<p class="m-t" style="${body};margin:0">${lines(text)}</p>`), text }
}

const styled = (classes: string, style: string) => ` class="${classes}" style="${style}"`

const messageStyle = ({ light }: Brand): Attributes => ({
  p: styled('m-t', `${body};margin:0`),
  h2: styled('m-h', `${face};margin:8px 0 0;font-size:17px;line-height:24px;font-weight:600;color:#17211d`),
  h3: styled('m-h', `${body};margin:4px 0 0;font-weight:600;color:#17211d`),
  ul: styled('m-t', `${body};margin:0;padding:0 0 0 24px`),
  ol: styled('m-t', `${body};margin:0;padding:0 0 0 24px`),
  a: styled('m-a', `color:${light.link};word-break:break-word`),
})

/** What somebody wrote, in Markdown and with variables: a row for each of its blocks. */
export function message(text: string, { mark, maybe, hrefOf }: Slots): Part[] {
  const marked = mark(text)
  return blocksOf(marked, {}, hrefOf).map((block, n) => ({
    html: (look) => {
      const drawn = blocksOf(marked, messageStyle(look), hrefOf)[n]
      return maybe({ html: row(12, drawn?.html ?? ''), text: block.text }).html
    },
    text: maybe(block).text,
  }))
}

/** What one must not miss, such as a day or a name; said in the text by another part. */
export function strong(text: string, top: number): Part {
  return {
    html: () =>
      row(
        top,
        `<p class="m-h" style="${body};margin:0;font-weight:600;color:#17211d">${escapeHtml(text)}</p>`,
      ),
    text: '',
  }
}

/** What is typed into a page. */
export function code(digits: string): Part {
  return {
    html: () =>
      row(
        16,
        `<p class="m-h" style="${face};margin:0;font-size:32px;line-height:40px;font-weight:700;letter-spacing:6px;color:#17211d">${escapeHtml(digits)}</p>`,
      ),
    text: `    ${digits}`,
  }
}

type Link = { label: string; url: string }

/** Where to press; as text, the address stands in full. */
export function button({ label, url }: Link): Part {
  return {
    html: ({ light }) =>
      row(
        20,
        `<table ${table}><tr><td class="m-b" align="center" bgcolor="${light.button}" style="background:${light.button};border-radius:8px"><a href="${escapeHtml(url)}" class="m-bt" style="${face};display:block;padding:12px 24px;font-size:15px;line-height:20px;font-weight:600;color:${light.onButton};text-decoration:none;white-space:nowrap">${escapeHtml(label)}</a></td></tr></table>`,
      ),
    text: `${label}:\n${url}`,
  }
}

type Poster = { src: string | null; title: string; about: string; url: string }

/** The picture with a bar below it: nothing lies on the picture, and where pictures are not shown the bar still leads to the video. */
export function poster({ src, title, about, url }: Poster): Part {
  const href = escapeHtml(url)
  const picture = src
    ? `<tr><td bgcolor="#15201b" style="background:#15201b;border-radius:8px 8px 0 0;${face};font-size:13px;line-height:20px;color:#ffffff"><a href="${href}" style="color:#ffffff;text-decoration:none"><img src="${escapeHtml(src)}" alt="${escapeHtml(title)}" width="478" style="display:block;width:100%;height:auto;border:0;border-radius:8px 8px 0 0"></a></td></tr>`
    : ''
  return {
    html: ({ light }) =>
      row(
        20,
        `<table ${table} width="100%">${picture}<tr><td class="m-pb" bgcolor="#15201b" style="background:#15201b;border-radius:${src ? '0 0 8px 8px' : '8px'};padding:10px 14px"><table ${table}><tr><td width="32" style="width:32px"><table ${table}><tr><td width="32" height="32" align="center" bgcolor="#ffffff" style="width:32px;height:32px;background:#ffffff;border-radius:16px;font-size:14px;line-height:32px"><a href="${href}" aria-hidden="true" tabindex="-1" style="color:${light.button};text-decoration:none">&#9654;&#65038;</a></td></tr></table></td><td style="${face};padding:0 12px;font-size:13px;line-height:20px;color:#dbe4df"><a href="${href}" style="font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(title)}</a><br>${escapeHtml(about)}</td></tr></table></td></tr></table>`,
      ),
    text: '',
  }
}

type Ranges = readonly (readonly [startMs: number, endMs: number])[]
type Cell = { share: number; isMissing: boolean }

/** Of the strip, in px, as every screen draws it. */
const stripHeight = 16
const inks = {
  bar: { height: 8, colour: '#12866d', dark: 'm-w' },
  thread: { height: 2, colour: '#78857e', dark: 'm-l' },
}

function cellOf({ share, isMissing }: Cell): string {
  const { height, colour, dark } = inks[isMissing ? 'thread' : 'bar']
  const line = (px: number, ink: string) =>
    `<tr><td height="${px}"${ink}height:${px}px;font-size:0;line-height:0">&nbsp;</td></tr>`
  const above = line((stripHeight - height) / 2, ' style="')
  const drawn = line(height, ` bgcolor="${colour}" class="${dark}" style="background:${colour};`)
  return `<td width="${share}%" height="${stripHeight}" valign="top" style="padding:0 1px;font-size:0;line-height:0"><table ${table} width="100%">${above}${drawn}</table></td>`
}

/**
 * The mark of the product: what was watched as bars, what is missing as a thread; `missing` are sorted, disjoint ranges in milliseconds.
 * `said` is what it shows in words, which stand elsewhere in the mail.
 */
export function strip(missing: Ranges, durationMs: number, said: string): string {
  const edges = [...new Set([0, ...missing.flat(), durationMs])].sort((one, other) => one - other)
  const cells = edges.slice(1).map((end, at) => ({
    share: Math.max(1, Math.round(((end - (edges[at] ?? 0)) / durationMs) * 100)),
    isMissing: missing.some(([start]) => start === edges[at]),
  }))
  return row(
    14,
    `<table role="img" cellpadding="0" cellspacing="0" border="0" width="100%" aria-label="${escapeHtml(said)}"><tr>${cells.map(cellOf).join('')}</tr></table>`,
  )
}

type Figure = { label: string; hint: string; value: string; change: string }
type Figures = { heads: readonly [string, string, string]; rows: readonly Figure[] }

const cell = 'padding:10px 12px 10px 0;border-bottom:1px solid #e2e6e2;text-align:left;vertical-align:top'

/** A few figures below each other; what they are compared with stands below them in the text. */
export function figures({ heads, rows }: Figures): Part {
  const head = heads
    .map(
      (text) =>
        `<th scope="col" class="m-d m-ln" style="${quiet};${cell};font-weight:600">${escapeHtml(text)}</th>`,
    )
    .join('')
  const line = ({ label, hint, value, change }: Figure) =>
    `<tr><th scope="row" class="m-t m-ln" style="${body};${cell};font-weight:400">${escapeHtml(label)}${hint ? `<br><span class="m-d" style="${quiet}">${escapeHtml(hint)}</span>` : ''}</th><td class="m-h m-ln" style="${body};${cell};font-weight:600;color:#17211d;white-space:nowrap">${escapeHtml(value)}</td><td class="m-d m-ln" style="${quiet};${cell};padding-right:0">${escapeHtml(change)}</td></tr>`
  return {
    html: () =>
      row(
        16,
        `<table cellpadding="0" cellspacing="0" border="0" width="100%" style="border-collapse:collapse"><thead><tr>${head}</tr></thead><tbody>${rows.map(line).join('')}</tbody></table>`,
      ),
    text: [
      ...rows.map(({ label, value, change }) => `${label}: ${value}${change ? ` (${change})` : ''}`),
      `${heads[2]}.`,
    ].join('\n'),
  }
}

/** A last word below a line, with what can be opened from it. */
export function small(text: string, link?: Link): Part {
  const more = (color: string) =>
    link
      ? ` <a href="${escapeHtml(link.url)}" class="m-a" style="color:${color};word-break:break-word">${escapeHtml(link.label)}</a>`
      : ''
  return {
    html: ({ light }) =>
      row(
        24,
        `<table ${table} width="100%"><tr><td class="m-d m-ln" style="${quiet};border-top:1px solid #e2e6e2;padding-top:16px">${lines(text)}${more(light.link)}</td></tr></table>`,
      ),
    text: link && link.label !== link.url ? `${text} ${link.label}:\n${link.url}` : text,
  }
}

export const onlyDrawn = (part: Part): Part => ({ ...part, text: '' })
export const onlySaid = (text: string): Part => ({ html: () => '', text })
