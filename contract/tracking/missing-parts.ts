import type { receipt } from '../messages/en/receipt.ts'
import type { Say } from '../platform/text/say.ts'

/** This is a part [startMs, endMs) of a video. */
export type Part = readonly [number, number]

/** Shorter gaps come from pausing and seeking: nobody finds them by a time that is told in seconds. */
const worthTellingMs = 500
/** Beyond this number nobody looks parts up one by one. */
const mostTold = 6

export const worthTelling = ([from, to]: Part): boolean => to - from >= worthTellingMs

const two = (n: number) => String(n).padStart(2, '0')

function clock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/**
 * Says what is missing: "Missing: 3:10 to 3:22 and 5:00 to 5:40 (52 seconds)." Seconds are whole, and wide rather than narrow, so that what
 * is named holds all that is missing. It is empty where nothing is worth telling. The page says it before any script runs, and its script
 * whenever it has changed.
 */
export function missingSentence(parts: readonly Part[], say: Say<typeof receipt>, locale: string): string {
  const shown = parts
    .filter(worthTelling)
    .map(([from, to]) => ({ from: Math.floor(from / 1_000), to: Math.ceil(to / 1_000) }))
  if (shown.length === 0) return ''
  const seconds = shown.reduce((sum, { from, to }) => sum + to - from, 0)
  if (shown.length > mostTold) return say('missingMuch', { seconds })
  const words = shown.map(({ from, to }) => say('part', { from: clock(from), to: clock(to) }))
  return say('missingParts', { parts: new Intl.ListFormat(locale).format(words), seconds })
}

/** Returns what lies in the parts and in none of those. */
export function without(parts: readonly Part[], those: readonly Part[]): [number, number][] {
  const whole = parts.map(([from, to]): [number, number] => [from, to])
  return those.reduce(
    (left, [start, end]) =>
      left.flatMap(([from, to]) =>
        [
          [from, Math.min(to, start)] as [number, number],
          [Math.max(from, end), to] as [number, number],
        ].filter(([a, b]) => a < b),
      ),
    whole,
  )
}
