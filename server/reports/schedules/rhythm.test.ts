import { describe, expect, test } from 'vitest'
import type { SchedulePeriod } from '#contract/reports/report-schedules.ts'
import { lastDue, nextAfter, rangeOf, type Timing } from './rhythm.ts'

const daily: Timing = { rhythm: 'daily', weekday: 1, monthDay: 1, hour: 7, timeZone: 'Europe/Berlin' }
const series = (timing: Timing, from: string, count: number) => {
  const found: string[] = []
  let at = new Date(from)
  for (let n = 0; n < count; n += 1) {
    at = nextAfter(timing, at)
    found.push(at.toISOString().slice(0, 16))
  }
  return found
}

describe('when the next one comes', () => {
  test('keeps the hour of the clock when summer begins and ends', () => {
    expect(series(daily, '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T06:00',
      '2026-03-29T05:00',
      '2026-03-30T05:00',
    ])
    expect(series(daily, '2026-10-23T12:00:00Z', 3)).toEqual([
      '2026-10-24T05:00',
      '2026-10-25T06:00',
      '2026-10-26T06:00',
    ])
  })

  test('an hour that does not exist comes once, after the change', () => {
    expect(series({ ...daily, hour: 2 }, '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:00',
      '2026-03-29T01:00',
      '2026-03-30T00:00',
    ])
  })

  test('an hour that exists twice comes once, the first time', () => {
    expect(series({ ...daily, hour: 2 }, '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-26T01:00',
      '2026-10-27T01:00',
    ])
    const sent = new Date('2026-10-25T00:00:05Z')
    expect(nextAfter({ ...daily, hour: 2 }, sent).toISOString()).toBe('2026-10-26T01:00:00.000Z')
  })

  test('a midnight that does not exist, and one that exists twice', () => {
    const santiago = { ...daily, hour: 0, timeZone: 'America/Santiago' }
    expect(series(santiago, '2026-09-05T05:00:00Z', 2)).toEqual(['2026-09-06T04:00', '2026-09-07T03:00'])
    const havana = { ...daily, hour: 0, timeZone: 'America/Havana' }
    expect(series(havana, '2026-10-31T05:00:00Z', 2)).toEqual(['2026-11-01T04:00', '2026-11-02T05:00'])
  })

  test('half an hour of difference, and the other side of the day', () => {
    expect(series({ ...daily, timeZone: 'Asia/Kolkata' }, '2026-06-01T01:30:00Z', 2)).toEqual([
      '2026-06-02T01:30',
      '2026-06-03T01:30',
    ])
    expect(series({ ...daily, timeZone: 'Pacific/Auckland' }, '2026-06-01T00:00:00Z', 1)).toEqual([
      '2026-06-01T19:00',
    ])
    expect(
      series({ ...daily, hour: 23, timeZone: 'America/Los_Angeles' }, '2026-06-01T00:00:00Z', 1),
    ).toEqual(['2026-06-01T06:00'])
  })

  test('a time that is now is not the next one', () => {
    expect(nextAfter(daily, new Date('2026-06-01T05:00:00Z')).toISOString()).toBe('2026-06-02T05:00:00.000Z')
  })

  test('weekly on a weekday of the time zone', () => {
    // Monday 1:00 in Auckland is Sunday in UTC.
    const weekly = { ...daily, rhythm: 'weekly' as const, hour: 1, timeZone: 'Pacific/Auckland' }
    expect(series(weekly, '2026-06-02T00:00:00Z', 2)).toEqual(['2026-06-07T13:00', '2026-06-14T13:00'])
    expect(series({ ...weekly, weekday: 7 }, '2026-06-02T00:00:00Z', 1)).toEqual(['2026-06-06T13:00'])
  })

  test('monthly on the last day of months that are shorter', () => {
    const monthly = { ...daily, rhythm: 'monthly' as const, monthDay: 31, timeZone: 'UTC' }
    expect(series(monthly, '2028-01-01T00:00:00Z', 4)).toEqual([
      '2028-01-31T07:00',
      '2028-02-29T07:00',
      '2028-03-31T07:00',
      '2028-04-30T07:00',
    ])
    expect(series({ ...monthly, monthDay: 1 }, '2026-12-01T07:00:00Z', 1)).toEqual(['2027-01-01T07:00'])
  })
})

test('of what was missed, only the last is due', () => {
  const next = new Date('2026-06-01T05:00:00Z')
  expect(lastDue(daily, next, new Date('2026-06-01T05:00:30Z'))).toEqual({ slot: next, missed: 0 })
  expect(lastDue(daily, next, new Date('2026-06-11T04:59:59Z'))).toEqual({
    slot: new Date('2026-06-10T05:00:00Z'),
    missed: 9,
  })
})

describe('over which days', () => {
  const at = new Date('2026-03-01T07:00:00Z')
  test.each([
    ['day', '2026-02-28', '2026-02-28'],
    ['7d', '2026-02-22', '2026-02-28'],
    ['30d', '2026-01-30', '2026-02-28'],
    ['90d', '2025-12-01', '2026-02-28'],
    ['month', '2026-02-01', '2026-02-28'],
    ['12m', '2025-03-01', '2026-02-28'],
  ] as const)('%s', (period, from, to) => {
    expect(rangeOf(period, at, 'UTC')).toEqual({ from, to })
  })

  const nextRange = (timing: Partial<Timing>, after: string, period: SchedulePeriod) => {
    const wanted = { ...daily, ...timing }
    return rangeOf(period, nextAfter(wanted, new Date(after)), wanted.timeZone)
  }

  test.each([
    ['Asia/Tokyo', 8],
    ['Pacific/Auckland', 7],
    ['Europe/Berlin', 0],
    ['Asia/Kolkata', 5],
    ['America/Los_Angeles', 23],
    ['UTC', 0],
  ])('last month on the first is the month that is over in %s at %i:00', (timeZone, hour) => {
    const monthly = { rhythm: 'monthly', monthDay: 1, timeZone, hour } as const
    expect(nextRange(monthly, '2026-11-28T12:00:00Z', 'month')).toEqual({
      from: '2026-11-01',
      to: '2026-11-30',
    })
    expect(nextRange(monthly, '2026-11-28T12:00:00Z', '12m')).toEqual({
      from: '2025-12-01',
      to: '2026-11-30',
    })
  })

  test.each(['Asia/Tokyo', 'Pacific/Auckland', 'America/Los_Angeles', 'Pacific/Kiritimati'])(
    'each day of a daily one in %s comes in exactly one mail, also when clocks change',
    (timeZone) => {
      const days: string[] = []
      for (let at = new Date('2026-03-01T00:00:00Z'), n = 0; n < 260; n += 1) {
        at = nextAfter({ ...daily, timeZone, hour: 1 }, at)
        days.push(rangeOf('day', at, timeZone).to)
      }
      const [first = ''] = days
      const expected = days.map((_day, n) => Temporal.PlainDate.from(first).add({ days: n }).toString())
      expect(days).toEqual(expected)
    },
  )

  test('none of them has a day that is not over', () => {
    // The first of March in Tokyo is still the last of February in UTC.
    const at = new Date('2026-02-28T22:00:00Z')
    expect(rangeOf('month', at, 'Asia/Tokyo')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
    expect(rangeOf('month', at, 'UTC')).toEqual({ from: '2026-01-01', to: '2026-01-31' })
  })
})
