import { describe, expect, it } from 'vitest'
import { binned, curvesOf, hotspotsOf, secondsOf, type Heat } from './curves.ts'

const nothing = { coveredDelta: 0, passesDelta: 0, seekIn: 0, seekOut: 0, pauses: 0, exits: 0 }
const at = (sec: number, some: Partial<Heat>): Heat => ({ sec, ...nothing, ...some })
/** Differences of a curve. */
const covered = (values: number[]): Heat[] =>
  values.map((value, sec) => at(sec, { coveredDelta: value - (values[sec - 1] ?? 0) }))

describe('seconds of a video', () => {
  it('are those whose middle lies in it', () => {
    expect([60_000, 60_500, 60_501, 499, 1].map(secondsOf)).toEqual([60, 60, 61, 1, 1])
  })
})

describe('curves', () => {
  it('are the sums of the differences, and rewatching is what goes beyond the first pass', () => {
    const heat = [
      at(0, { coveredDelta: 3, passesDelta: 3 }),
      at(2, { coveredDelta: -1, passesDelta: 2 }),
      at(4, { coveredDelta: -2, passesDelta: -5 }),
    ]
    const { covered: viewers, again } = curvesOf(heat, 5_000)
    expect([...viewers]).toEqual([3, 3, 2, 2, 0])
    expect([...again]).toEqual([0, 0, 3, 3, 0])
  })

  it('give what lies behind the last second to the last one', () => {
    const heat = [at(0, { coveredDelta: 2 }), at(60, { coveredDelta: -2, exits: 2, seekIn: 1 })]
    const seconds = curvesOf(heat, 60_200)
    expect([seconds.covered[59], seconds.exits[59], seconds.seekIn[59]]).toEqual([2, 2, 1])
  })

  it('come as 600 points at most, by the exact mean and the exact sum of their seconds', () => {
    const length = 1_501
    const values = Array.from({ length }, (_, second) => (second * 7) % 13)
    const heat = covered(values).map((one) => Object.assign(one, { exits: one.sec % 3 }))
    const { binSeconds, covered: means, exits } = binned(curvesOf(heat, length * 1_000), 10)
    expect([binSeconds, means.length]).toEqual([3, 501])
    for (const [bin, mean] of means.entries()) {
      const part = values.slice(bin * 3, bin * 3 + 3)
      expect(mean).toBeCloseTo(part.reduce((sum, value) => sum + value, 0) / part.length, 12)
    }
    expect(exits.reduce((sum, n) => sum + n, 0)).toBe(heat.reduce((sum, one) => sum + one.exits, 0))
    expect(exits.at(-1)).toBe(0)
  })
})

describe('the parts that stand out', () => {
  const spots = (values: number[], base = 10) => {
    const seconds = curvesOf(covered(values), values.length * 1_000)
    // Only the curve of viewers is of interest here.
    return hotspotsOf({ ...seconds, again: new Float64Array(values.length) }, base, values.length * 1_000)
  }
  const level = (n: number, length: number) => Array.from({ length }, () => n)

  it('lie more than a standard deviation from the mean, for three seconds at least', () => {
    const values = [...level(5, 20), ...level(10, 4), ...level(5, 20), ...level(0, 3), ...level(5, 20)]
    expect(spots(values)).toMatchObject([
      { kind: 'most', fromMs: 20_000, toMs: 24_000, value: 1 },
      { kind: 'least', fromMs: 44_000, toMs: 47_000, value: 0 },
    ])
    const short = [...level(5, 20), ...level(10, 2), ...level(5, 20)]
    expect(spots(short)).toEqual([])
  })

  it('are none where the curve hardly moves', () => {
    expect(spots([...level(99, 20), ...level(100, 5), ...level(99, 20)], 100)).toEqual([])
    expect(spots(level(10, 30))).toEqual([])
  })

  it('are five of a kind at most, the strongest, in the order of time', () => {
    const values = Array.from({ length: 8 }, (_, n) => [...level(1, 20), ...level(6 + (n % 4), 3)]).flat()
    const found = spots(values)
    expect(found).toHaveLength(5)
    expect(found.map(({ fromMs }) => fromMs)).toEqual(
      found.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b),
    )
    expect(Math.min(...found.map(({ value }) => value))).toBeGreaterThan(0.6)
  })
})
