import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { daysLate } from './late.ts'

const { TZ } = process.env
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

type Case = [zone: string, dueAt: string, now: string, days: number | null]

test.each<Case>([
  // Due until midnight: from the next day on it is a day late, and not only from the next midnight on.
  ['Europe/Berlin', '2026-11-27T22:59:59.999Z', '2026-11-28T00:00Z', 1],
  ['Europe/Berlin', '2026-11-27T22:59:59.999Z', '2026-11-28T22:59Z', 1],
  ['Europe/Berlin', '2026-11-27T22:59:59.999Z', '2026-11-28T23:00Z', 2],
  // The end of a day in Tokyo is the afternoon of it in Berlin.
  ['Europe/Berlin', '2026-11-28T14:59:59.999Z', '2026-11-28T17:00Z', 0],
  ['Asia/Tokyo', '2026-11-28T14:59:59.999Z', '2026-11-28T17:00Z', 1],
  ['America/Los_Angeles', '2026-11-28T14:59:59.999Z', '2026-11-29T09:00Z', 1],
  // A day of 23 hours, and one of 25.
  ['Europe/Berlin', '2026-03-28T22:59:59.999Z', '2026-03-29T22:01Z', 2],
  ['Europe/Berlin', '2026-10-24T21:59:59.999Z', '2026-10-25T22:59Z', 1],
  ['Europe/Berlin', '2026-11-28T22:59:59.999Z', '2026-11-28T22:00Z', null],
])('in %s, due %s, at %s: days late', (...[zone, dueAt, now, days]) => {
  process.env['TZ'] = zone
  vi.setSystemTime(new Date(now))
  expect(daysLate(dueAt)).toBe(days)
})

test('without a due day nobody is late', () => {
  expect(daysLate(null)).toBeNull()
})
