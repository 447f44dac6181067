import { expect, test } from 'vitest'
import { asNot, asOnly, choiceFrom, choicePattern, choiceText, chosenFrom, moved, toggled } from './choice.ts'

const videos = ['a', 'b', 'c'].map((letter) => ({ id: `0198c0de-0000-7000-8000-${letter.repeat(12)}` }))
const [a = '', b = '', c = ''] = videos.map(({ id }) => id.slice(-12))
const lettersOf = (text: string) =>
  chosenFrom(videos, choiceFrom(text))
    .map(({ id }) => id.slice(-1))
    .join('')

test.each([
  ['', 'abc'],
  [`not.${b}`, 'ac'],
  ['only', ''],
  [`only.${c}.${a}`, 'ca'],
  [`only.${c}.${'d'.repeat(12)}`, 'c'],
])('%s shows %s', (text, letters) => {
  expect(lettersOf(text)).toBe(letters)
  expect(choiceText(choiceFrom(text))).toBe(text)
  expect(text === '' || choicePattern.test(text)).toBe(true)
})

test('takes videos out and in, in both kinds', () => {
  const without = toggled(choiceFrom(''), b, false)
  expect(choiceText(without)).toBe(`not.${b}`)
  expect(choiceText(toggled(without, b, true))).toBe('')
  const only = toggled(choiceFrom('only'), c, true)
  expect(choiceText(toggled(only, a, true))).toBe(`only.${c}.${a}`)
  expect(choiceText(toggled(only, c, false))).toBe('only')
})

test('goes from one kind to the other with the same videos', () => {
  const only = asOnly(choiceFrom(`not.${b}`), videos)
  expect(choiceText(only)).toBe(`only.${a}.${c}`)
  expect(choiceText(asNot(only, videos))).toBe(`not.${b}`)
  expect(choiceText(moved(only, c, 0))).toBe(`only.${c}.${a}`)
})

test('an address of 500 videos fits into a saved view', () => {
  const many = Array.from({ length: 500 }, (_none, n) => n.toString(16).padStart(12, '0'))
  expect(choiceText({ kind: 'only', keys: many }).length).toBeLessThanOrEqual(8_000)
})
