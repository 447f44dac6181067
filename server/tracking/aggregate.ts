import * as z from 'zod/mini'
import {
  allTogether,
  hasRow,
  row,
  rows,
  together,
  type Database,
  type Tx,
} from '#server/platform/db/client.ts'
import { eachApart, halving, isFree, setAside, tryDue } from '#server/platform/aside.ts'
import { toTheEnd } from '#server/platform/failures.ts'
import type { Services } from '#server/platform/http/services.ts'
import { startLoop, type Loop } from '#server/platform/loop.ts'
import { recordCompletions } from '#server/tracking/completion.ts'
import { noteConsents } from '#server/tracking/consents.ts'
import { lockVideo, videoLocked } from '#server/tracking/video-lock.ts'
import { Locked } from '#server/platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { markVouched } from './served/doubt.ts'
import { mergeEvents, writeEvents } from './ingest/events.ts'
import { mergeRows } from './merge.ts'
import type { LogRow, StoredSession } from './stored-session.ts'
import { foundedOn } from './records.ts'
import {
  creditAll,
  removeViewers,
  writeDeliveries,
  writeViewers,
  type Founded,
  type Least,
} from './results.ts'
import {
  markAggregated,
  pendingRows,
  pendingKeys,
  rowsOfLog,
  sessionsOf,
  writeSessions,
  writeSpans,
  type LogKey,
  type PendingRow,
} from './store.ts'
import { counts, isSame, writeSums, type SessionChange } from './sums.ts'

const chunk = 5_000

/** The transaction that has counted the viewing of one video tells this to those who depend on it. */
export type Viewed = {
  videoId: string
  /** These viewers are covered up to the threshold. */
  covered: readonly string[]
  founded: Founded[]
  least: Least
}

/** Does what follows from viewing, in the same transaction; a room above this one hands it in. */
export type Follow = (tx: Tx, viewed: Viewed) => Promise<void>

export type Aggregation = { db: Database; follow: Follow }

/** Aggregates everything that waits in the raw log, and returns the number of batches. */
export async function aggregateOnce(aggregation: Aggregation): Promise<number> {
  const aggregated = await aggregateLog(aggregation, '-infinity')
  await checkEvidence(aggregation)
  return aggregated
}

const WaitingVideo = z.object({ videoId: z.string(), since: z.string() })
type WaitingVideo = z.infer<typeof WaitingVideo>

/**
 * Aggregates what waits in the raw log since an instant, and returns the number of batches. Videos that another process aggregates are left
 * to it.
 */
export async function aggregateLog(aggregation: Aggregation, since: Date | '-infinity'): Promise<number> {
  const { db } = aggregation
  // Without an instant the condition is left out, so that the planner knows which days of the log it need not open.
  const lately = since === '-infinity' ? sql`` : sql`and received_at >= ${since}`
  const waiting = await rows(
    db.single,
    WaitingVideo,
    sql`select video_id as "videoId", min(received_at)::text as since from track_batches
      where not folded ${lately} and ${isFree('evidence', sql`video_id::text`)} group by 1 limit 500`,
  )
  let aggregated = 0
  await toTheEnd([
    () =>
      eachApart(
        { db, loop: 'evidence', nameOf: videoNamed },
        waiting,
        async ({ videoId, since: first }, hasFailed) => {
          const aggregate = hasFailed ? aggregateInParts : aggregateChunk
          let pending: readonly LogKey[] = []
          do {
            pending = await aggregate(aggregation, videoId, pending.at(-1)?.at ?? first)
            aggregated += pending.length
          } while (pending.length === chunk)
        },
      ),
    () => tryAsideAgain(aggregation),
  ])
  return aggregated
}

const videoNamed = ({ videoId }: Pick<WaitingVideo, 'videoId'>) => ({ item: videoId })

/**
 * Aggregates a chunk in one transaction: the merge, the results and the mark in the log stand or fall together, so it may stop anywhere.
 */
function aggregateChunk({ db, follow }: Aggregation, videoId: string, since: string): Promise<PendingRow[]> {
  return db.as('system', async (tx) => {
    const [lock, pending] = await together(
      row(tx, Locked, sql`select ${videoLocked(videoId)} as mine, set_config('work_mem', '32MB', true)`),
      pendingRows(tx, videoId, { since, limit: chunk }),
    )
    if (lock?.mine !== true) return []
    await aggregateAndMark(tx, { videoId, pending, follow })
    return pending
  })
}

