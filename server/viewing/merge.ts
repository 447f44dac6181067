import { sessionFlags } from '#contract/track-limits.ts'
import type { Span, TrackBatch, TrackEvent } from '#contract/tracks.ts'
import type { SpanFacts } from './credit.ts'
import type { PlayClaims } from '#server/plays/token.ts'

/** A batch of the raw log; `receivedAt` is epoch milliseconds. */
export type LogRow = {
  receivedAt: number
  sessionId: string
  batch: number
  elapsedMs: number
  claims: PlayClaims
  spans: Span[]
  events: TrackEvent[]
  state: TrackBatch['state'] | null
  capped: boolean
  userAgent: string | null
}

/** What some batches say about one session. Every field merges by minimum, maximum or union, so batches may come in any order. */
export type SessionPatch = {
  claims: PlayClaims
  zeroAt: number
  lastAt: number
  impressionMs: number | null
  batches: Set<number>
  position: { batch: number; ms: number }
  flags: number
  userAgent: string | null
  spans: Map<number, SpanFacts>
}

const mostInt = 2 ** 31 - 1

export function mergeRows(rows: LogRow[]): Map<string, SessionPatch> {
  const patches = new Map<string, SessionPatch>()
  for (const row of rows) {
    const patch = patches.get(row.sessionId) ?? emptyPatch(row)
    patches.set(row.sessionId, patch)
    // A client that claims more time than has passed must not move its session into the past.
    patch.zeroAt = Math.max(row.claims.iat, Math.min(patch.zeroAt, row.receivedAt - row.elapsedMs))
    patch.lastAt = Math.max(patch.lastAt, row.receivedAt)
    patch.batches.add(row.batch)
    patch.userAgent ??= row.userAgent
    if (row.capped) patch.flags |= sessionFlags.capped
    if (row.userAgent !== null && isBot(row.userAgent)) patch.flags |= sessionFlags.bot
    if (row.state && row.batch > patch.position.batch)
      patch.position = { batch: row.batch, ms: Math.min(row.state.position, row.claims.durMs) }
    mergeEvents(patch, row)
    for (const span of row.spans) mergeSpan(patch, factsOf(span, row))
  }
  return patches
}

function emptyPatch(row: LogRow): SessionPatch {
  return {
    claims: row.claims,
    zeroAt: row.receivedAt,
    lastAt: row.receivedAt,
    impressionMs: null,
    batches: new Set(),
    position: { batch: -1, ms: 0 },
    flags: 0,
    userAgent: null,
    spans: new Map(),
  }
}

function mergeEvents(patch: SessionPatch, row: LogRow): void {
  for (const [, type, at] of row.events) {
    if (type !== 'impression') continue
    patch.flags |= sessionFlags.impressed
    patch.impressionMs = Math.min(patch.impressionMs ?? mostInt, at)
  }
}

function factsOf([i, start, end, wall, rate, flags]: Span, row: LogRow): SpanFacts {
  const told = row.events.find(([, type, , , data]) => type === 'play' && data?.['span'] === i)
  const wallMs = Math.min(wall, mostInt)
  return {
    i,
    startMs: Math.min(start, mostInt),
    endMs: Math.min(end, mostInt),
    wallMs,
    rate: Math.min(rate, mostInt),
    flags: flags & 0xffff,
    beganMs: Math.min(row.elapsedMs - wallMs, told?.[2] ?? Infinity),
    seenMs: row.receivedAt - row.claims.iat,
  }
}

/** The statement that writes spans (`fold.ts`) merges the same way with what is stored already. */
function mergeSpan(patch: SessionPatch, next: SpanFacts): void {
  const known = patch.spans.get(next.i)
  patch.flags |= next.flags
  if (!known) return void patch.spans.set(next.i, next)
  patch.spans.set(next.i, {
    i: next.i,
    startMs: Math.min(known.startMs, next.startMs),
    endMs: Math.max(known.endMs, next.endMs),
    wallMs: Math.max(known.wallMs, next.wallMs),
    rate: Math.max(known.rate, next.rate),
    flags: known.flags | next.flags,
    beganMs: Math.min(known.beganMs, next.beganMs),
    seenMs: next.wallMs === known.wallMs ? Math.min(known.seenMs, next.seenMs) : longer(known, next).seenMs,
  })
}

function longer(a: SpanFacts, b: SpanFacts): SpanFacts {
  return a.wallMs > b.wallMs ? a : b
}

/** Programs that open links without anybody watching; they are marked, not hidden. */
function isBot(userAgent: string): boolean {
  return /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|skypeuripreview|scanner|python-|curl|wget|go-http|headless/i.test(
    userAgent,
  )
}
