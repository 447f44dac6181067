import { expect, test } from 'vitest'
import { stretchesIn } from './stretches.ts'

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
