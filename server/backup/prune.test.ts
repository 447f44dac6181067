import { expect, test } from 'vitest'
import { gone } from './prune.ts'

const days = (count: number, bad: readonly number[] = []) =>
  Array.from({ length: count }, (_, n) => ({
    name: String(n),
    at: new Date(Date.UTC(2026, 0, 1 + n, 2)),
    isBad: bad.includes(n),
  }))
const stays = (all: ReturnType<typeof days>, retention: Parameters<typeof gone>[1]) => {
  const removed = new Set(gone(all, retention))
  return all.filter(({ name }) => !removed.has(name)).map(({ at }) => at.toISOString().slice(0, 10))
}

test('days, weeks and months keep their newest backup', () => {
  // 90 days from the first of January, a Thursday: the last is Tuesday, 31 March.
  expect(stays(days(90), { daily: 3, weekly: 3, monthly: 3 })).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-22',
    '2026-03-29',
    '2026-03-30',
    '2026-03-31',
  ])
})

test('the last good one stays, whatever the rule says', () => {
  const all = days(5, [3, 4])
  expect(stays(all, { daily: 0, weekly: 0, monthly: 0 })).toEqual(['2026-01-03', '2026-01-05'])
  expect(stays(days(2), { daily: 0, weekly: 0, monthly: 0 })).toEqual(['2026-01-02'])
})
