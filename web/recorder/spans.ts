import { trackLimits, type EventType } from '#contract/tracking/track-limits.ts'
import type { Span, TrackEvent } from '#contract/tracking/tracks.ts'

/** Details of an event. */
export type Data = Record<string, string | number>
/** An instant of the session's clock and the media time that was shown then; milliseconds. */
export type Point = { at: number; position: number }

/** How the media is played right now: rate as the element has it, and bits of `spanFlags`. */
export type Manner = () => { rate: number; flags: number }

/** Up to where the element says that it has played from here on without a gap, at whichever time; milliseconds. */
export type PlayedTo = (from: number) => number

/**
 * By so much the media may run ahead of the clock; more is a break. Two looks that lie closer together can hide nothing between them: what
 * passes in a longer time counts only where the element has played it.
 */
const jumpMs = 600
/** How far time and clock may drift apart within one span; the server accepts 750 ms. */
const driftMs = 400
/** So much is carried on at most from the last look to a seek. */
const guessMs = 400
/** An element may begin what it has played with the picture after the one that it went to. */
const pictureMs = 50

/** `isAgain`: it had been played further before, so that the element cannot tell how far it is played now. */
type Look = Point & { isAgain: boolean }
type OpenSpan = { index: number; from: Point; last: Look; rate: number; flags: number; fresh: boolean }

