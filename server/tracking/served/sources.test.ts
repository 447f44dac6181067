import { describe, expect, it } from 'vitest'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { chance } from '#server/testing/viewing/viewers.ts'
import { unionOf } from '../credit.ts'
import { minus, repeated, within } from '../ranges.ts'
import { judge, judgedParts, stateOf, stateOfAll, unservedOf, withheldOf, type Sources } from './sources.ts'

const session = (coverage: Ranges, served: Ranges | null, more: Partial<Sources> = {}): Sources => ({
  coverage,
  served,
  isOpened: true,
  record: 'whole',
  isBot: false,
  ...more,
})
const state = (coverage: Ranges, served: Ranges | null, more: Partial<Sources> = {}) =>
  stateOf(session(coverage, served, more))

/** Nearly a minute in pieces that rounding alone would explain. */
const crumbs = Array.from({ length: 120 }, (_, n): [number, number] => [n * 500, n * 500 + 499])
const everyOther = [0, 12, 24, 36, 48].map((s): [number, number] => [s * 1_000, (s + 6) * 1_000])

describe('two sources about one session', () => {
  it.each<[string, Ranges, Ranges | null, string]>([
    ['everything was handed out', [[0, 28_000]], [[0, 30_000]], 'proven'],
    ['nothing was handed out', [[0, 28_000]], null, 'contradicted'],
    ['nothing was handed out, and it counts in crumbs', crumbs, null, 'contradicted'],
    ['nothing but every other segment was handed out', [[0, 60_000]], everyOther, 'contradicted'],
    ['nothing counts', [], [[0, 6_000]], 'delivered'],
    ['half a segment was still on its way', [[0, 33_000]], [[0, 30_000]], 'proven'],
    ['the connection broke in front of a part', [[21_000, 30_000]], [[24_000, 30_000]], 'proven'],
    ['the last picture is a little longer', [[58_000, 60_000]], [[54_000, 59_600]], 'proven'],
    ['one second more than a segment', [[0, 37_000]], [[0, 30_000]], 'contradicted'],
    [
      'a part far from everything',
      [
        [0, 5_000],
        [40_000, 41_000],
      ],
      [[0, 6_000]],
      'contradicted',
    ],
    [
      'a hole of more than a segment',
      [[0, 30_000]],
      [
        [0, 12_000],
        [20_000, 30_000],
      ],
      'contradicted',
    ],
    ['a record of other parts alone', [[30_000, 40_000]], [[0, 6_000]], 'contradicted'],
  ])('%s', (...[, coverage, served, expected]) => {
    expect(state(coverage, served)).toBe(expected)
  })

  it('tells which parts were never handed out', () => {
    expect(
      unservedOf({
        record: 'whole',
        coverage: [[0, 39_000]],
        served: [
          [0, 12_000],
          [30_000, 36_000],
        ],
      }),
    ).toEqual([[12_000, 30_000]])
  })

  it('waits for the record before it contradicts', () => {
    expect(state([[0, 30_000]], [[0, 6_000]], { record: 'behind' })).toBe('checking')
    expect(state([[0, 30_000]], null, { record: 'behind' })).toBe('checking')
    expect(state([[0, 30_000]], [[0, 6_000]], { record: 'whole' })).toBe('contradicted')
  })

  it('is no more than likely where no record was kept when it opened', () => {
    expect(state([[0, 30_000]], null, { record: 'none' })).toBe('likely')
    expect(state([[0, 30_000]], [[0, 6_000]], { record: 'none' })).toBe('likely')
    expect(state([[0, 30_000]], [[0, 30_000]], { record: 'none' })).toBe('proven')
  })

  it('withholds what was never handed out, and what is weaker than an organization asks for', () => {
    const of = (record: Sources['record'], served: Ranges | null) =>
      session([[0, 30_000]], served, { record })
    const half: Ranges = [[0, 12_000]]
    const remaining = [[12_000, 30_000]]
    expect(withheldOf(of('whole', half), 'likely')).toEqual(remaining)
    expect(withheldOf(of('behind', half), 'likely')).toEqual(remaining)
    expect(withheldOf(of('whole', null), 'likely')).toEqual([[0, 30_000]])
    for (const record of ['none', 'broken'] as const) {
      expect(withheldOf(of(record, half), 'likely')).toEqual([])
      expect(withheldOf(of(record, half), 'proven')).toEqual([[0, 30_000]])
    }
    expect(withheldOf(of('behind', half), 'proven')).toEqual([[0, 30_000]])
    expect(withheldOf(of('whole', [[0, 30_000]]), 'proven')).toEqual([])
  })

  it('accuses nobody of what a killed server may not have written down', () => {
    const broken = { record: 'broken' } as const
    expect(state([[0, 30_000]], [[0, 6_000]], broken)).toBe('likely')
    expect(unservedOf(session([[0, 30_000]], [[0, 6_000]], broken))).toEqual([])
    expect(state([[0, 30_000]], [[0, 30_000]], broken)).toBe('proven')
    expect(judge(session([[0, 30_000]], [[0, 6_000]], broken)).reason).toBe('record_broken')
  })

  it('knows an opened page from nothing at all', () => {
    expect(state([], null)).toBe('delivered')
    expect(state([], null, { isOpened: false })).toBe('none')
    expect(state([], [[0, 6_000]], { isOpened: false })).toBe('delivered')
  })
})

