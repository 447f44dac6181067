import type { Mark } from '#contract/search.ts'
import { cut } from '#contract/platform/text/text.ts'

const special: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th' }

/** Letters without case and accents, each with its place in the text, as the database folds them. */
function normalized(text: string): { letters: string; places: number[] } {
  let letters = ''
  const places: number[] = []
  let place = 0
  for (const letter of text) {
    const lower = letter.toLowerCase()
    const plain = special[lower] ?? lower.normalize('NFKD').replaceAll(/\p{M}/gu, '')
    letters += plain
    for (let i = 0; i < plain.length; i++) places.push(place)
    place += letter.length
  }
  places.push(place)
  return { letters, places }
}

/**
 * Where the words stand in the text, joined and in order: at beginnings of words if they are there, else, with three letters and
 * more, wherever they are.
 */
export function marksOf(text: string, words: readonly string[]): Mark[] {
  const { letters, places } = normalized(text)
  const found = words.flatMap((word): Mark[] => {
    const wanted = normalized(word).letters
    const all = wanted === '' ? [] : occurrences(letters, wanted)
    const atBeginning = all.filter((at) => at === 0 || !/[\p{L}\p{N}]/u.test(letters[at - 1] ?? ''))
    return (atBeginning.length > 0 || wanted.length < 3 ? atBeginning : all).map((at) => [
      places[at] ?? 0,
      places[at + wanted.length] ?? text.length,
    ])
  })
  return joined(found)
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

function joined(marks: Mark[]): Mark[] {
  const result: Mark[] = []
  for (const [from, to] of marks.toSorted((one, other) => one[0] - other[0])) {
    const last = result.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

const excerptLength = 140
/** Letters kept before the first agreement. */
const lead = 30

/** A line of a long text, around the first place where it has a word. */
export function excerptOf(text: string, words: readonly string[]): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= excerptLength) return line
  const first = marksOf(line, words)[0]?.[0] ?? 0
  const wanted = first + lead < excerptLength ? 0 : first - lead
  const from = wanted === 0 ? 0 : line.indexOf(' ', wanted) + 1
  const part = cut(line.slice(from), excerptLength)
  return `${from > 0 ? '… ' : ''}${part}${from + excerptLength < line.length ? '…' : ''}`
}
