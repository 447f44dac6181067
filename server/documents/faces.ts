import { readFileSync } from 'node:fs'

/** The font of all that is printed, and the characters that it has letters for. */
type Face = { font: Buffer; characters: ReadonlySet<number> }

let face: Face | undefined

/** Inter; read once for each process. */
export function readFace(): Face {
  if (!face) {
    const font = readFileSync(new URL('inter.ttf', import.meta.url))
    face = { font, characters: charactersOf(font) }
  }
  return face
}

/** What its `cmap` says, in the one form (4) that the file has. */
function charactersOf(font: Buffer): Set<number> {
  const cmap = tableOf(font, 'cmap')
  const table = cmap.subarray(cmap.readUInt32BE(8))
  const size = table.readUInt16BE(6)
  const known = new Set<number>()
  for (let i = 0; i < size; i += 2) {
    const [last, first] = [table.readUInt16BE(14 + i), table.readUInt16BE(16 + size + i)]
    for (let code = first; code <= last && code !== 0xffff; code++) known.add(code)
  }
  return known
}

function tableOf(font: Buffer, tag: string): Buffer {
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16)
    if (font.toString('latin1', at, at + 4) === tag)
      return font.subarray(font.readUInt32BE(at + 8), font.readUInt32BE(at + 8) + font.readUInt32BE(at + 12))
  throw new Error(`the font has no ${tag}`)
}

/** Most texts are: letters, digits and signs of ASCII with single blanks between them, which the font has. */
const isPlain = (text: string) => /^[!-~]*(?: [!-~]+)*$/.test(text)

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What to print where the font has no letters: never wrong ones. In this order, the first that fits. */
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
 * Text as it can be printed. Letters that the font lacks are replaced by the name of their script in square brackets; `isWhole` says
 * whether that was needed nowhere.
 */
export function printable(text: string): { text: string; isWhole: boolean } {
  if (isPlain(text)) return { text, isWhole: true }
  let [result, gap, isWhole] = ['', '', true]
  for (const { segment } of letters.segment(cleanText(text))) {
    if (hasLetter(segment)) {
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
function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
}

function hasLetter(letter: string): boolean {
  const { characters } = readFace()
  return Array.from(letter).every((one) => characters.has(one.codePointAt(0) ?? 0))
}
