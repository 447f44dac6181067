import { expect, test } from 'vitest'
import {
  cut,
  ending,
  firstSign,
  inOneLine,
  isInTime,
  isOneLine,
  isText,
  shortened,
  storable,
} from './text.ts'

const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}'
const flags = '\u{1F1E6}\u{1F1F9}\u{1F1E9}\u{1F1EA}'

test.each([
  ['short', 10, 'short'],
  ['abcdef', 3, 'abc'],
  ['ab😀', 3, 'ab'],
  ['ab😀', 4, 'ab😀'],
  [`a${family}b`, 8, 'a'],
  [`a${family}b`, 9, `a${family}`],
  ['e\u0301e\u0301', 3, 'e\u0301'],
  // Whether two letters are one flag is decided by how many stand before.
  [flags, 6, flags.slice(0, 4)],
  ['a\r\nb', 2, 'a'],
  ['😀', 1, ''],
  ['', 0, ''],
  // A heap of accents is longer than there is room for.
  [`e${'\u0301'.repeat(50)}`, 10, `e${'\u0301'.repeat(9)}`],
])('%j within %i units is %j', (text, most, wanted) => {
  expect(cut(text, most)).toBe(wanted)
})

test('what is cut fits a column, whatever it is, and a long text takes no time', () => {
  for (const text of [family.repeat(50), flags.repeat(50), 'ﷺ'.repeat(500), 'ä\u0323\u0308'.repeat(200)])
    for (let most = 0; most < 40; most++)
      for (const part of [cut(text, most), ending(text, most)]) {
        expect(part.length).toBeLessThanOrEqual(most)
        expect(Array.from(part).length).toBeLessThanOrEqual(most)
        expect(part.isWellFormed()).toBe(true)
      }
  const long = family.repeat(2_000_000)
  const began = Date.now()
  for (let n = 0; n < 1_000; n++) cut(long, 200)
  expect(Date.now() - began).toBeLessThan(2_000)
})

test('an end, a sign and a mark for what was left out halve nothing either', () => {
  expect(ending(`a${family}bc`, 4)).toBe('bc')
  expect(ending('a😀', 1)).toBe('')
  expect(shortened(`ab ${family}`, 6)).toBe('ab…')
  expect([firstSign(`${family}x`), firstSign('')]).toEqual([family, ''])
})

test('text of others can be kept, and of each kind what it may hold is known', () => {
  expect(storable('a\0b\uD83D😀')).toBe('a\uFFFDb\uFFFD😀')
  expect(inOneLine(' Ada\r\n\u202ELovelace\u0007 \u2028x')).toBe('Ada Lovelace x')
  for (const sign of ['\0', '\n', '\t', '\u0085', '\u2028', '\u202E', '\u2067', '\uD800'])
    expect(isOneLine(sign)).toBe(false)
  for (const sign of ['\n', '\t', '\r\n', '\u2028', '\u2067', family, 'שלום']) expect(isText(sign)).toBe(true)
  for (const sign of ['\0', '\u0007', '\u0085', '\uDC00']) expect(isText(sign)).toBe(false)
  // Letters of Persian and of emoji are joined and parted by signs that nobody sees.
  for (const text of ['می\u200Cخواهم', family, '\u200Fשם', 'שם\u200E']) expect(isOneLine(text)).toBe(true)
  expect(
    ['0000-01-01', '1000-01-01', '8999-12-31T23:59:59Z', '+010000-01-01', '-000001-01-01'].map(isInTime),
  ).toEqual([false, true, true, false, false])
})