/** The two append-only logs of a session. The last span may grow; nothing else ever changes. */
export function createSpanLog(
  manner: Manner,
  { playedTo, onBegin }: { playedTo: PlayedTo; onBegin: (first: boolean) => void },
) {
  const spans: Span[] = []
  const events: TrackEvent[] = []
  let open: OpenSpan | undefined
  /** Where the media rests while nothing is played, and since when. */
  let restingPoint: Point = { at: 0, position: 0 }
  /** A look that came late. What is told next may be that there was a seek before it. */
  let unsure: Look | undefined
  /** Media time by which what was played lies behind the clock, without a break: news that are late make up for it. */
  let behind = 0

  function note(type: EventType, { at, position }: Point, data?: Data): void {
    if (events.length < trackLimits.eventsPerSession)
      events.push([events.length, type, Math.round(at), position, data ?? null])
  }

  /** `fresh`: after a break. What was played between the place of rest and the event that tells of it belongs to the span. */
  function begin(point: Point, fresh: boolean): void {
    if (open || spans.length >= trackLimits.spansPerSession) return
    const { rate, flags } = manner()
    const moved = point.position - restingPoint.position
    const from =
      fresh && moved > 0 && (moved <= pictureMs || isPlayed(restingPoint, point))
        ? since(point, moved)
        : point
    open = { index: spans.length, from, last: looked(from), rate: Math.round(rate * 100), flags, fresh }
    grow(looked(point))
  }

  /** The element has played all of it, and the media went no further than the clock. */
  function isPlayed(from: Point, to: Point): boolean {
    const moved = to.position - from.position
    return moved <= (to.at - from.at) * manner().rate + jumpMs && playedTo(from.position) >= to.position
  }

  /** The point from which `moved` ms have been played without a break. */
  function since({ at, position }: Point, moved: number): Point {
    return { at: at - moved / manner().rate, position: position - moved }
  }

  const looked = (to: Point): Look => ({ ...to, isAgain: playedTo(to.position) > to.position })

  /** A span exists as soon as something has been played; its index is never used again. */
  function grow(to: Look): void {
    if (!open || to.position < open.last.position) return
    const isNew = open.index === spans.length
    const hasMoved = to.position > open.last.position
    open.last = to
    if (!hasMoved) return
    spans[open.index] = asSpan(open)
    // Each says when it began, which from a report that comes late could only be guessed.
    if (isNew) note('play', open.from, { span: open.index })
    if (!open.fresh) return
    open.fresh = false
    onBegin(open.index === 0)
  }

  /** The last look is judged like any other: it may come late, or from behind a jump. */
  function close(to?: Point): void {
    if (to) take(looked(to))
    if (open) restingPoint = open.last
    open = undefined
    unsure = undefined
  }

  /** Whether the media is still played as it was when the span began. */
  function fits(): boolean {
    return !open || (open.rate === Math.round(manner().rate * 100) && open.flags === manner().flags)
  }

  const isLate = (at: number) => open !== undefined && at - open.last.at > jumpMs

  /** A look at the element in the midst of playing; gives false when the time jumped without a word. One that is late tells nothing. */
  function sample(to: Point): boolean {
    return isLate(to.at) || take(looked(to))
  }

  /**
   * The element itself tells of its time. It tells everything in its turn: what is told after a late look may have happened before it, so that
   * is believed when the time is told again and nothing else was in between.
   */
  function hear(to: Point): boolean {
    if (!settle()) return false
    if (isLate(to.at) && fits()) unsure = looked(to)
    return sample(to)
  }

  /** Nothing that was told since the late look came before it. */
  function settle(): boolean {
    const late = unsure
    unsure = undefined
    return !late || take(late)
  }

  function take(to: Look): boolean {
    if (!open) return true
    const { last, rate } = open
    const moved = to.position - last.position
    const off = moved - ((to.at - last.at) * rate) / 100
    const isDoubtful = (isLate(to.at) || moved > jumpMs) && playedTo(last.position) < to.position
    if (moved < -jumpMs || off > behind + jumpMs || isDoubtful) {
      close()
      return false
    }
    if (moved < 0) return true
    behind = Math.max(0, behind - off)
    follow(to, moved)
    grow(to)
    return true
  }

  /** Begins another span where time and clock are too far apart for this one. */
  function follow(to: Look, moved: number): void {
    if (!open) return
    const { last, rate } = open
    const grown = { ...open, last: to }
    const [before, after] = [lagOf(open), lagOf(grown)]
    if (before > driftMs && after > before - driftMs) {
      // The machine stuttered or slept, and does not make up for it: what was played did not take the time that has passed.
      close()
      const ms = Math.round((before * 100) / rate)
      if (ms > 5_000) {
        note('sleep', last, { ms })
        behind = 0
      }
      begin(last, true)
    } else if (-after > driftMs || wallOf(grown) >= trackLimits.spanMs) {
      close()
      begin(since(to, moved), false)
    }
  }

  /** Where the time must have been when it jumped away: where the element says, or soon after the last look, carried on by the clock. */
  function carriedOn(now: number): Point | undefined {
    if (!open) return undefined
    const { last, rate } = open
    const after = (ms: number) => last.position + Math.round((ms * rate) / 100)
    const reported = playedTo(last.position)
    if (!last.isAgain && reported <= after(now - last.at) + behind + jumpMs)
      return { at: now, position: reported }
    const passed = isLate(now) ? 0 : Math.min(guessMs, now - last.at)
    return { at: last.at + passed, position: after(passed) }
  }

  return {
    spans,
    events,
    note,
    begin,
    close,
    sample,
    hear,
    settle,
    isLate,
    carriedOn,
    isOpen: () => open !== undefined,
    fits,
    /** Media time of the last look; a frame that is older tells nothing new. */
    reached: () => open?.last.position ?? 0,
    /** Nothing of what was played before lasts on to here. */
    restAt(point: Point) {
      restingPoint = point
      behind = 0
    },
  }
}

/** Media time by which a span lies behind the clock. */
function lagOf({ from, last, rate }: OpenSpan): number {
  return ((last.at - from.at) * rate) / 100 - (last.position - from.position)
}

/** Time in which nothing was played is none that it took. */
function wallOf(span: OpenSpan): number {
  const idle = (Math.max(0, lagOf(span)) * 100) / span.rate
  return Math.max(0, Math.round(span.last.at - span.from.at - idle))
}

function asSpan(span: OpenSpan): Span {
  const { index, from, last, rate, flags } = span
  return [index, Math.round(from.position), last.position, wallOf(span), rate, flags]
}
