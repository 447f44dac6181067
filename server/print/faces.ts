import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { charactersOf, unpackWoff2 } from './woff2.ts'

/** A font with the letters of some scripts. */
type Face = { name: string; font: Buffer; characters: ReadonlySet<number> }

const subsets = [
  'latin',
  'latin-ext',
  'cyrillic',
  'greek',
  'vietnamese',
  'cyrillic-ext',
  'greek-ext',
] as const
let faces: Face[] | undefined

/** Inter, in the parts in which it is delivered; read once for each process. */
export function readFaces(): readonly Face[] {
  faces ??= subsets.map((subset, i) => {
    const file = `@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`
    const font = unpackWoff2(readFileSync(createRequire(import.meta.url).resolve(file)), i + 1)
    return { name: subset, font, characters: charactersOf(font) }
  })
  return faces
}

/** Most texts are: letters, digits and signs of ASCII with single blanks between them, which the first font has. */
const isPlain = (text: string) => /^[!-~]*(?: [!-~]+)*$/.test(text)

/** A stretch of text that one font can print. */
export type Run = { face: string; text: string }

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What to print where no font has the letters: never wrong ones. In this order, the first that fits. */
const scripts: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, 'Japanese'],
  [/\p{Script=Han}/u, 'Chinese characters'],
  [/\p{Script=Hangul}/u, 'Korean'],
  [/\p{Script=Arabic}/u, 'Arabic'],
  [/\p{Script=Hebrew}/u, 'Hebrew'],
  [/\p{Script=Devanagari}/u, 'Devanagari'],
  [/\p{Script=Thai}/u, 'Thai'],
  [/\p{Script=Georgian}/u, 'Georgian'],
  [/\p{Script=Armenian}/u, 'Armenian'],
  [/\p{Extended_Pictographic}/u, 'picture'],
]

/**
 * Text as it can be printed. Letters that no font has are replaced by the name of their script in square brackets; `isWhole` says
 * whether that was needed nowhere.
 */
export function printable(text: string): { text: string; isWhole: boolean } {
  if (isPlain(text)) return { text, isWhole: true }
  let [result, gap, isWhole] = ['', '', true]
  for (const { segment } of letters.segment(tidy(text))) {
    if (faceOf(segment) !== undefined) {
      result += segment
      gap = segment === ' ' ? gap : ''
      continue
    }
    isWhole = false
    const name = scripts.find(([pattern]) => pattern.test(segment))?.[1] ?? 'another script'
    if (gap !== name) result += `[${name}]`
    gap = name
  }
  return { text: result.replaceAll(/\s+/g, ' ').trim(), isWhole }
}

/** Composed letters, and nothing that cannot be seen: no controls, no marks that turn the direction around. */
function tidy(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
}

/** The runs of a text that `printable` has given. */
export function runsOf(text: string): Run[] {
  if (isPlain(text)) return text === '' ? [] : [{ face: 'latin', text }]
  const runs: Run[] = []
  for (const { segment } of letters.segment(text)) {
    const last = runs.at(-1)
    const face = faceOf(segment, last?.face) ?? 'latin'
    if (last?.face === face) last.text += segment
    else runs.push({ face, text: segment })
  }
  return runs
}

function faceOf(letter: string, preferred?: string): string | undefined {
  const has = ({ characters }: Face) =>
    Array.from(letter).every((one) => characters.has(one.codePointAt(0) ?? 0))
  const known = readFaces()
  const present = known.find(({ name }) => name === preferred)
  return present && has(present) ? present.name : known.find(has)?.name
}
