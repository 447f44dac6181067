import { sessionFlags, spanFlags } from '#contract/tracking/track-limits.ts'
import { bearsSign } from '#server/tracking/programs.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { unionOf, type SpanFacts } from './credit.ts'
import { inDoubt, together } from './served/doubt.ts'
import type { LogRow, StoredSession } from './stored-session.ts'

const mostInt = 2 ** 31 - 1

/**
 * Puts batches into the sessions that they belong to. Every field merges by minimum, maximum or union, so batches may come in any
 * order, twice, and in any grouping.
 */
export function mergeRows(sessions: Map<string, StoredSession>, rows: LogRow[]): void {
  const numbers = new Map<StoredSession, number[]>()
  for (const row of rows) {
    const session = sessions.get(row.sessionId) ?? newSession(row)
    sessions.set(row.sessionId, session)
    mergeSession(session, row)
    const seen = numbers.get(session)
    if (seen) seen.push(row.batch)
    else numbers.set(session, [row.batch])
  }
  for (const [session, seen] of numbers)
    session.batches = unionOf([...session.batches, ...seen.map((n): [number, number] => [n, n + 1])])
}

function newSession({ sessionId, receivedAt, claims }: LogRow): StoredSession {
  return {
    id: sessionId,
    organizationId: claims.org,
    videoId: claims.video,
    versionId: claims.version,
    transmissionId: claims.transmission ?? null,
    deliveryId: claims.delivery ?? null,
    userId: /^(?:recipient|user):(.+)$/.exec(claims.viewerKey)?.[1] ?? null,
    viewerKey: claims.viewerKey,
    startedAt: claims.iat,
    zeroAt: receivedAt,
    lastAt: receivedAt,
    impressionMs: null,
    durationMs: claims.durMs,
    maxRate: Math.round(claims.maxRate * 100),
    theta: claims.theta,
    position: 0,
    positionBatch: -1,
    batches: [],
    dropped: 0,
    ended: false,
    flags: 0,
    userAgent: null,
    network: null,
    networkBatch: Infinity,
    run: null,
    isPersons: false,
    isVouched: false,
    saidBy: null,
    signedInBy: null,
    spans: [],
    refusals: new Map(),
    stored: null,
    touched: true,
    changedSpans: new Set(),
  }
}

function mergeSession(session: StoredSession, row: LogRow): void {
  session.touched = true
  session.run ??= row.claims.run ?? null
  session.saidBy ??= row.claims.saidBy?.name ?? null
  session.signedInBy ??= row.claims.amr?.join(' ') ?? null
  // A client that claims more time than has passed must not move its session into the past.
  session.zeroAt = Math.max(session.startedAt, Math.min(session.zeroAt, row.receivedAt - row.elapsedMs))
  session.lastAt = Math.max(session.lastAt, row.receivedAt)
  session.dropped = Math.max(session.dropped, row.dropped)
  if (row.capped) session.flags |= sessionFlags.capped
  mergeSender(session, row)
  if (bearsSign(row.userAgent)) {
    session.flags |= spanFlags.program
    for (const span of row.spans) mergeSpan(session, inDoubt(factsOf(span, row)))
  } else mergePerson(session, row)
}

function mergePerson(session: StoredSession, row: LogRow): void {
  session.isPersons = true
  session.ended ||= row.ended || row.events.some(([, type]) => type === 'ended')
  mergePosition(session, row)
  for (const [, type, at] of row.events) {
    if (type !== 'impression') continue
    session.flags |= sessionFlags.impressed
    session.impressionMs = Math.min(session.impressionMs ?? mostInt, at)
  }
  for (const span of row.spans) mergeSpan(session, factsOf(span, row))
}

function mergeSender(session: StoredSession, { userAgent, network, batch }: LogRow): void {
  if (userAgent !== null && isMoreTelling(userAgent, session.userAgent)) session.userAgent = userAgent
  const again = batch === session.networkBatch && network !== null && network < (session.network ?? '~')
  if (batch < session.networkBatch || again) {
    session.network = network
    session.networkBatch = batch
  }
}

/**
 * Returns whether a name of a browser is to be kept in place of the known one. One that casts doubt on the session always is; otherwise the
 * lesser one is kept, so that no order matters.
 */
function isMoreTelling(userAgent: string, known: string | null): boolean {
  if (known === null) return true
  if (bearsSign(userAgent) !== bearsSign(known)) return bearsSign(userAgent)
  return userAgent < known
}

/**
 * Takes the position from the batch with the highest number, which knows best. Without a state, as in replayed batches, it ended where its
 * last span did.
 */
function mergePosition(session: StoredSession, { state, spans, batch }: LogRow): void {
  const reported =
    state?.position ?? spans.reduce<Span | null>((a, b) => (a && a[0] > b[0] ? a : b), null)?.[2]
  if (reported === undefined || batch < session.positionBatch) return
  const position = Math.min(reported, session.durationMs)
  session.position = batch > session.positionBatch ? position : Math.max(session.position, position)
  session.positionBatch = batch
}

function factsOf([i, start, end, wall, rate, flags]: Span, row: LogRow): SpanFacts {
  const playEvent = row.events.find(([, type, , , data]) => type === 'play' && data?.['span'] === i)
  const wallMs = Math.min(wall, mostInt)
  return {
    i,
    startMs: Math.min(start, mostInt),
    endMs: Math.min(end, mostInt),
    wallMs,
    rate: Math.min(rate, mostInt),
    flags: flags & 0xffff & ~spanFlags.program,
    beganMs: Math.min(row.elapsedMs - wallMs, playEvent?.[2] ?? Infinity),
    seenMs: row.receivedAt - row.claims.iat,
  }
}

function mergeSpan(session: StoredSession, next: SpanFacts): void {
  session.flags |= next.flags
  const { spans } = session
  // Indices grow by one, so it is nearly always at its own place.
  let at = Math.min(next.i, spans.length)
  while (at > 0 && (spans[at - 1]?.i ?? -1) >= next.i) at -= 1
  const known = spans[at]
  session.changedSpans.add(next.i)
  if (known?.i === next.i) spans[at] = together(known, next)
  else spans.splice(at, 0, next)
}
