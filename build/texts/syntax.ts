import { parseAst } from 'vite'

/** A node of the syntax tree, by offsets into its source. */
export type Node = { type: string; start: number; end: number; [key: string]: unknown }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

export function parsed(code: string, file: string): Node {
  return parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node
}

export const childOf = (node: Node, key: string): Node | undefined =>
  isNode(node[key]) ? node[key] : undefined

export const listOf = (node: Node, key: string): Node[] => {
  const list = node[key]
  return Array.isArray(list) ? list.filter(isNode) : []
}

/** All children, in the order of the source; types are left out, for nothing in them is shown. */
export function childrenOf(node: Node): Node[] {
  const found: Node[] = []
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'returnType' || key.startsWith('type')) continue
    if (isNode(value)) found.push(value)
    else if (Array.isArray(value)) found.push(...value.filter(isNode))
  }
  return found.toSorted((a, b) => a.start - b.start)
}

export const stringOf = (node: Node | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined

/** The name of an identifier, of a member its last part, of a tag its name. */
export function nameOf(node: Node | undefined): string {
  if (!node) return ''
  if (node.type === 'MemberExpression') return nameOf(childOf(node, 'property'))
  if (node.type === 'JSXMemberExpression') return nameOf(childOf(node, 'property'))
  if (node.type === 'ChainExpression') return nameOf(childOf(node, 'expression'))
  const { name } = node
  return typeof name === 'string' ? name : ''
}

/** What TypeScript alone sees around an expression is taken off. */
export function bare(node: Node): Node {
  const inner = /^(TS(As|Satisfies|NonNull)Expression|ParenthesizedExpression)$/.test(node.type)
    ? childOf(node, 'expression')
    : undefined
  return inner ? bare(inner) : node
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  hellip: '…',
}

/** The text of JSX without its entities. */
export function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name = '') =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  )
}

/** What React makes of text between tags: lines lose their indentation, and are joined by a space. */
export function spaced(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  return lines
    .map((line, at) => {
      const start = at === 0 ? line : line.replace(/^[ \t]+/, '')
      return at === lines.length - 1 ? start : start.replace(/[ \t]+$/, '')
    })
    .filter((line, at) => line !== '' || (at === 0 && lines.length === 1))
    .join(' ')
}
