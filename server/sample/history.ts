import { randomUUIDv7 } from 'node:crypto'
import type { Span } from '#contract/tracking/tracks.ts'
import type { Services } from '../platform/http/services.ts'
import { segmentSeconds } from '../media/ladder.ts'
import { recordServed } from '../tracking/served/served.ts'
import { openBatchWriter, type LogEntry } from '../tracking/ingest/batch-writer.ts'
import { startPlay, type PlayClaims } from '../tracking/ingest/token.ts'
import { browserOf, linkScanner } from './browsers.ts'
import { addLedger, type Arrived, type PastTransmission, type SentTransmission } from './ledger.ts'
import type { ReadyVideo } from './videos.ts'
import { dice } from './plan.ts'
import { spanFlags } from '#contract/tracking/track-limits.ts'

const hour = 3_600_000
const day = 24 * hour
const segment = segmentSeconds * 1_000
/** Before, no record was kept of what was handed out. */
const recordedDays = 100

/** What happened in one sitting: what its page reported, and which media time the server handed out. */
export type Sat = { entries: LogEntry[]; handedOut: readonly (readonly [number, number])[] }

/**
 * One transmission of the past: its ledger, and the raw viewing evidence behind it, from which the aggregation makes every figure. Nothing
 * that a screen shows is written here directly.
 */
export async function addHistory(services: Services, past: PastTransmission): Promise<void> {
  const sent = await services.db.as({ organizationId: past.organizationId }, (tx) =>
    addLedger(services, tx, past),
  )
  const roll = dice(past.seed)
  const run = past.daysAgo < recordedDays ? randomUUIDv7() : undefined
  const sittings = sent.arrived.flatMap((delivery, number) =>
    viewingOf({ services, past, sent, delivery, number, run, roll }),
  )
  await keep(services, sittings)
}

/** Writes down what happened, as the server would have. */
export async function keep(services: Services, sittings: readonly Sat[]): Promise<void> {
  const writer = openBatchWriter(services.db.single)
  await Promise.all(sittings.flatMap(({ entries }) => entries.map((entry) => writer.append(entry))))
  await handOut(services, sittings)
}

/** What the server would have noted while these were watched. */
async function handOut(services: Services, sittings: readonly Sat[]): Promise<void> {
  const record = recordServed(services)
  for (const { entries, handedOut } of sittings) {
    const [first] = entries
    if (!first) continue
    const { org, video, version, session, viewerKey, durMs } = first.claims
    const at = first.receivedAt.getTime()
    for (const [start, end] of handedOut) {
      const part = [start - (start % segment), Math.min(durMs, Math.ceil(end / segment) * segment)] as const
      const whose = { organizationId: org, videoId: video, versionId: version, session, viewerKey }
      record.note({ ...whose, part, bytes: (part[1] - part[0]) * 30, at })
    }
  }
  await record.drain()
}

type Viewing = {
  services: Services
  past: PastTransmission
  sent: SentTransmission
  delivery: Arrived
  /** Among those who got the mail. */
  number: number
  run: string | undefined
  roll: () => number
}

/** How people watch, in shares that a training department would recognise. */
const habits: readonly { share: number; watch: (session: Watching) => void }[] = [
  { share: 0.62, watch: (session) => session.play(0, 1) },
  { share: 0.04, watch: (session) => lookAway(session) },
  { share: 0.04, watch: (session) => hurry(session) },
  { share: 0.12, watch: (session) => rewatch(session) },
  { share: 0.08, watch: (session) => skip(session) },
  { share: 0.06, watch: (session) => session.play(0, 0.15 + session.roll() * 0.6) },
  { share: 0.04, watch: (session) => session.play(0, 0.03 + session.roll() * 0.08) },
]

type Manner = { rate?: number; flags?: number }
type Watching = { roll: () => number; play(from: number, to: number, manner?: Manner): void }

/** Part of it plays behind another window. */
function lookAway(session: Watching): void {
  const leave = 0.3 + session.roll() * 0.2
  const back = leave + 0.1 + session.roll() * 0.3
  session.play(0, leave)
  session.play(leave, back, { flags: spanFlags.hidden })
  session.play(back, 1)
}

/** Faster than organizations allow. */
function hurry(session: Watching): void {
  const tired = 0.3 + session.roll() * 0.3
  session.play(0, tired)
  session.play(tired, 1, { rate: 300 })
}

function rewatch(session: Watching): void {
  const back = 0.2 + session.roll() * 0.4
  session.play(0, back + 0.2)
  session.play(back, 1)
}

function skip(session: Watching): void {
  const leave = 0.2 + session.roll() * 0.2
  session.play(0, leave)
  session.play(leave + 0.1 + session.roll() * 0.3, 1)
}

/** The spans of one sitting with a video of `durationMs`; wall time is what the rate implies, so that all of it earns credit. */
function sitting(durationMs: number, roll: () => number): Span[] {
  const spans: Span[] = []
  const usual = { rate: roll() < 0.8 ? 100 : 150, flags: roll() < 0.1 ? spanFlags.fullscreen : 0 }
  const session: Watching = {
    roll,
    play(from, to, manner) {
      const { rate, flags } = { ...usual, ...manner }
      const start = Math.round(from * durationMs)
      const end = Math.min(durationMs, Math.round(to * durationMs))
      spans.push([spans.length, start, end, Math.round(((end - start) * 100) / rate), rate, flags])
    },
  }
  let left = roll()
  const habit = habits.find(({ share }) => (left -= share) < 0) ?? habits[0]
  habit?.watch(session)
  return spans
}

