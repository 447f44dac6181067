import MarkdownIt, { type Token } from 'markdown-it'

/** A paragraph, a heading, or a list. */
export type Block = { html: string; text: string }
/** What stands in the tags of a block, by their names, such as ` class="soft"`. */
export type Attributes = Readonly<Record<string, string>>

/** What a link may lead to. No mail client, and no page of ours, shall run anything else. */
const isReachable = (address: string) => /^(?:https?:\/\/[^\s]|mailto:[^\s])/i.test(address)

/**
 * Small headings, bold, italic, lists and links; everything else of Markdown stays as it was written: what people wrote before they could
 * format looks as it did, and HTML is words. A backslash takes a sign its meaning, and is a backslash before all others.
 */
const reader = new MarkdownIt('zero', { breaks: true, linkify: true, maxNesting: 100 })
reader.enable(['heading', 'list', 'hr', 'emphasis', 'link', 'linkify', 'newline', 'escape'])
reader.validateLink = isReachable
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
reader.linkify.add('//', null).add('ftp:', null)
reader.inline.ruler.at('escape', (state, silent) => {
  const sign = state.src[state.pos + 1] ?? ''
  if (state.src[state.pos] !== '\\' || !/[*_[\]#+.-]/.test(sign)) return false
  if (!silent) state.pending += sign
  state.pos += 2
  return true
})

const tags: Readonly<Record<string, string>> = { h1: 'h2', h2: 'h2', h3: 'h3', h4: 'h3', h5: 'h3', h6: 'h3' }
const { escapeHtml } = reader.utils

const addressIn = (token: Token) => String(token.attrGet('href') ?? '')

type Drawing = { attributes: Attributes; hrefOf: (address: string) => string }

function drawn(tokens: readonly Token[], drawing: Drawing): string {
  return tokens.map((token) => drawnOne(token, drawing)).join('')
}

function drawnOne(token: Token, { attributes, hrefOf }: Drawing): string {
  if (token.type === 'inline') return drawn(token.children ?? [], { attributes, hrefOf })
  if (token.hidden) return ''
  if (token.type === 'hr') return `<p${attributes['p'] ?? ''}>${token.markup}</p>`
  if (token.type === 'softbreak' || token.type === 'hardbreak') return '<br>'
  if (token.nesting === 0) return escapeHtml(token.content)
  const tag = tags[token.tag] ?? token.tag
  if (token.nesting < 0) return `</${tag}>`
  const href = addressIn(token)
  const start = Number(token.attrGet('start') ?? 1)
  const own = `${href === '' ? '' : ` href="${escapeHtml(hrefOf(href))}"`}${start === 1 ? '' : ` start="${start}"`}`
  return `<${tag}${own}${attributes[tag] ?? ''}>`
}

/** The same without any form: lists with their signs, links with their addresses. */
function said(tokens: readonly Token[], hrefOf: Drawing['hrefOf']): string {
  const lists: { next: number | null }[] = []
  let out = ''
  for (const token of tokens) {
    const { type } = token
    if (type === 'inline') out += saidInline(token.children ?? [], hrefOf)
    else if (type === 'hr') out += token.markup
    else if (type === 'bullet_list_open') lists.push({ next: null })
    else if (type === 'ordered_list_open') lists.push({ next: Number(token.attrGet('start') ?? 1) })
    else if (type.endsWith('_list_close')) lists.pop()
    else if (type === 'list_item_open') out += `${out === '' ? '' : '\n'}${signOf(lists)}`
    else if (type === 'paragraph_open' && token.level > 1 && !/(?:^|\n)\s*(?:-|\d+\.) $/.test(out))
      out += `\n${'  '.repeat(lists.length)}`
  }
  return out
}

function signOf(lists: { next: number | null }[]): string {
  const list = lists.at(-1)
  const indent = '  '.repeat(Math.max(0, lists.length - 1))
  if (!list || list.next === null) return `${indent}- `
  list.next += 1
  return `${indent}${list.next - 1}. `
}

function saidInline(tokens: readonly Token[], hrefOf: Drawing['hrefOf']): string {
  let address = ''
  let label = ''
  let out = ''
  for (const token of tokens) {
    const content = token.type === 'softbreak' || token.type === 'hardbreak' ? '\n' : token.content
    if (token.type === 'link_open') {
      address = addressIn(token)
      label = ''
    } else if (token.type === 'link_close' && address.replace(/^mailto:/i, '') !== label && address !== label)
      out += ` (${hrefOf(address)})`
    label += content
    out += content
  }
  return out
}

/** One after the other, the tokens of each block. */
function blocksIn(tokens: readonly Token[]): Token[][] {
  const blocks: Token[][] = []
  let open: Token[] = []
  for (const token of tokens) {
    open.push(token)
    if (token.level > 0 || token.nesting > 0) continue
    blocks.push(open)
    open = []
  }
  return blocks
}

/** The blocks of a message; `hrefOf` writes the addresses of its links otherwise. */
export function blocksOf(
  message: string,
  attributes: Attributes,
  hrefOf: (address: string) => string = (address) => address,
): Block[] {
  return blocksIn(reader.parse(message.replaceAll('\r', ''), {}))
    .map((tokens) => ({ html: drawn(tokens, { attributes, hrefOf }), text: said(tokens, hrefOf).trim() }))
    .filter(({ text }) => text !== '')
}

/** Plain text as HTML in which its addresses are links, and nothing else has a meaning; lines stay as they are. */
export function linked(text: string, attributes: string): string {
  let end = 0
  const parts = (reader.linkify.match(text) ?? []).map(({ index, lastIndex, url }) => {
    const before = escapeHtml(text.slice(end, index))
    end = lastIndex
    const said = escapeHtml(text.slice(index, lastIndex))
    return isReachable(url)
      ? `${before}<a href="${escapeHtml(url)}"${attributes}>${said}</a>`
      : `${before}${said}`
  })
  return parts.join('') + escapeHtml(text.slice(end))
}
