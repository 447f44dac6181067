import type { Span, TrackEvent } from '#contract/tracking/tracks.ts'
import { parseRanges } from '../../platform/db/multirange.ts'
import { openBatchWriter } from '../../tracking/ingest/batch-writer.ts'
import type { NewPlay, PlayClaims } from '../../tracking/ingest/token.ts'
import type { TestServer } from '../server.ts'
import { addVideo } from './viewing.ts'

export const durationMs = 60_000

/** A repeatable source of chance (mulberry32). */
export function chance(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[between(0, list.length - 1)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }
  return { next, between, pick }
}
export type Chance = ReturnType<typeof chance>

/** A stretch that somebody really watched; times in ms, `at` after the session's zero. */
export type Truth = { at: number; start: number; end: number; wall: number; rate: number; flags: number }
export type SentBatch = {
  claims: PlayClaims
  receivedAt: number
  batch: number
  elapsedMs: number
  spans: Span[]
  events: TrackEvent[]
  position?: number
  capped?: boolean
  userAgent?: string | null
  network?: string | null
}

/** Somebody plays, pauses, seeks, speeds up and looks away, for up to seven stretches. */
export function watchSomehow(luck: Chance, durationMs: number): Truth[] {
  const truth: Truth[] = []
  let at = luck.between(300, 4_000)
  let position = luck.pick([0, 0, 0, luck.between(0, durationMs - 1_000)])
  for (let n = luck.between(1, 7); n > 0; n--) {
    const rate = luck.pick([100, 100, 100, 100, 125, 150, 200, 75, 250])
    const end = Math.min(durationMs, position + luck.between(1, 20_000))
    if (end <= position) break
    const wall = Math.round(((end - position) * 100) / rate)
    truth.push({ at, start: position, end, wall, rate, flags: luck.pick([0, 0, 0, 0, 2, 8, 1]) })
    at += wall + luck.pick([0, 0, luck.between(50, 9_000)])
    position = luck.pick([end, end, luck.between(0, durationMs - 1)])
  }
  return truth
}

/** What the recorder notes of it: when each stretch began, and how it was left. */
export function eventsOf(truth: Truth[], durationMs: number): TrackEvent[] {
  const noted = truth.flatMap(({ at, start, end, wall }, i): TrackEvent[] => {
    const next = truth[i + 1]
    const over = at + wall
    const left: TrackEvent[] = []
    if (next && next.start !== end) left.push([0, 'seek', over, next.start, { from: end, to: next.start }])
    else if (end === durationMs) left.push([0, 'ended', over, end, null])
    else if (next === undefined || next.at > over) left.push([0, 'pause', over, end, null])
    return [[0, 'play', at, start, { span: i }], ...left]
  })
  const all: TrackEvent[] = [[0, 'impression', 200, 0, null], ...noted]
  return all.map(([, type, at, position, data], n) => [n, type, at, position, data])
}

/** What the client sends about it over a network that loses, doubles and delays batches; the last exchange gets through. */
export function sendSomehow(luck: Chance, claims: PlayClaims, truth: Truth[]): SentBatch[] {
  const noted = eventsOf(truth, claims.durMs)
  const finish = Math.max(...truth.map(({ at, wall }) => at + wall)) + 500
  const ticks = truth.flatMap(({ at, wall }) => [at + 1, at + wall])
  for (let t = 5_000; t < finish; t += 5_000) ticks.push(t)
  ticks.sort((a, b) => a - b)
  ticks.push(finish)
  const sent: SentBatch[] = []
  const acked = new Map<number, string>()
  let ackedEvents = -1
  for (const [batch, now] of ticks.entries()) {
    const spans = spansAt(truth, now).filter((span) => acked.get(span[0]) !== span.join())
    const events = noted.filter(([n, , at]) => at <= now && n > ackedEvents)
    const position = spansAt(truth, now).at(-1)?.[2] ?? 0
    const last = batch === ticks.length - 1
    if (!last && luck.next() < 0.2) continue
    const delay = luck.next() < 0.1 ? luck.between(500, 4_000) : luck.between(5, 60)
    const one = {
      claims,
      receivedAt: claims.iat + 200 + now + delay,
      batch,
      elapsedMs: now,
      spans,
      events,
      position,
    }
    sent.push(one)
    if (luck.next() < 0.1) sent.push({ ...one, receivedAt: one.receivedAt + luck.between(1, 2_000) })
    if (!last && luck.next() < 0.1) continue
    for (const span of spans) acked.set(span[0], span.join())
    ackedEvents = Math.max(ackedEvents, ...events.map(([i]) => i))
  }
  return shuffled(luck, sent)
}

function spansAt(truth: Truth[], now: number): Span[] {
  return truth.flatMap(({ at, start, end, wall, rate, flags }, i): Span[] => {
    if (at >= now) return []
    const done = Math.min(wall, now - at)
    const reached = done === wall ? end : start + Math.floor((done * rate) / 100)
    return [[i, start, reached, done, rate, flags]]
  })
}

export function shuffled<T>(luck: Chance, list: readonly T[]): T[] {
  const copy = list.map((value) => ({ value, key: luck.next() }))
  return copy.sort((a, b) => a.key - b.key).map(({ value }) => value)
}

/** A video of its own and a recipient for it. */
export async function addPlay(server: TestServer, organizationId: string): Promise<NewPlay> {
  const { videoId, versionId } = await addVideo(server, { organizationId, durationMs })
  const facts = { org: organizationId, video: videoId, version: versionId, durMs: durationMs }
  return { ...facts, kind: 'recipient', userId: crypto.randomUUID(), maxRate: 2, theta: 0.95 }
}

type Sent = { at: number; elapsedMs?: number; batch?: number; spans: Span[]; events?: TrackEvent[] }

/** One batch; `at`: milliseconds after the token was made at which the server receives it. */
export function sent(claims: PlayClaims, batch: Sent): SentBatch {
  const { at, elapsedMs = at, spans, events = [] } = batch
  return { claims, receivedAt: claims.iat + at, batch: batch.batch ?? 0, elapsedMs, spans, events }
}

/** Puts batches into the raw log as ingest does, at the instants that they name. */
export async function writeLog({ services }: TestServer, batches: SentBatch[]): Promise<void> {
  const lane = openBatchWriter(services.db.single)
  const defaults = { ended: false, dropped: 0, capped: false, userAgent: null, network: null }
  const texts = ({ spans, events, receivedAt, position = spans.at(-1)?.[2] ?? 0 }: SentBatch) => ({
    receivedAt: new Date(receivedAt),
    spans: JSON.stringify(spans),
    events: JSON.stringify(events),
    state: JSON.stringify({ position, visible: true }),
  })
  await Promise.all(batches.map((one) => lane.append({ ...defaults, ...one, ...texts(one) })))
}

export async function viewer({ services }: TestServer, claims: PlayClaims) {
  const found = await services.db.system.query<{
    coverage: string
    covered_ms: number
    completed_at: Date | null
  }>('select * from viewer_videos where version_id = $1 and viewer_key = $2', [
    claims.version,
    claims.viewerKey,
  ])
  const [row] = found.rows
  return {
    coverage: parseRanges(row?.coverage ?? ''),
    coveredMs: row?.covered_ms ?? 0,
    completed: row?.completed_at ?? null,
  }
}
