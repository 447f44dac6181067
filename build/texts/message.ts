import { bare, childOf, listOf, nameOf, type Node } from './syntax.ts'
import { merged, type Piece } from './pieces.ts'

/** A message in the notation of the catalogue, and what its placeholders stand for. */
export type Notation = { text: string; holes: Map<string, Piece> }

/** Gives each hole a name, the same in all wordings of a message. */
export function namer(code: string) {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  let numbers = 0
  return (piece: Exclude<Piece, { kind: 'words' }>): string => {
    const key = `${piece.kind === 'hole' && piece.isCount ? 'count ' : ''}${code.slice(piece.node.start, piece.node.end)}`
    const known = names.get(key)
    if (known !== undefined) return known
    const wanted = piece.kind === 'hole' ? nameFor(piece.node) : ''
    let name = wanted === '' ? String(numbers++) : wanted
    for (let more = 2; taken.has(name); more++) name = `${wanted}${more}`
    taken.add(name)
    names.set(key, name)
    return name
  }
}

/** What an expression is called: `total` for `formatNumber(total)`, `group` for `group.name`. */
function nameFor(expression: Node): string {
  const node = bare(expression)
  if (node.type === 'Identifier') return nameOf(node)
  if (node.type === 'ChainExpression') return nameFor(childOf(node, 'expression') ?? node)
  if (node.type === 'MemberExpression') return node['computed'] === true ? '' : memberName(node)
  if (node.type !== 'CallExpression') return ''
  const callee = childOf(node, 'callee')
  const named = listOf(node, 'arguments').map(nameFor).find(Boolean)
  const subject = callee?.type === 'MemberExpression' ? nameFor(childOf(callee, 'object') ?? callee) : ''
  return (subject === 'Math' || /^format/i.test(subject) ? '' : subject) || named || nameOf(callee)
}

function memberName(node: Node): string {
  const name = nameOf(node)
  const of = childOf(node, 'object')
  return /^(name|length|size|value|at)$/.test(name) && of?.type !== 'ThisExpression'
    ? nameFor(of ?? node) || name
    : name
}

/** Writes pieces as text: `{count} of <0>watched</0>`. */
export function notation(pieces: readonly Piece[], nameOfHole: ReturnType<typeof namer>): Notation {
  const holes = new Map<string, Piece>()
  const write = (list: readonly Piece[]): string =>
    list
      .map((piece) => {
        if (piece.kind === 'words') return piece.text
        const name = nameOfHole(piece)
        holes.set(name, piece)
        if (piece.kind === 'hole') return `{${name}}`
        return piece.inside ? `<${name}>${write(piece.inside)}</${name}>` : `<${name}/>`
      })
      .join('')
  return { text: write(merged(pieces)), holes }
}

/** What a text of the catalogue consists of: words, or a tag and its name. */
export type Token =
  | { words: string }
  | { hole: string }
  | { open: string }
  | { close: string }
  | { single: string }

/** Reads a translation. Braces and tags that name no hole are words. */
export function tokensOf(text: string, holes: ReadonlyMap<string, Piece>): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const found of text.matchAll(/\{(\w+)\}|<(\d+)\/>|<(\d+)>|<\/(\d+)>/g)) {
    const [whole, hole = '', single = '', open = '', close = ''] = found
    if (!holes.has(hole || single || open || close)) continue
    if (found.index > at) tokens.push({ words: text.slice(at, found.index) })
    tokens.push(hole ? { hole } : single ? { single } : open ? { open } : { close })
    at = found.index + whole.length
  }
  if (at < text.length) tokens.push({ words: text.slice(at) })
  return tokens
}

/** The placeholders of a text, as they are written. */
export const placeholders = (text: string): string[] => text.match(/\{[\w.]+\}|<\/?\d+\/?>/g) ?? []

/** What is wrong with the placeholders of a translation; undefined when nothing is. */
export function faultIn(translation: string, originals: readonly string[]): string | undefined {
  const known = new Set(originals.flatMap(placeholders))
  const used = placeholders(translation)
  const foreign = used.find((one) => !known.has(one))
  if (foreign !== undefined) return `${foreign} is not in the English text`
  const needed = placeholders(originals.at(-1) ?? '')
  const missing = needed.find((one) => !used.includes(one) && !(originals.length > 1 && one.startsWith('{')))
  if (missing !== undefined) return `${missing} is missing`
  const open: string[] = []
  for (const tag of used) {
    const [, close, name = '', single] = /^<(\/?)(\d+)(\/?)>$/.exec(tag) ?? []
    if (close === undefined || single) continue
    if (close === '') open.push(name)
    else if (open.pop() !== name) return `${tag} closes nothing`
  }
  return open.length > 0 ? `<${open.join()}> is not closed` : undefined
}
