import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { web } from '../folders.ts'
import { textsIn, type Found } from './find.ts'
import { keyOf, remarkBefore } from './rules.ts'
import { nameOfFile, type Source } from './sources.ts'
import { childOf, childrenOf, listOf, nameOf, parsed, type Node } from './syntax.ts'

const server = path.resolve(web, '../server')

/**
 * The sentences of the server that the console shows as they come: why it refused (`detail`), and what a comment marks as a text. Mails,
 * files and the page of a video are not among them.
 */
export function saidByServer(): { source: Source; texts: Found[] }[] {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && !/^(sample|testing|print)\//.test(name))
    .toSorted()
    .map((name) => path.join(server, name))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8')
      if (!/\bdetail\b|\* text \*/.test(code)) return []
      const shown = detailsIn(parsed(code, file))
      const texts = textsIn(code, file).filter(
        (text) =>
          remarkBefore(code, text.start)?.isText === true ||
          shown.some(({ start, end }) => start <= text.start && text.end <= end),
      )
      return texts.length > 0 ? [{ source: { file, name: nameOfFile(file), code }, texts }] : []
    })
}

/** Where the reasons of refusals stand, and of rows that were not taken. */
function detailsIn(node: Node): Node[] {
  const isRefusal = node.type === 'CallExpression' && nameOf(childOf(node, 'callee')) === 'refuse'
  const fields = node.type === 'ObjectExpression' ? listOf(node, 'properties') : []
  const isRow = fields.some((field) => keyOf(field) === 'outcome')
  if (isRefusal) return listOf(node, 'arguments').flatMap((one) => valuesOf(one))
  return [...(isRow ? valuesOf(node) : []), ...childrenOf(node).flatMap(detailsIn)]
}

const valuesOf = (object: Node): Node[] =>
  listOf(object, 'properties').flatMap((field) =>
    keyOf(field) === 'detail' ? (childOf(field, 'value') ?? []) : [],
  )

/** The source of web/ui/said.ts in another language; `wordings` are those of the messages that are translated. */
export function sayingModule(pairs: readonly { found: Found; wordings: readonly string[] }[]): string {
  const exact: [string, string][] = []
  const patterns: [string, string[], string][] = []
  for (const { found, wordings } of pairs) {
    const originals = [found.one, ...(found.many ? [found.many] : [])]
    for (const [at, { text, holes }] of originals.entries()) {
      const wording = (at === 0 ? wordings[0] : wordings.at(-1)) ?? text
      if (holes.size === 0) exact.push([text, wording])
      else patterns.push(patternOf(text, holes.keys(), wording))
    }
  }
  // The more a pattern says itself, the surer it is the one.
  const sorted = patterns.toSorted(([one], [other]) => other.length - one.length)
  return `const exact = new Map(${JSON.stringify(exact)} as [string, string][])
const patterns = ${JSON.stringify(sorted)} as [string, string[], string][]
export function said(sentence: string): string {
  const known = exact.get(sentence)
  if (known !== undefined) return known
  for (const [pattern, names, wording] of patterns) {
    const found = new RegExp(pattern).exec(sentence)
    if (found) return wording.replaceAll(/\\{(\\w+)\\}/g, (whole, name: string) => names.includes(name) ? said(found[names.indexOf(name) + 1] ?? '') : whole)
  }
  return sentence
}
`
}

/** A regular expression for what becomes of a text, the names of its holes in their order, and the translation. */
function patternOf(text: string, names: Iterable<string>, wording: string): [string, string[], string] {
  const known = new Set(names)
  const order: string[] = []
  const source = text.split(/(\{\w+\})/).map((part) => {
    const name = part.slice(1, -1)
    if (!/^\{\w+\}$/.test(part) || !known.has(name))
      return part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    order.push(name)
    return '([^]+)'
  })
  return [`^${source.join('')}$`, order, wording]
}
