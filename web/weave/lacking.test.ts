import { expect, test } from 'vitest'
import type { Thread, ThreadState } from '#contract/audience/weave.ts'
import { between, countsAt, countsOf, countsOfParts, lackingOf, secondOf } from './lacking.ts'

const thread = (state: ThreadState, ...seen: number[]): Thread => ({
  userId: crypto.randomUUID(),
  name: state,
  state,
  isLate: false,
  seen,
})
const threads = [
  thread('owes'),
  thread('owes', 0, 40, 45, 300),
  thread('open', 120, 301),
  thread('done', 0, 10),
  thread('excused', 5, 7),
  thread('owes', 0, 301),
]

test('a part is lacked by whoever has not seen all of it, and is counted of those with whom it counts', () => {
  expect(between(7, 3, { seconds: 9, threads, tenths: null })).toEqual({ from: 3, to: 8 })
  const counts = (from: number, to: number) => countsOf(lackingOf(threads, { from, to }))
  expect(counts(5, 6)).toEqual({ lacking: 2, owing: 1, done: 0, excused: 0 })
  expect(counts(39, 41)).toEqual({ lacking: 3, owing: 2, done: 1, excused: 1 })
  expect(counts(300, 301)).toEqual({ lacking: 2, owing: 2, done: 1, excused: 1 })
})

test('the table has every second, or as many parts as somebody may read, each with those who lack something of it', () => {
  for (const seconds of [1, 12, 120, 121, 301]) {
    const table = countsOfParts({ seconds, threads, tenths: null })
    expect(table.length).toBeLessThanOrEqual(120)
    expect([table[0]?.part.from, table.at(-1)?.part.to]).toEqual([0, seconds])
    for (const { part, lacking, owing } of table)
      expect([part, lacking, owing]).toEqual([
        part,
        ...Object.values(countsOf(lackingOf(threads, part))).slice(0, 2),
      ])
  }
})

test('a step of tenths tells of the second in its middle, and what is chosen has whole steps', () => {
  const steps = [
    { lacking: 9, owing: 4 },
    { lacking: 7, owing: 3 },
  ]
  const tenths = { stepSeconds: 3, bands: [], steps }
  const cloth = { seconds: 5, threads: [], tenths }
  expect(secondOf(1, 3)).toEqual({ from: 4, to: 5 })
  expect(between(1, 0, cloth)).toEqual({ from: 0, to: 5 })
  expect(countsAt(tenths, 1)).toEqual({ lacking: 7, owing: 3, done: 0, excused: 0 })
  expect(countsOfParts(cloth)).toEqual([
    { part: { from: 1, to: 2 }, lacking: 9, owing: 4 },
    { part: { from: 4, to: 5 }, lacking: 7, owing: 3 },
  ])
})