/**
 * A sitting of which one report never arrived, and what it alone told is unknown: it was the second of three. Gives the sitting in
 * three spans.
 */
function inThree([first]: Span[]): [Span, Span, Span] | undefined {
  if (!first) return undefined
  const [, from, to, , rate, flags] = first
  const cut = [0, 0.3, 0.6, 1].map((share) => Math.round(from + share * (to - from)))
  const part = (i: number): Span => {
    const [start = from, end = to] = cut.slice(i, i + 2)
    return [i, start, end, Math.round(((end - start) * 100) / rate), rate, flags]
  }
  return [part(0), part(1), part(2)]
}

function viewingOf(viewing: Viewing): Sat[] {
  const { past, sent, delivery, number, roll } = viewing
  const scanned = number % 29 === 3 ? [openedByProgram(viewing)] : []
  if (roll() < (past.dueAfter === undefined ? 0.16 : 0.06)) return scanned
  const latest = Math.min(12 * day, past.daysAgo * day - hour)
  const opened = Math.round(sent.sentAt.getTime() + roll() ** 3 * latest + 5 * 60_000)
  // Now and then a page is opened and closed again.
  const spans = number % 19 === 6 ? [] : sitting(past.video.durationMs, roll)
  const claims = claimsOf(viewing, opened)
  const page = { claims, userAgent: browserOf(delivery.number, roll) }
  const parts = number % 17 === 8 ? inThree(spans) : undefined
  return [
    ...scanned,
    {
      entries: parts ? withoutOne(page, parts) : [report(page, { spans })],
      handedOut: partsOf(viewing, parts ?? spans),
    },
  ]
}

type Opened = {
  organizationId: string
  video: Pick<ReadyVideo, 'videoId' | 'versionId' | 'durationMs'>
  transmissionId: string
  delivery: Pick<Arrived, 'deliveryId' | 'userId'>
  run: string | undefined
  openedAt: number
}

function claimsOf({ services, past, sent, delivery, run }: Viewing, openedAt: number): PlayClaims {
  const { organizationId, video } = past
  const { transmissionId } = sent
  return play(services, { organizationId, video, transmissionId, delivery, run, openedAt })
}

function play(
  { keys }: Services,
  { organizationId, video, transmissionId, delivery, run, openedAt }: Opened,
): PlayClaims {
  const facts = {
    org: organizationId,
    video: video.videoId,
    version: video.versionId,
    durMs: video.durationMs,
    transmission: transmissionId,
    delivery: delivery.deliveryId,
    userId: delivery.userId,
    kind: 'recipient' as const,
    maxRate: 2,
    theta: 0.95,
    ...(run === undefined ? {} : { run }),
  }
  return startPlay(keys, facts, openedAt).claims
}

/** Somebody plays these stretches of it, one after the other, and the server hands them out. */
export function sat(services: Services, opened: Omit<Opened, 'run'>, { parts, userAgent }: Played): Sat {
  const isRecorded = opened.openedAt > Date.now() - recordedDays * day
  const claims = play(services, { ...opened, run: isRecorded ? randomUUIDv7() : undefined })
  const spans = parts.map(([start, end], i): Span => [i, start, end, end - start, 100, 0])
  return { entries: [report({ claims, userAgent }, { spans })], handedOut: isRecorded ? parts : [] }
}
type Played = { parts: readonly (readonly [number, number])[]; userAgent: string }

/** Whoever reports without having fetched anything is contradicted, where a record was kept; so is the half that was not fetched. */
function partsOf({ number, run }: Viewing, spans: readonly Span[]): Sat['handedOut'] {
  const played = spans.map(([, start, end]) => [start, end] as const)
  if (run === undefined) return number % 9 === 4 ? [] : played
  if (number % 41 === 11) return []
  if (number % 41 === 20) return played.map(([start, end]) => [start, (start + end) / 2])
  return played
}

type Page = { claims: PlayClaims; userAgent: string }
type Report = { spans: Span[]; batch?: number; before?: number; ended?: boolean }

const wallOf = (spans: readonly Span[]) => spans.reduce((sum, span) => sum + span[3], 0)

function report(
  { claims, userAgent }: Page,
  { spans, batch = 0, before = 0, ended = true }: Report,
): LogEntry {
  const wall = before + wallOf(spans)
  const impression = [0, 'impression', 400, 0, null]
  const play = [1, 'play', 900, spans[0]?.[1] ?? 0, null]
  return {
    receivedAt: new Date(claims.iat + wall + 1_500),
    claims,
    batch,
    elapsedMs: wall + 1_200,
    spans: JSON.stringify(spans),
    events: JSON.stringify(batch > 0 ? [] : spans.length > 0 ? [impression, play] : [impression]),
    state: JSON.stringify({ position: spans.at(-1)?.[2] ?? 0, visible: true }),
    ended,
    dropped: 0,
    capped: false,
    userAgent,
    network: '192.0.2',
  }
}

/** The second of three reports got lost. */
function withoutOne(page: Page, [first, second, third]: [Span, Span, Span]): LogEntry[] {
  return [
    report(page, { spans: [first], ended: false }),
    report(page, { spans: [third], batch: 2, before: wallOf([first, second]) }),
  ]
}

/** A filter opened the link before the mail was delivered. */
function openedByProgram(viewing: Viewing): Sat {
  const claims = claimsOf(viewing, viewing.sent.sentAt.getTime() + 20_000)
  return { entries: [report({ claims, userAgent: linkScanner }, { spans: [], ended: false })], handedOut: [] }
}
