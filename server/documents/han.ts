/** Where Han letters are written as this font has them: China, Taiwan and Hong Kong, Japan, Korea. */
export type Country = 'sc' | 'tc' | 'jp' | 'kr'

/** What each could write before Unicode, which knows no countries: the encoding, and its first bytes for Han letters. */
const sets = [
  ['sc', 'gb2312', 0xb0, 0xf7],
  ['tc', 'big5', 0xa4, 0xf9],
  ['jp', 'shift_jis', 0x88, 0xea],
] as const

/**
 * Whose Han letters these are: kana are Japanese and hangul Korean; else it is the country that has the most of them in its own set,
 * since letters that were simplified in China or in Japan are in no other.
 */
export function countryOf(letters: readonly string[]): Country {
  const has = (script: RegExp) => letters.some((one) => script.test(one))
  if (has(/[\p{Script=Hiragana}\p{Script=Katakana}]/u)) return 'jp'
  if (has(/\p{Script=Hangul}/u)) return 'kr'
  const all = letters.filter((one) => /\p{Script=Han}/u.test(one))
  if (all.length === 0) return 'sc'
  const counted = sets.map(([country, encoding, first, last]) => {
    const known = lettersOf(encoding, first, last)
    return { country, count: all.filter((one) => known.has(one)).length }
  })
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).country
}

const known = new Map<string, ReadonlySet<string>>()

/** What two bytes can say in an encoding, from the row of one first byte to that of another. */
function lettersOf(encoding: string, first: number, last: number): ReadonlySet<string> {
  const found = known.get(encoding) ?? new Set(readLetters(encoding, first, last))
  known.set(encoding, found)
  return found
}

function readLetters(encoding: string, first: number, last: number): string {
  const decoder = new TextDecoder(encoding)
  let text = ''
  for (let lead = first; lead <= last; lead++)
    for (let trail = encoding === 'gb2312' ? 0xa1 : 0x40; trail <= 0xfe; trail++)
      text += decoder.decode(Uint8Array.of(lead, trail))
  return text
}
