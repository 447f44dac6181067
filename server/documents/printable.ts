import { scriptOf, type Faces } from './faces.ts'

/** What is printed, and whether that is all of it. */
export type Printable = { text: string; isWhole: boolean }

/** Most texts are: letters, digits and signs of ASCII with single blanks between them, which the font has. */
const isPlain = (text: string) => /^[!-~]*(?: [!-~]+)*$/.test(text)

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Its letters, each with its marks. */
export const lettersOf = (text: string): string[] =>
  isPlain(text) ? text.split('') : Array.from(letters.segment(text), ({ segment }) => segment)

/**
 * Text as it can be printed. A letter that no font has becomes one that means the same, and where there is none either, the name of its
 * script in square brackets: never a wrong one. `isWhole` says whether brackets were needed nowhere.
 */
export function printable(text: string, faces: Faces): Printable {
  if (isPlain(text)) return { text, isWhole: true }
  let [result, gap, isWhole] = ['', '', true]
  for (const letter of lettersOf(cleanText(text))) {
    const shown = faces.of(letter) ? letter : plainer(letter, faces)
    if (shown !== undefined) {
      result += shown
      gap = shown === ' ' ? gap : ''
      continue
    }
    isWhole = false
    const name = nameOf(letter)
    if (gap !== name) result += `[${name}]`
    gap = name
  }
  return { text: result.replaceAll(/\s+/g, ' ').trim(), isWhole }
}

/** The same without its form: a hyphen at which no line breaks, letters of full width, ligatures. Undefined where no font has that either. */
function plainer(letter: string, faces: Faces): string | undefined {
  const plain = letter.normalize('NFKC').replaceAll(/\p{Pd}/gu, '-')
  return lettersOf(plain).every((one) => faces.of(one)) ? plain : undefined
}

const nameOf = (letter: string) =>
  scriptOf(letter)?.name ?? (/\p{Extended_Pictographic}/u.test(letter) ? 'picture' : 'another script')

/**
 * Composed letters, and nothing that cannot be seen: no controls, no marks that turn the direction around, no variants of which no font
 * knows. What joins letters stays.
 */
function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu, (one) => (/[\u200c\u200d]/.test(one) ? one : ''))
}
