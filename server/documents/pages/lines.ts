import { lettersOf } from '../printable.ts'

type Measure = { width: number; lines: number; widthOf: (text: string) => number }

/** Breaks between words, and within a word that is wider than the place. */
export function linesOf(text: string, { width, lines, widthOf }: Measure): string[] {
  const fits = (line: string) => widthOf(line) <= width
  if (fits(text)) return [text]
  const starts = [0]
  let [start, end] = [0, 0]
  const begin = (at: number) => starts.push((start = at))
  for (const part of partsOf(text)) {
    const before = end
    end += part.length
    if (fits(text.slice(start, end))) continue
    if (before > start) begin(end - part.trimStart().length)
    while (!fits(text.slice(start, end))) begin(start + headOf(text.slice(start, end), fits).length)
  }
  const found = starts.slice(0, lines).map((from, n) => text.slice(from, starts[n + 1]).trimEnd())
  if (starts.length <= lines) return found
  const last = headOf(text.slice(starts[lines - 1]), (part) => fits(`${part}…`))
  return [...found.slice(0, -1), `${last.trimEnd()}…`]
}

/** As much of it as fits, a letter at least. */
function headOf(text: string, fits: (part: string) => boolean): string {
  const letters = lettersOf(text)
  let n = 1
  while (n < letters.length && fits(letters.slice(0, n + 1).join(''))) n++
  return letters.slice(0, n).join('')
}

/** Scripts that have no blanks between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u
/** No line begins or ends with these: closing signs, small kana and signs of length; opening signs. */
const noStart = /^[\p{Pe}\p{Pf}\p{Po}\p{Lm}\p{M}ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u
const noEnd = /[\p{Ps}\p{Pi}]$/u

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** The parts between which a line may end, each with the blank before it. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  for (const word of text.split(/(?= )/)) {
    if (unspaced.test(word)) parts.push(...wordsIn(word))
    else parts.push(word)
  }
  return parts
}

function wordsIn(text: string): string[] {
  const parts: string[] = []
  for (const { segment } of words.segment(text)) {
    const before = parts.at(-1) ?? ''
    const isApart = unspaced.test(segment) || unspaced.test(before)
    if (before.trim() === '' || !isApart || noStart.test(segment) || noEnd.test(before))
      parts.splice(-1, 1, before + segment)
    else parts.push(segment)
  }
  return parts
}
