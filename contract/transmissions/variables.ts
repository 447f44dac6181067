import { cut, shortened } from '../platform/text/text.ts'

/** A message may name these in braces, beside the fields of its organization. Server, composer and preview read this table. */
export const variables = {
  firstName: { label: 'First name', meaning: 'First name of whoever gets it', example: 'Ada' },
  name: { label: 'Whole name', meaning: 'Whole name of whoever gets it', example: 'Ada Lovelace' },
  email: { label: 'Address', meaning: 'Address that it is sent to', example: 'ada@example.com' },
  organization: { label: 'Organization', meaning: 'Name of the organization', example: 'Northwind' },
  video: { label: 'Video', meaning: 'Title of the video', example: 'Fire safety' },
  sender: { label: 'Sender', meaning: 'Who wrote the message', example: 'Grace Hopper' },
  due: { label: 'Due day', meaning: 'Due day, where there is one', example: 'January 31, 2027' },
  missing: {
    label: 'What is missing',
    meaning: 'In a reminder of an assignment, what they have still to see',
    example: 'You have seen 83%. Missing: 3:10 to 3:22 (12 seconds).',
  },
} as const
export type Variable = keyof typeof variables
export const variableNames = Object.keys(variables) as Variable[]

/** These differ for whoever gets it, so that some may have them and others not. */
export const ofPerson: readonly string[] = ['firstName', 'name', 'email'] satisfies Variable[]

export type Placeholder = { name: string; fallback: string | null }
type Piece = { text: string } | Placeholder | { broken: string; at: number }

/**
 * It is `{{name}}`, or `{{name|what stands in its place where there is none}}`. After a backslash braces are braces. Anything else with two
 * braces is broken. A fallback is a text like any other: nothing in it is read.
 */
const form = /\\(\{\{|\}\})|\{\{([^{}\n]*)\}\}(?!\})|\{\{+[^{}\s]*\}?|\}\}+/g
const named = /^\s*([a-z]\w{0,59})\s*(?:\|([^]*))?$/i

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(form)) {
    const [whole, braces, inner = ''] = found
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) })
    end = found.index + whole.length
    const [, name, fallback = null] = named.exec(inner) ?? []
    if (braces !== undefined) pieces.push({ text: braces })
    else if (name === undefined) pieces.push({ broken: whole, at: found.index })
    else pieces.push({ name, fallback: fallback?.trim() ?? null })
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

const writtenAs = ({ name, fallback }: Placeholder) =>
  fallback === null ? `{{${name}}}` : `{{${name}|${fallback}}}`

/**
 * Returns the text with each placeholder of a known name replaced by what `put` says. What is broken, or not known, stays as it was
 * written.
 */
export function replaced(
  text: string,
  known: Pick<ReadonlySet<string>, 'has'>,
  put: (one: Placeholder) => string,
): string {
  return piecesOf(text)
    .map((piece) => {
      if ('text' in piece) return piece.text
      if ('broken' in piece) return piece.broken
      return known.has(piece.name) ? put(piece) : writtenAs(piece)
    })
    .join('')
}

const placeholdersIn = (texts: readonly string[]) =>
  texts.flatMap(piecesOf).filter((piece): piece is Placeholder => 'name' in piece)

export const uses = (text: string, variable: Variable): boolean =>
  placeholdersIn([text]).some(({ name }) => name === variable)

/** Returns the names that texts use without a fallback, each once. */
export const bareNames = (...texts: readonly string[]): string[] => [
  ...new Set(placeholdersIn(texts).flatMap(({ name, fallback }) => (fallback ? [] : [name]))),
]

/** Returns a text of which nothing is read as a variable. */
export const withoutVariables = (text: string): string =>
  text.replaceAll(/\{\{|\}\}/g, (braces) => `\\${braces}`)

/** A fault says where a text is wrong: what is written there, in which line, and the variable that comes nearest, or nothing. */
export type VariableFault = { written: string; line: number; near: string }

const nameIn = (written: string) => /[a-z]\w*/i.exec(written)?.[0] ?? ''

/** Returns the first variable that is not known, or whose braces are broken; null where all is well. */
export function faultIn(text: string, known: ReadonlySet<string>): VariableFault | null {
  let line = 1
  for (const piece of piecesOf(text)) {
    if ('text' in piece) line += piece.text.split('\n').length - 1
    else if ('broken' in piece)
      return { written: shortened(piece.broken, 40), line, near: nearest(nameIn(piece.broken), known) }
    else if (!known.has(piece.name))
      return { written: shortened(writtenAs(piece), 40), line, near: nearest(piece.name, known) }
  }
  return null
}

/** Counts how many letters have to be added, taken away or changed. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [i, letter] of Array.from(one).entries()) {
    const next = [i + 1]
    for (const [j, its] of Array.from(other).entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === its ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}

/** Finds the nearest name. A beginning is as near as one letter. It finds nothing where no name is near enough to be meant. */
function nearest(name: string, known: ReadonlySet<string>): string {
  const plain = (text: string) => cut(text.toLowerCase().replaceAll('_', ''), 60)
  const meant = plain(name)
  const farFrom = (other: string) =>
    meant.length > 2 && plain(other).startsWith(meant) ? 1 : distance(meant, plain(other))
  const [best] = [...known]
    .map((other) => ({ other, far: farFrom(other) }))
    .toSorted((one, another) => one.far - another.far)
  const isNear = best && meant !== '' && best.far <= Math.max(1, Math.floor(best.other.length / 3))
  return isNear ? `{{${best.other}}}` : ''
}