describe('several sessions together', () => {
  const unrecorded = { record: 'none' } as const
  const proven = session([[0, 30_000]], [[0, 30_000]])
  const likely = session([[10_000, 40_000]], null, { record: 'none' })
  const contradicted = session([[0, 60_000]], [[0, 6_000]])
  const behind = session([[0, 60_000]], [[0, 6_000]], { record: 'behind' })
  it.each<[string, Sources[], string]>([
    ['are proven when all that counts is', [proven, session([[0, 5_000]], null, unrecorded)], 'proven'],
    ['are likely when a part is not proven', [proven, likely], 'likely'],
    ['are contradicted by one of them', [proven, contradicted], 'contradicted'],
    ['are being checked while one of them is', [contradicted, behind], 'checking'],
    ['are what people did, whatever programs did', [proven, { ...contradicted, isBot: true }], 'proven'],
    ['are only delivered when nothing counts', [session([], [[0, 6_000]]), session([], null)], 'delivered'],
    ['are nothing without any', [], 'none'],
  ])('%s', (_what, sessions, expected) => {
    expect(stateOfAll(sessions)).toBe(expected)
  })
})

describe('each part that counts', () => {
  const parts = (covered: Ranges, sessions: Sources[]) =>
    judgedParts(covered, sessions).map(({ fromMs, toMs, state, reason }) => [fromMs, toMs, state, reason])

  it('is told by the best that is known of it', () => {
    const proven = session([[0, 20_000]], [[0, 24_000]])
    const unrecorded = session([[15_000, 30_000]], null, { record: 'none' })
    const forged = session([[25_000, 60_000]], [[42_000, 48_000]])
    expect(parts([[0, 60_000]], [proven, unrecorded, forged])).toEqual([
      [0, 20_000, 'proven', 'handed_out'],
      [20_000, 25_000, 'likely', 'no_record'],
      [25_000, 42_000, 'contradicted', 'not_handed_out'],
      [42_000, 48_000, 'likely', 'beside_that'],
      [48_000, 60_000, 'contradicted', 'not_handed_out'],
    ])
  })

  it('is likely where a killed server may have handed it out, and where its session is not kept any more', () => {
    const broken = session([[0, 30_000]], [[0, 6_000]], { record: 'broken' })
    expect(parts([[0, 40_000]], [broken])).toEqual([
      [0, 30_000, 'likely', 'record_broken'],
      [30_000, 40_000, 'likely', 'no_record'],
    ])
  })

  it('adds up to what counts, whatever the sessions are', () => {
    const luck = chance(11)
    const some = (): Ranges =>
      unionOf(
        Array.from({ length: luck.between(1, 5) }, () => {
          const start = luck.between(0, 90) * 1_000
          return [start, start + luck.between(1, 20) * 1_000] as [number, number]
        }),
      )
    for (let n = 0; n < 300; n += 1) {
      const sessions = Array.from({ length: luck.between(1, 4) }, () =>
        session(some(), luck.between(0, 3) === 0 ? null : some(), {
          record: luck.pick(['none', 'broken', 'behind', 'whole', 'whole', 'whole']),
        }),
      )
      const covered = unionOf(sessions.flatMap(({ coverage }) => coverage))
      const judged = judgedParts(covered, sessions)
      expect(unionOf(judged.map(({ fromMs, toMs }) => [fromMs, toMs] as [number, number]))).toEqual(covered)
      const lengths = judged.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
      expect(lengths).toBe(covered.reduce((sum, [a, b]) => sum + b - a, 0))
      const isProven = judged.every(({ state: one }) => one === 'proven')
      expect(isProven || stateOfAll(sessions) !== 'proven').toBe(true)
    }
  })
})

describe('ranges', () => {
  const luck = chance(7)
  const some = (): Ranges =>
    Array.from({ length: luck.between(0, 6) }, () => {
      const start = luck.between(0, 90)
      return [start, start + luck.between(1, 20)]
    })
  const depths = (ranges: Ranges) =>
    Array.from({ length: 120 }, (_nothing, at) => ranges.filter(([a, b]) => a <= at && at < b).length)
  const covered = (ranges: Ranges) => depths(ranges).map((depth) => depth > 0)

  it('equal looking at every single instant', () => {
    for (let n = 0; n < 500; n += 1) {
      const [a, b] = [some(), some()]
      const inB = covered(b)
      expect(covered(minus(unionOf(a), unionOf(b)))).toEqual(covered(a).map((is, at) => is && !inB[at]))
      expect(covered(repeated(a))).toEqual(depths(a).map((depth) => depth > 1))
      expect(covered(within(a, 50))).toEqual(covered(a).map((is, at) => is && at < 50))
    }
  })
})
