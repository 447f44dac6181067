import { expect, it } from 'vitest'
import { spanFlags } from '#contract/tracking/track-limits.ts'
import { countedOf } from './counted.ts'

it('joins what would count, and says apart what would not', () => {
  const found = countedOf(
    [
      [0, 10_000, 15_000, 5_000, 100, 0],
      [1, 0, 4_000, 4_000, 100, spanFlags.muted],
      [2, 14_000, 20_000, 3_000, 200, 0],
      [3, 20_000, 30_000, 4_000, 250, 0],
      [4, 30_000, 33_000, 3_000, 100, spanFlags.hidden],
      [5, 40_000, 41_000, 1_000, 100, spanFlags.hidden | spanFlags.pictureInPicture],
    ],
    2,
  )
  expect(found).toEqual({
    ranges: [
      [0, 4_000],
      [10_000, 20_000],
      [40_000, 41_000],
    ],
    countedMs: 15_000,
    fastMs: 10_000,
    hiddenMs: 3_000,
  })
})
