import * as z from 'zod/mini'
import { sessionFlags, spanFlags, type SpanRefusal } from '#contract/tracking/track-limits.ts'
import type { Ranges } from '#server/platform/db/multirange.ts'

/** This is one span as merged from all batches that showed it. Times are in milliseconds, and `rate` is multiplied by 100. */
export const SpanFacts = z.object({
  i: z.number(),
  startMs: z.number(),
  endMs: z.number(),
  wallMs: z.number(),
  rate: z.number(),
  flags: z.number(),
  /** The span began at this millisecond after the session's zero, or before. */
  beganMs: z.number(),
  /** The server's clock had counted this number of milliseconds since the token was made when `wallMs` was first reported. */
  seenMs: z.number(),
})
export type SpanFacts = z.infer<typeof SpanFacts>

/** Times of a session are epoch milliseconds, and `spans` are in the order of their index. */
export type SessionFacts = {
  id: string
  startedAt: number
  zeroAt: number
  durationMs: number
  maxRate: number
  spans: SpanFacts[]
}

/**
 * A piece is a credited stretch of media time (ms), with the instant at which its watching began and its rate (x 100). Pieces of one viewer
 * never overlap in time.
 */
export type Piece = { start: number; end: number; from: number; rate: number }

export type Credit = {
  pieces: Piece[]
  coverage: Ranges
  watchMs: number
  wallMs: number
  /** These bits of `sessionFlags` follow from the spans. */
  flags: number
  firstPlayAt: number | null
  /** The key is the index of a span. */
  refused: Map<number, SpanRefusal | null>
}

type Placed = { session: string; span: SpanFacts; charge: number; from: number }

/**
 * Clocks may be off by this much, and not a millisecond more. The time that a session has is counted from when its page was made, by the
 * server's clock, so the way of the page and of its reports is always on the viewer's side. What is left are browsers that round their
 * clock (to 100 ms at most), and clocks that do not run alike (500 in a million at most).
 */
const roundingMs = 100
const driftShare = 0.0005
const toleranceMs = 750
const toleranceShare = 0.05

/**
 * Works out what the sessions of one viewer with one video are worth. It is a pure function of the merged facts, so that the order,
 * repetition and grouping of batches cannot change it:
 * - a span counts when it lies in the video, was not faster than allowed, fits the wall time that it took, and was visible, and no program
 *   brought it;
 * - the spans of a session together never take more time than has passed since its token was made, but for what clocks are off;
 * - a moment of the viewer's life counts in one session only.
 */
export function creditViewer(sessions: SessionFacts[]): Map<string, Credit> {
  const credits = new Map<string, Credit>()
  const placed: Placed[] = []
  for (const session of sessions) {
    const { refused, affordable } = judge(session)
    credits.set(session.id, { ...noCredit(), refused })
    for (const one of place(session, affordable)) if (refused.get(one.span.i) === null) placed.push(one)
  }
  spend(placed, credits)
  for (const session of sessions) finish(credits.get(session.id) ?? noCredit(), session)
  return credits
}

/** Returns the credit of a session that earns nothing. */
export function noCredit(): Credit {
  return {
    pieces: [],
    coverage: [],
    watchMs: 0,
    wallMs: 0,
    flags: 0,
    firstPlayAt: null,
    refused: new Map<number, SpanRefusal | null>(),
  }
}

/** Returns the wall time (ms) that the media time of a span needs at its rate. */
function neededBy(span: SpanFacts): number {
  return Math.max(1, Math.floor(((span.endMs - span.startMs) * 100) / Math.max(span.rate, 1)))
}

function judge(session: SessionFacts): {
  refused: Map<number, SpanRefusal | null>
  affordable: { span: SpanFacts; charge: number }[]
} {
  const refused = new Map<number, SpanRefusal | null>()
  const affordable: { span: SpanFacts; charge: number }[] = []
  // Wall time and media time are added up separately, because where one span is a little ahead, the next is behind.
  let [wall, needed] = [0, 0]
  for (const span of session.spans) {
    if ((span.flags & spanFlags.program) !== 0) {
      refused.set(span.i, 'program')
      continue
    }
    const inside = span.startMs < span.endMs && span.startMs < session.durationMs
    const needs = neededBy(span)
    const spent = Math.max(wall + span.wallMs, needed + needs)
    const paid = spent <= span.seenMs * (1 + driftShare) + roundingMs
    if (inside && paid) {
      wall += span.wallMs
      needed += needs
      affordable.push({ span, charge: Math.max(span.wallMs, needs) })
    }
    refused.set(span.i, inside ? (flaw(span, session) ?? (paid ? unseen(span) : 'faster')) : 'range')
  }
  return { refused, affordable }
}

