import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const contract = path.resolve(import.meta.dirname, '../../../../contract')

/** What the contract says of its fields, in the words that stand above them: by the name of the schema or the call, then the field. */
export type Comments = {
  /** `User/role`, `createUser/body/name`; undefined where nothing is said. */
  of: (place: readonly string[]) => string | undefined
}

type Found = {
  /** Place, with slashes, to its words. */
  words: Map<string, string>
  /** Place to the names of schemas whose fields it has too. */
  also: Map<string, string[]>
}

/** `name: …` or `export const name = …`, or `...Name.shape`. Every line of the contract is laid out by the formatter. */
const named = /^( *)(?:(?:export )?const )?(\w+)(?::| =) ?(.*)$/
const spread = /\.\.\.(\w+)(?:\.shape)?\b/g
const extended = /\bz\.(?:extend|partial|omit|pick)\((\w+)/

/** Reads the comments of the whole contract once; they are English sentences for whoever calls the API. */
export function readComments(): Comments {
  const found: Found = { words: new Map(), also: new Map() }
  for (const name of readdirSync(contract, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts') && !name.endsWith('.test.ts')) note(found, path.join(contract, name))
  return { of: (place) => wordsAt(found, place) }
}

/** The sentences of a comment, without its signs and line ends. */
function tidied(comment: string): string {
  return comment
    .replaceAll(/^ *\/\*\* ?| *\*\/$|^ *\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function note({ words, also }: Found, file: string): void {
  const above: { depth: number; name: string }[] = []
  let comment: string[] = []
  let isInside = false
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (isInside || /^ *\/\*\*/.test(line)) {
      comment = isInside ? [...comment, line] : [line]
      isInside = !line.includes('*/')
      continue
    }
    const [, blanks = '', name = '', rest = ''] = named.exec(line) ?? []
    if (name !== '') {
      while ((above.at(-1)?.depth ?? -1) >= blanks.length) above.pop()
      above.push({ depth: blanks.length, name })
      const place = above.map((one) => one.name).join('/')
      if (comment.length > 0 && !words.has(place)) words.set(place, tidied(comment.join('\n')))
      const other = extended.exec(rest)?.[1] ?? /^(?:z\.\w+\()*([A-Z]\w+)\)*,?$/.exec(rest)?.[1]
      if (other) also.set(place, [...(also.get(place) ?? []), other])
    }
    const depth = /^ */.exec(line)?.[0].length ?? 0
    const owner = name === '' ? above.findLast((one) => one.depth < depth) : undefined
    if (owner) {
      const place = above.slice(0, above.indexOf(owner) + 1).map((one) => one.name)
      const others = [...line.matchAll(spread), ...line.matchAll(/^ *([A-Z]\w+),$/g)].map(
        ([, one = '']) => one,
      )
      const at = place.join('/')
      if (others.length > 0) also.set(at, [...(also.get(at) ?? []), ...others])
    }
    comment = []
  }
}

/** What is said there, or of the same field of a schema that is taken over. */
function wordsAt(found: Found, place: readonly string[], depth = 0): string | undefined {
  const own = found.words.get(place.join('/'))
  if (own !== undefined || depth > 4) return own
  for (let length = place.length - 1; length > 0; length -= 1)
    for (const other of found.also.get(place.slice(0, length).join('/')) ?? []) {
      const theirs = wordsAt(found, [other, ...place.slice(length)], depth + 1)
      if (theirs !== undefined) return theirs
    }
  return undefined
}
