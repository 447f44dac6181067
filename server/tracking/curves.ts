import * as z from 'zod/mini'
import {
  hotspotRule,
  type AudienceCurves,
  type Hotspot,
  type HotspotKind,
} from '#contract/audience/audience.ts'

/** These are the difference arrays of a version, as they are stored: changes of the two curves, and plain counts, by second. */
export const Heat = z.object({
  sec: z.number(),
  coveredDelta: z.number(),
  passesDelta: z.number(),
  seekIn: z.number(),
  seekOut: z.number(),
  pauses: z.number(),
  exits: z.number(),
})
export type Heat = z.infer<typeof Heat>

/** Each array has a figure for each second of media time. */
export type Seconds = Record<'covered' | 'again' | 'exits' | 'seekIn' | 'seekOut' | 'pauses', Float64Array>

/** A screen has room for about this number of points. */
const mostPoints = 600

/** Returns the number of seconds whose middle lies in the video. What is left at the end is too short to be looked at. */
export function secondsOf(durationMs: number): number {
  return Math.max(1, Math.ceil((durationMs - 500) / 1_000))
}

/** Returns the instants (ms) that have to be covered for the quartiles. The last one is the last that the curve looks at. */
export function quartileInstants(durationMs: number): [number, number, number, number] {
  const at = (share: number) => Math.floor(durationMs * share)
  const last = (secondsOf(durationMs) - 1) * 1_000 + 500
  return [at(0.25), at(0.5), at(0.75), Math.min(last, durationMs - 1)]
}

/** Adds the differences up. Counts from behind the last second belong to it. */
export function curvesOf(heat: readonly Heat[], durationMs: number): Seconds {
  const length = secondsOf(durationMs)
  const empty = () => new Float64Array(length)
  const seconds: Seconds = {
    covered: empty(),
    again: empty(),
    exits: empty(),
    seekIn: empty(),
    seekOut: empty(),
    pauses: empty(),
  }
  const passes = empty()
  const add = (to: Float64Array, at: number, n: number) => (to[at] = (to[at] ?? 0) + n)
  for (const { sec, coveredDelta, passesDelta, ...counts } of heat) {
    if (sec < length) {
      add(seconds.covered, sec, coveredDelta)
      add(passes, sec, passesDelta)
    }
    for (const name of ['exits', 'seekIn', 'seekOut', 'pauses'] as const)
      add(seconds[name], Math.min(sec, length - 1), counts[name])
  }
  for (let second = 1; second < length; second++) {
    add(seconds.covered, second, seconds.covered[second - 1] ?? 0)
    add(passes, second, passes[second - 1] ?? 0)
  }
  passes.forEach((n, second) => (seconds.again[second] = n - (seconds.covered[second] ?? 0)))
  return seconds
}

/** Reduces the figures to as many points as a screen can show. Curves take the exact mean of each bin's seconds, counts their sum. */
export function binned(seconds: Seconds, base: number): AudienceCurves {
  const length = seconds.covered.length
  const binSeconds = Math.ceil(length / mostPoints)
  const bins = (values: Float64Array, isMean: boolean) =>
    Array.from({ length: Math.ceil(length / binSeconds) }, (_, bin) => {
      const part = values.subarray(bin * binSeconds, (bin + 1) * binSeconds)
      const sum = part.reduce((total, value) => total + value, 0)
      return isMean ? sum / part.length : sum
    })
  return {
    binSeconds,
    base,
    covered: bins(seconds.covered, true),
    again: bins(seconds.again, true),
    exits: bins(seconds.exits, false),
    seekIn: bins(seconds.seekIn, false),
    seekOut: bins(seconds.seekOut, false),
    pauses: bins(seconds.pauses, false),
  }
}

/** Returns the parts that stand out by the rule of the contract, each kind at most `ofEachKind` times, in the order of time. */
export function hotspotsOf(seconds: Seconds, base: number, durationMs: number): Hotspot[] {
  const shares = (values: Float64Array) => values.map((value) => value / base)
  const covered = shares(seconds.covered)
  const found = [
    ...standingOut(covered, 'most', durationMs),
    ...standingOut(covered, 'least', durationMs),
    ...standingOut(shares(seconds.again), 'again', durationMs),
  ]
  return found.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
}

function standingOut(values: Float64Array, kind: HotspotKind, durationMs: number): Hotspot[] {
  const mean = meanOf(values)
  const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
  const sign = kind === 'least' ? -1 : 1
  const least = Math.max(deviation, hotspotRule.share)
  const found: Hotspot[] = []
  for (let from = 0, to = 0; from < values.length; from = to + 1) {
    to = from
    while (to < values.length && sign * ((values[to] ?? 0) - mean) > least) to++
    if (to - from < hotspotRule.seconds) continue
    const value = meanOf(values.subarray(from, to))
    const score = (sign * (value - mean)) / deviation
    found.push({ kind, fromMs: from * 1_000, toMs: Math.min(to * 1_000, durationMs), value, mean, score })
  }
  return found.toSorted((a, b) => b.score - a.score).slice(0, hotspotRule.ofEachKind)
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
}
