import type { FieldProblem } from '#contract/problems.ts'
import type { QuestionKind } from '#contract/quizzes/quizzes.ts'
import { cut } from '#contract/platform/text/text.ts'

/** Stands for all typed answers beyond those that are counted one by one. */
export const otherAnswers = '…'

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ς: 'σ',
}
const otherLetters = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/**
 * Marks without which a word is still the same one: accents, and the vowels that Arabic and Hebrew may leave out. Those that make
 * another letter (й, ї, ў) stay, and so do all vowels of Indic scripts and the voiced signs of kana.
 */
const accents =
  /(?<![иу])\u0306|(?<!і)\u0308|[\u0300-\u0305\u0307\u0309-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0640\u064B-\u0655\u0670]|[\uFE00-\uFE0F]/gu

/**
 * As two texts are compared, by what was meant: without case, accents and signs that nobody sees, with one kind of space, hyphen,
 * apostrophe, quotation mark and digit, however a keyboard or a text program writes them.
 */
export function normalizeText(text: string): string {
  return (
    plainDigits(text)
      // Before it is decomposed, which takes a lone accent for a space that carries one.
      .replaceAll(/[‘’‛ʼʹ＇′`´]/g, "'")
      .replaceAll(/[“”„‟«»″〝〞]/g, '"')
      .normalize('NFKD')
      .replaceAll(/[\p{Pd}−]/gu, '-')
      .replaceAll(/\p{Cf}/gu, '')
      .toLowerCase()
      .replaceAll(accents, '')
      .replaceAll(otherLetters, (letter) => letters[letter] ?? letter)
      .replaceAll(/\s+/g, ' ')
      .trim()
  )
}

/** Under which name a typed answer is counted. */
export function shortForm(kind: QuestionKind, answer: string): string {
  return kind === 'number' ? cut(answer.trim(), 40) : cut(normalizeText(answer), 80)
}

/** With the digits of every script as 0 to 9; each script has its own in one row. */
function plainDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1
    return String((code - zero) % 10)
  })
}

const decimal = /^[-+]?(\d{1,15}([.,]\d{0,15})?|[.,]\d{1,15})$/
const grouped = [
  /^(?<whole>[-+]?[1-9]\d{0,2}(?:([ '])\d{3})(?:\2\d{3}){0,3})(?:[.,](?<fraction>\d{1,15}))?$/,
  /^(?<whole>[-+]?[1-9]\d{0,2}(?:\.\d{3}){1,4}),(?<fraction>\d{1,15})$/,
  /^(?<whole>[-+]?[1-9]\d{0,2}(?:,\d{3}){1,4})\.(?<fraction>\d{1,15})$/,
  /^(?<whole>[-+]?[1-9]\d{0,2}(?:(?:\.\d{3}){2,4}|(?:,\d{3}){2,4}))$/,
]
/** A thousand and some to one half of the world, and one and a fraction to the other, whatever language the video speaks. */
const ambiguous = /^[-+]?[1-9]\d{0,2}[.,]\d{3}$/

/** A number as people type it, in every script, with or without signs between the thousands; or what is wrong with it. */
export function readNumber(typed: string): number | Extract<FieldProblem, `${string}_number`> {
  const text = plainDigits(typed.normalize('NFKC'))
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{Pd}−]/gu, '-')
    .replaceAll(/[‘’'٬]/g, "'")
    .replaceAll('٫', ',')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (ambiguous.test(text)) return 'ambiguous_number'
  if (decimal.test(text)) return Number(text.replace(',', '.'))
  const { whole, fraction = '0' } =
    grouped.map((form) => form.exec(text)?.groups ?? {}).find((one) => one['whole']) ?? {}
  return whole === undefined ? 'invalid_number' : Number(`${whole.replaceAll(/[ '.,]/g, '')}.${fraction}`)
}
