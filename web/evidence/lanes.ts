import type { EvidenceVersion } from '#contract/evidence.ts'

export type Ranges = readonly (readonly [number, number])[]
export type Lane = {
  kind: string
  label: string
  means: string
  ranges: Ranges
  /** What it says of a moment that lies in none of its parts; nothing where that goes without saying. */
  isRare?: true
}

/** The lanes of the plot, from top to bottom. Those that are rare are there when they have something to show. */
export function lanesOf({ lanes, unserved }: EvidenceVersion): Lane[] {
  const all: Lane[] = [
    {
      kind: 'watched',
      label: 'Watched',
      means: 'Played in sight, at a speed that is allowed. This is what counts.',
      ranges: lanes.watched,
    },
    {
      kind: 'rewatched',
      label: 'Rewatched',
      means: 'Watched twice or more often. It counts once in the percentage.',
      ranges: lanes.rewatched,
    },
    {
      kind: 'missing',
      label: 'Missing',
      means: 'Skipped or not reached, or played without credit.',
      ranges: lanes.missing,
    },
    {
      kind: 'hidden',
      label: 'Hidden tab',
      means: 'Played while the page was not in sight. It does not count.',
      ranges: lanes.hidden,
    },
    {
      kind: 'fast',
      label: 'Too fast',
      means: 'Played faster than the organization allows, or than can be. It does not count.',
      ranges: lanes.fast,
    },
    {
      kind: 'uncounted',
      label: 'Without credit',
      means: 'Reported, and refused for another reason; the session says which.',
      ranges: lanes.uncounted,
      isRare: true,
    },
    {
      kind: 'served',
      label: 'Handed out',
      means: 'What the server itself recorded as sent to this person: the second source.',
      ranges: lanes.served,
    },
    {
      kind: 'unserved',
      label: 'Never handed out',
      means: 'Counts as watched, and was never sent to the session that reported it.',
      ranges: unserved,
      isRare: true,
    },
  ]
  return all.filter(({ isRare, ranges }) => !isRare || ranges.length > 0)
}

export const lengthOf = (ranges: Ranges): number => ranges.reduce((sum, [start, end]) => sum + end - start, 0)

/** The part of a lane in which a moment lies. */
export const partAt = (ranges: Ranges, ms: number): readonly [number, number] | undefined =>
  ranges.find(([start, end]) => start <= ms && ms < end)

/** Moments at which something begins or ends, in order: where the arrow keys stop. */
export function edgesOf(lanes: readonly Lane[], durationMs: number): number[] {
  const edges = lanes.flatMap(({ ranges }) => ranges.flat())
  return [...new Set([0, ...edges, durationMs])].filter((at) => at <= durationMs).toSorted((a, b) => a - b)
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200]

/** Moments to write below the plot: full ones, six at most. */
export function ticksOf(durationMs: number): number[] {
  const step = (steps.find((seconds) => durationMs / (seconds * 1_000) <= 5) ?? 7_200) * 1_000
  return Array.from({ length: Math.floor(durationMs / step) + 1 }, (_nothing, n) => n * step)
}