/** Aggregates batches that have failed together. A batch that fails by itself is set aside, and everything else is aggregated. */
async function aggregateInParts(
  { db, follow }: Aggregation,
  videoId: string,
  since: string,
): Promise<LogKey[]> {
  const pending = await db.as('system', (tx) => pendingKeys(tx, videoId, { since, limit: chunk }))
  const held = (work: (tx: Tx) => Promise<unknown>) =>
    db.as('system', async (tx) => {
      await lockVideo(tx, videoId)
      await work(tx)
    })
  await halving(pending, {
    work: (some) =>
      held(async (tx) => {
        await aggregateRows(tx, { videoId, log: await rowsOfLog(tx, some), follow })
        await markAggregated(tx, videoId, some)
      }),
    blame: (one, error) => held((tx) => blameBatch(tx, { videoId, ...one }, error)),
  })
  return pending
}

const BatchAside = z.object({ videoId: z.string(), id: z.string(), at: z.string() })

/** Sets a batch aside. It counts as aggregated in the same transaction, and stays in the log. */
async function blameBatch(tx: Tx, batch: z.infer<typeof BatchAside>, error: unknown): Promise<void> {
  const { videoId, id } = batch
  await markAggregated(tx, videoId, [batch])
  await setAside(tx, { loop: 'evidence', item: `${videoId} ${id}`, input: JSON.stringify(batch) }, error)
}

async function tryAsideAgain({ db, follow }: Aggregation): Promise<void> {
  await tryDue(db, { loop: 'evidence' }, ({ input }) => {
    const { videoId, ...key } = BatchAside.parse(JSON.parse(input))
    return db.as('system', async (tx) => {
      await lockVideo(tx, videoId)
      await aggregateRows(tx, { videoId, log: await rowsOfLog(tx, [key]), follow })
    })
  })
}

/** Aggregates the next batches of a video whose lock is held, and returns their number. */
export async function aggregatePending(tx: Tx, videoId: string, follow: Follow): Promise<number> {
  const pending = await pendingRows(tx, videoId, { since: '-infinity', limit: chunk })
  await aggregateAndMark(tx, { videoId, pending, follow })
  return pending.length
}

type Pending = { videoId: string; pending: PendingRow[]; follow: Follow }

async function aggregateAndMark(tx: Tx, { videoId, pending, follow }: Pending): Promise<void> {
  if (pending.length > 0)
    await together(aggregateRows(tx, { videoId, log: pending, follow }), markAggregated(tx, videoId, pending))
}

type Batches = { videoId: string; log: LogRow[]; follow: Follow }

/** Brings all results of one video from what they are to what they are with these batches as well. */
export async function aggregateRows(tx: Tx, { videoId, log, follow }: Batches): Promise<void> {
  const viewers = new Set(log.map(({ claims }) => claims.viewerKey))
  const known = await sessionsOf(tx, videoId, [...viewers])
  const sessions = new Map(known.map((session) => [session.id, session]))
  mergeRows(sessions, log)
  await markVouched(tx, sessions.values())
  await writeResults(tx, { videoId, sessions, log, follow })
  await noteConsents(tx, log)
}

/** One transaction looks at this number of viewers again. */
const checked = 500

const CheckEvidenceRow = z.object({ videoId: z.string(), keys: z.array(z.string()) })

/**
 * Looks again at viewers whose record had not caught up, the last heard of first. Their completion is given now, or their time is
 * contradicted for good.
 */
async function checkEvidence({ db, follow }: Aggregation): Promise<void> {
  const again = (videoId: string, viewerKeys: string[]) =>
    db.as('system', (tx) => lookAgain(tx, { videoId, viewerKeys, follow }))
  const waiting = await rows(
    db.single,
    CheckEvidenceRow,
    sql`select video_id as "videoId", array_agg(distinct viewer_key) as keys from (select video_id, viewer_key from viewer_videos
      where evidence = 'checking' order by last_at desc limit ${checked}) w group by 1`,
  )
  const ofVideo = { db, loop: 'evidence_checks', nameOf: videoNamed } as const
  await eachApart(ofVideo, waiting, async ({ videoId, keys }, hasFailed) => {
    if (!hasFailed) return again(videoId, keys)
    const nameOf = (key: string) => ({ item: `${videoId} ${key}` })
    const ofViewer = { db, loop: 'evidence_checks', nameOf } as const
    return eachApart(ofViewer, keys, (key) => again(videoId, [key]))
  })
}

/** Locks the results of the video, so that no other process writes them until the transaction ends. Returns false while one does. */
export function holdVideo(tx: Tx, videoId: string): Promise<boolean> {
  return hasRow(tx, sql`select 1 where ${videoLocked(videoId)}`)
}

/**
 * Works out once more what the sessions of these viewers are worth. Returns false while another process writes the results of the video.
 */
