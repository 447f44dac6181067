import { expect, test } from 'vitest'
import { figuresByChapter } from './chapterFigures.ts'

const nothing = { again: [], seekIn: [], seekOut: [], pauses: [] }

test('a chapter has the mean of the curve over its time, and who left in it', () => {
  const curves = { ...nothing, binSeconds: 1, base: 10, covered: [10, 10, 5, 5, 0], exits: [0, 5, 0, 3, 2] }
  const chapters = [
    { startMs: 1_000, title: 'One' },
    { startMs: 2_500, title: 'Two' },
  ]
  const [one, two] = figuresByChapter(chapters, curves, 4_500)
  // 1 s of all and half a second of half of them; then 1.5 s of half of them and half a second of nobody.
  expect(one).toMatchObject({ startMs: 1_000, endMs: 2_500, left: 5 })
  expect(one?.share).toBeCloseTo((10 + 2.5) / 1.5 / 10, 9)
  expect(two).toMatchObject({ startMs: 2_500, endMs: 4_500, left: 3 })
  expect(two?.share).toBeCloseTo(7.5 / 2 / 10, 9)
})

test('nobody has seen a chapter of a video that nobody played', () => {
  const curves = { ...nothing, binSeconds: 2, base: 0, covered: [0, 0], exits: [0, 0] }
  expect(figuresByChapter([{ startMs: 0, title: 'All' }], curves, 3_000)).toEqual([
    { startMs: 0, endMs: 3_000, title: 'All', share: 0, left: 0 },
  ])
})
