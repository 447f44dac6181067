import type { EvidenceVersion } from '#contract/evidence/evidence.ts'
import { capitalized } from '#contract/platform/text/text.ts'
import { formatLength } from '#web/ui/format.ts'

export type Ranges = readonly (readonly [number, number])[]
export type Lane = {
  kind: string
  label: string
  means: string
  ranges: Ranges
  /** What is said where it has no part; nothing where that goes without saying. */
  none?: string
  /** Played, and not counted. */
  isRefused?: true
}

/** Every kind of part, from top to bottom. */
function allOf({ lanes, unserved }: EvidenceVersion): Lane[] {
  return [
    {
      kind: 'watched',
      label: 'Seen',
      means: 'Played in sight, at a speed that is allowed. This is what counts.',
      ranges: lanes.watched,
    },
    {
      kind: 'rewatched',
      label: 'Rewatched',
      means: 'Seen twice or more often. It counts once in the share.',
      ranges: lanes.rewatched,
      none: 'nothing twice',
    },
    {
      kind: 'missing',
      label: 'Missing',
      means: 'Skipped or not reached, or played without credit.',
      ranges: lanes.missing,
      none: 'nothing missing',
    },
    {
      kind: 'hidden',
      label: 'Hidden tab',
      means: 'Played while the page was not in sight. It does not count.',
      ranges: lanes.hidden,
      none: 'no hidden tab',
      isRefused: true,
    },
    {
      kind: 'fast',
      label: 'Too fast',
      means: 'Played faster than the organization allows, or than can be. It does not count.',
      ranges: lanes.fast,
      none: 'nothing too fast',
      isRefused: true,
    },
    {
      kind: 'uncounted',
      label: 'Without credit',
      means: 'Reported, and refused for another reason; the session says which.',
      ranges: lanes.uncounted,
      isRefused: true,
    },
    {
      kind: 'served',
      label: 'Handed out',
      means: 'What the server itself recorded as sent to this person: the second source.',
      ranges: lanes.served,
      none: 'nothing handed out',
    },
    {
      kind: 'unserved',
      label: 'Never handed out',
      means: 'Counts as seen, and was never sent to the session that reported it.',
      ranges: unserved,
    },
  ]
}

/** The lanes of the plot: what was watched, and whatever else has something to show. */
export const lanesOf = (version: EvidenceVersion): Lane[] =>
  allOf(version).filter(({ kind, ranges }) => kind === 'watched' || ranges.length > 0)

export const lengthOf = (ranges: Ranges): number => ranges.reduce((sum, [start, end]) => sum + end - start, 0)

/** Below the plot: what a lane that does not count means for the verdict, and which lanes are left out because nothing is in them. */
export function notesOf(version: EvidenceVersion): string[] {
  const all = allOf(version)
  const none = all.flatMap(({ ranges, none: words }) => (ranges.length === 0 && words ? [words] : []))
  return [
    ...all
      .filter(({ isRefused, ranges }) => isRefused && ranges.length > 0)
      .map((one) => noteOf(one, version)),
    ...(none.length === 0 ? [] : [`${capitalized(none.join(', '))}.`]),
  ]
}

function noteOf({ label, ranges }: Lane, { lanes: { watched } }: EvidenceVersion): string {
  const length = lengthOf(ranges)
  const shared = ranges.flatMap(([from, to]) =>
    watched.map(([start, end]) => Math.max(0, Math.min(to, end) - Math.max(from, start))),
  )
  const uniqueMs = length - shared.reduce((sum, ms) => sum + ms, 0)
  const caption = `${label}, ${formatLength(length)}`
  return uniqueMs < 50
    ? `${caption}: does not count. All of it was also seen in a way that does, so it takes nothing from the verdict.`
    : `${caption}: does not count. ${formatLength(uniqueMs)} of it was seen in no other way.`
}

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
