import { expect, test } from 'vitest'
import { stretchesIn, toTheEnd } from './stretches.ts'

test('stretches are read as people write them', () => {
  expect(stretchesIn('0:42 to 1:10')).toEqual([[42_000, 70_000]])
  expect(stretchesIn('0:42–1:10, 2:00 - 2:05;\n1:00:00 bis 1:00:30')).toEqual([
    [42_000, 70_000],
    [120_000, 125_000],
    [3_600_000, 3_630_000],
  ])
})

test.each([
  '',
  ' , ',
  '42 to 70',
  '0:42',
  '1:10 to 0:42',
  '0:42 to 0:42',
  '0:42 to 1:99',
  '0:42 to 1:10, soon',
])('“%s” is refused', (text) => expect(stretchesIn(text)).toBeUndefined())

test('a stretch that ends in the last second goes on to the end', () => {
  const typed: [number, number][] = [
    [42_000, 69_000],
    [69_500, 70_000],
  ]
  expect(toTheEnd(typed, 70_400)).toEqual([
    [42_000, 69_000],
    [69_500, 70_400],
  ])
  expect(toTheEnd(typed, null)).toEqual(typed)
})
