import { trackLimits, type EventType } from '#contract/track-limits.ts'
import type { Span, TrackEvent } from '#contract/tracks.ts'

/** Details of an event. */
export type Data = Record<string, string | number>
/** An instant of the session's clock and the media time that was shown then; milliseconds. */
export type Point = { at: number; position: number }

/** How the media is played right now: rate as the element has it, and bits of `spanFlags`. */
export type Manner = () => { rate: number; flags: number }

/** Between two looks at the element its time may differ by this much from the clock; more is a break. */
const jumpMs = 600
/** How far time and clock may drift apart within one span; the server accepts 750 ms. */
const driftMs = 400
/** Looks come four times a second at least, so no more than this is ever carried on. */
const guessMs = 400
/** How late the news may be that playing has begun, in media time. */
const lateMs = 500

type OpenSpan = { index: number; from: Point; last: Point; rate: number; flags: number; fresh: boolean }

/** The two append-only logs of a session. The last span may grow; nothing else ever changes. */
export function createSpanLog(manner: Manner, onBegin: (first: boolean) => void) {
  const spans: Span[] = []
  const events: TrackEvent[] = []
  let open: OpenSpan | undefined
  /** Where the media rests while nothing is played. */
  let rest = 0

  function note(type: EventType, { at, position }: Point, data?: Data): void {
    if (events.length < trackLimits.eventsPerSession)
      events.push([events.length, type, Math.round(at), position, data ?? null])
  }

  /** `fresh`: after a break. What was played between the place of rest and the event that tells of it belongs to the span. */
  function begin(point: Point, fresh: boolean): void {
    if (open || spans.length >= trackLimits.spansPerSession) return
    const { rate, flags } = manner()
    const since = point.position - rest
    const from = fresh && since > 0 && since <= lateMs ? before(point, since) : point
    open = { index: spans.length, from, last: from, rate: Math.round(rate * 100), flags, fresh }
    grow(point)
  }

  /** The point from which `moved` ms have been played without a break. */
  function before({ at, position }: Point, moved: number): Point {
    return { at: at - moved / manner().rate, position: position - moved }
  }

  /** A span exists as soon as something has been played; its index is never used again. */
  function grow(to: Point): void {
    if (!open || to.position <= open.last.position) return
    const isNew = open.index === spans.length
    open.last = to
    spans[open.index] = asSpan(open)
    // Each says when it began, which from a report that comes late could only be guessed.
    if (isNew) note('play', open.from, { span: open.index })
    if (!open.fresh) return
    open.fresh = false
    onBegin(open.index === 0)
  }

  /** The last look is judged like any other: it may come late, or from behind a jump. */
  function close(to?: Point): void {
    if (to) sample(to)
    if (open) rest = open.last.position
    open = undefined
  }

  /** A look at the element in the midst of playing; gives false when the time jumped without a word. */
  function sample(to: Point): boolean {
    if (!open) return true
    const { from, last, rate } = open
    const passed = to.at - last.at
    const moved = to.position - last.position
    const off = moved - (passed * rate) / 100
    const drift = to.position - from.position - ((to.at - from.at) * rate) / 100
    if (moved < -jumpMs || off > jumpMs) {
      close()
      return false
    }
    if (moved >= 0 && (off < -jumpMs || drift < -driftMs)) {
      // The machine stuttered or slept: what was played was played, and did not take the time that has passed.
      close()
      if (passed > 5_000) note('sleep', to, { ms: Math.round(passed) })
      begin(before(to, moved), true)
    } else if (drift > driftMs || to.at - from.at >= trackLimits.spanMs) {
      close()
      begin(last, false)
    }
    grow(to)
    return true
  }

  /** Where the time must have been when it jumped away: the last look, carried on by the clock. */
  function carriedOn(now: number, end: number): Point | undefined {
    if (!open) return undefined
    const passed = Math.min(guessMs, now - open.last.at)
    const reached = Math.min(end, open.last.position + Math.round((passed * open.rate) / 100))
    return { at: open.last.at + passed, position: reached }
  }

  return {
    spans,
    events,
    note,
    begin,
    close,
    sample,
    carriedOn,
    isOpen: () => open !== undefined,
    /** Whether the media is still played as it was when the span began. */
    fits: () => !open || (open.rate === Math.round(manner().rate * 100) && open.flags === manner().flags),
    /** Media time of the last look; a frame that is older tells nothing new. */
    reached: () => open?.last.position ?? 0,
    restAt: (position: number) => (rest = position),
  }
}

function asSpan({ index, from, last, rate, flags }: OpenSpan): Span {
  const wall = Math.max(0, Math.round(last.at - from.at))
  return [index, Math.round(from.position), last.position, wall, rate, flags]
}