export async function lookAgain(
  tx: Tx,
  { videoId, viewerKeys, follow }: { videoId: string; viewerKeys: string[]; follow: Follow },
): Promise<boolean> {
  if (!(await holdVideo(tx, videoId))) return false
  const known = await sessionsOf(tx, videoId, viewerKeys)
  await writeResults(tx, { videoId, sessions: new Map(known.map((one) => [one.id, one])), log: [], follow })
  return true
}

type ResultsOf = {
  videoId: string
  /** Reads everything that the viewers concerned have had with the video. */
  sessions: Map<string, StoredSession>
  log: LogRow[]
  /** These sessions are stored and stand in none of the sums. */
  entering?: ReadonlySet<string>
  follow: Follow
}

const none: ReadonlySet<string> = new Set()

/** Judges the sessions and brings everything that follows from them up to date. */
export async function writeResults(
  tx: Tx,
  { videoId, sessions, log, entering = none, follow }: ResultsOf,
): Promise<void> {
  const credited = creditAll([...sessions.values()], entering)
  const turned = credited.filter(({ before, after }) => before !== null && counts(before) !== counts(after))
  const whole = [...entering, ...turned.map(({ session }) => session.id)]
  const events = await mergeEvents(tx, sessions, { log, whole })
  const { founded, least } = await foundedOn(tx, credited)
  const changed = credited.filter((one) => one.session.touched || !isSame(one))
  const spans = changed.map(({ session, credit }) => ({ session, refused: credit.refused }))
  // A viewer's coverage is that of all their sessions, so those that have not changed are among them.
  const [covered] = await together(
    writeViewers(tx, founded, least),
    allTogether([
      removeViewers(tx, credited),
      writeSessions(tx, changed),
      writeSpans(tx, spans),
      writeEvents(tx, events),
      writeSums(tx, credited, events),
      writeDeliveries(tx, founded, least),
    ]),
  )
  if (covered.length > 0) await recordCompletions(tx, { videoId, viewerKeys: covered })
  await follow(tx, { videoId, covered, founded, least })
}

/**
 * Takes everything back that these viewers have added to the results of one video, and their sessions with it. The sums stay right. The
 * caller has to delete what the raw log keeps of them, or the next rebuild brings it back.
 */
export async function forgetViewers(tx: Tx, videoId: string, viewerKeys: string[]): Promise<void> {
  await lockVideo(tx, videoId)
  const known = await sessionsOf(tx, videoId, viewerKeys)
  const changes = await subtractSessions(tx, known)
  await removeViewers(tx, changes)
  const ids = sql`any(${sql.param(known.map(({ id }) => id))}::uuid[])`
  for (const table of ['play_spans', 'play_events', 'viewing_decisions'])
    await tx.execute(sql`delete from ${sql.raw(table)} where session_id = ${ids}`)
  await tx.execute(sql`delete from play_sessions where id = ${ids}`)
}

/** Takes these sessions, which are all that their viewers have had with one video, out of the sums. */
export async function subtractSessions(tx: Tx, known: readonly StoredSession[]): Promise<SessionChange[]> {
  const sessions = new Map(known.map((session) => [session.id, session]))
  const events = await mergeEvents(tx, sessions, { log: [], whole: [...sessions.keys()] })
  const changes = known.map((session) => ({ session, before: session.stored, after: null }))
  await writeSums(tx, changes, events)
  return changes
}

const hour = 3_600_000
/** Newer reports are looked for all the time, and all of them only now and then, because hardly any waits that long. */
const lately = 48 * hour
const wholeEvery = hour / 6

const [busyMs, idleMs] = [200, 700]
const checkPauseMs = 400

/** Aggregates for as long as the process runs. Results follow evidence within a second. */
export function startAggregation({ db, log }: Services, follow: Follow): Pick<Loop, 'stop'> {
  const aggregation = { db, follow }
  let wholeAt = 0
  const aggregating = startLoop(
    { log, failure: 'viewing evidence could not be aggregated; it will be tried again' },
    async () => {
      const now = Date.now()
      const since = now < wholeAt ? new Date(now - lately) : '-infinity'
      if (since === '-infinity') wholeAt = now + wholeEvery
      return (await aggregateLog(aggregation, since)) > 0 ? busyMs : idleMs
    },
  )
  const checking = startLoop(
    { log, failure: 'evidence that waits for its record could not be looked at; it will be tried again' },
    async () => {
      const began = performance.now()
      await checkEvidence(aggregation)
      return Math.max(checkPauseMs, performance.now() - began)
    },
  )
  return { stop: async () => void (await Promise.all([aggregating.stop(), checking.stop()])) }
}