function flaw(span: SpanFacts, session: SessionFacts): SpanRefusal | null {
  if (span.rate < 25 || span.rate > Math.min(400, session.maxRate)) return 'rate'
  const expected = (span.wallMs * span.rate) / 100
  const off = Math.abs(span.endMs - span.startMs - expected)
  return off > Math.max(toleranceMs, expected * toleranceShare) ? 'mismatch' : null
}

/** Returns the refusal of a span that was not visible. A picture in a picture is seen even when its page is not. */
function unseen(span: SpanFacts): SpanRefusal | null {
  const { hidden, pictureInPicture } = spanFlags
  return (span.flags & hidden) !== 0 && (span.flags & pictureInPicture) === 0 ? 'hidden' : null
}

/**
 * Places the spans in the server's time. They follow one another, so each ended before the next began, and each had ended when its report
 * arrived.
 */
function place(session: SessionFacts, affordable: { span: SpanFacts; charge: number }[]): Placed[] {
  const places: Placed[] = []
  let next = Infinity
  for (const { span, charge } of affordable.toReversed()) {
    const arrived = session.startedAt + span.seenMs
    const from = Math.min(session.zeroAt + span.beganMs, arrived - charge, next - charge)
    next = from
    // Clocks may be off, but nothing was played before there was a page.
    places.push({ session: session.id, span, charge, from: Math.max(session.startedAt, from) })
  }
  return places.toReversed()
}

/** Hands out the viewer's time once: where two sessions overlap, the one that began first has it. */
function spend(placed: Placed[], credits: Map<string, Credit>): void {
  placed.sort((a, b) => a.from - b.from || (a.session < b.session ? -1 : 1) || a.span.i - b.span.i)
  let used = -Infinity
  for (const { session, span, charge, from } of placed) {
    const credit = credits.get(session) ?? noCredit()
    const taken = Math.max(0, used - from)
    const start = span.startMs + Math.ceil((taken * span.rate) / 100)
    if (taken > 0) credit.flags |= sessionFlags.concurrent
    if (start < span.endMs) {
      credit.pieces.push({ start, end: span.endMs, from: from + taken, rate: span.rate })
      credit.wallMs += Math.max(0, span.wallMs - taken)
    } else credit.refused.set(span.i, 'concurrent')
    used = Math.max(used, from + charge)
  }
}

function finish(credit: Credit, session: SessionFacts): void {
  credit.pieces = credit.pieces
    .map((piece) => ({ ...piece, end: Math.min(piece.end, session.durationMs) }))
    .filter((piece) => piece.start < piece.end)
  credit.coverage = unionOf(credit.pieces.map(({ start, end }) => [start, end]))
  credit.watchMs = credit.pieces.reduce((sum, { start, end }) => sum + end - start, 0)
  // Somebody who was refused everything has not begun to watch.
  if (credit.pieces.length > 0) {
    credit.flags |= sessionFlags.played
    credit.firstPlayAt = Math.min(...credit.pieces.map(({ from }) => from))
  }
  if ([...credit.refused.values()].some((reason) => reason !== null)) credit.flags |= sessionFlags.refused
}

/** Returns sorted, disjoint ranges that hold the same instants. */
export function unionOf(ranges: Ranges): Ranges {
  const merged: Ranges = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

export function lengthOf(ranges: Ranges): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0)
}

/**
 * Returns when the union of the pieces first held `neededMs`; null while it does not. It is exact to the millisecond, so that growth cannot
 * move it.
 */
export function completedAt(pieces: Piece[], neededMs: number): number | null {
  const inOrder = pieces.toSorted((a, b) => a.from - b.from)
  const seenBy = (n: number) => unionOf(inOrder.slice(0, n).map(({ start, end }) => [start, end]))
  if (lengthOf(seenBy(inOrder.length)) < neededMs) return null
  let [short, enough] = [0, inOrder.length]
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (lengthOf(seenBy(middle)) >= neededMs) enough = middle
    else short = middle
  }
  const last = inOrder[enough - 1]
  if (!last) return null
  const seen = seenBy(enough - 1)
  const position = positionAfter(last, seen, neededMs - lengthOf(seen))
  return last.from + Math.ceil(((position - last.start) * 100) / last.rate)
}

/** Returns the position in the piece at which `missingMs` of what had not been seen before have gone by. */
function positionAfter(piece: Piece, seen: Ranges, missingMs: number): number {
  let position = piece.start
  let missing = missingMs
  for (const [start, end] of seen) {
    if (end <= position) continue
    if (start - position >= missing) break
    missing -= Math.max(0, start - position)
    position = end
  }
  return position + missing
}
