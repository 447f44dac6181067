import bidiFactory from 'bidi-js'
import type { Face } from './face.ts'
import type { Faces } from './faces.ts'
import { lettersOf } from './printable.ts'

/** What is written at once, in one font. */
export type TextRun = {
  face: Face
  /** In the order in which the font joins its letters. */
  text: string
  /** The shapes stand in another order than the letters are read, so that copying needs the text itself. */
  isReordered: boolean
}
type Leveled = Omit<TextRun, 'isReordered'> & { level: number }

const bidi = bidiFactory()
const reordered = /[\p{Script=Devanagari}\p{Script=Thai}]/u
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/** A text is read from the right where its first letter is, and most of the others: what begins with a name may go on in English. */
export function isFromRight(text: string): boolean {
  if (!rightToLeft.test(text)) return false
  const all = lettersOf(text).filter((one) => /\p{L}/u.test(one))
  const right = all.filter((one) => rightToLeft.test(one))
  return all[0] === right[0] && right.length * 2 > all.length
}

/** A line of printable text in its fonts, as it is seen from left to right. */
export function runsOf(line: string, faces: Faces, fromRight: boolean): TextRun[] {
  if (/^[ -~]*$/.test(line)) return [{ face: faces.first, text: line, isReordered: false }]
  if (!rightToLeft.test(line)) return merged(line, faces, () => 0).map(written)
  const { levels } = bidi.getEmbeddingLevels(line, fromRight ? 'rtl' : 'ltr')
  const runs = merged(line, faces, (at) => levels[at] ?? 0)
  for (let level = Math.max(...levels); level > 0; level--) turn(runs, level)
  return runs.map(written)
}

/** Letters that follow each other in one font and one direction. Digits of a font that is read from the right stand each alone. */
function merged(line: string, faces: Faces, levelAt: (at: number) => number): Leveled[] {
  const runs: Leveled[] = []
  let at = 0
  for (const text of lettersOf(line)) {
    const face = faces.of(text)
    const level = levelAt(at)
    at += text.length
    if (!face) continue
    const last = runs.at(-1)
    const isAlone = level % 2 === 0 && rightToLeft.test(text)
    if (last?.face === face && last.level === level && !isAlone) last.text += text
    else runs.push({ face, level, text })
  }
  return runs
}

/** Turns around what follows each other on this level or a deeper one. */
function turn(runs: Leveled[], level: number): void {
  for (let from = 0; from < runs.length; from++) {
    if ((runs[from]?.level ?? 0) < level) continue
    let to = from
    while ((runs[to]?.level ?? 0) >= level) to++
    runs.splice(from, to - from, ...runs.slice(from, to).toReversed())
    from = to
  }
}

/** The fonts of Arabic and Hebrew turn their letters around themselves, as do programs that read a PDF; signs between them are turned here. */
function written({ face, text, level }: Leveled): TextRun {
  if (level % 2 === 0 || rightToLeft.test(text)) return { face, text, isReordered: reordered.test(text) }
  const letters = lettersOf(text).toReversed()
  return {
    face,
    text: letters.map((one) => bidi.getMirroredCharacter(one) ?? one).join(''),
    isReordered: false,
  }
}
