import { row, rows, type Database, type Tx } from '#server/db/client.ts'
import type { Services } from '#server/http/services.ts'
import { sql } from '../db/drizzle.ts'
import { settleCompletions } from '#server/plays/completion.ts'
import { mergeRows } from './merge.ts'
import {
  addToDays,
  creditAll,
  writeDeliveries,
  writeRefusals,
  writeSessions,
  writeViewers,
} from './results.ts'
import { markFolded, mergeSessions, mergeSpans, pendingRows, recordset, sessionsOf } from './store.ts'

const chunk = 1_000
/** First half of the advisory lock's key; the second is the video. */
const lockClass = 41

/** Folds everything that waits in the raw log; gives the number of batches. Videos that another process folds are left to it. */
export async function foldOnce(db: Database): Promise<number> {
  const waiting = await db.system.query<{ video_id: string }>({
    name: 'track_batches_waiting',
    text: 'select video_id from track_batches where not folded group by 1 limit 500',
  })
  let folded = 0
  for (const { video_id: videoId } of waiting.rows) {
    let n = chunk
    while (n === chunk) {
      n = await db.as('system', (tx) => foldChunk(tx, videoId))
      folded += n
    }
  }
  return folded
}

/** One transaction: the merge, the results and the mark in the log stand or fall together, so it may stop anywhere. */
async function foldChunk(tx: Tx, videoId: string): Promise<number> {
  const lock = await row<{ mine: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${lockClass}, hashtext(${videoId})) as mine`,
  )
  return lock?.mine === true ? foldPending(tx, videoId) : 0
}

async function foldPending(tx: Tx, videoId: string): Promise<number> {
  const pending = await pendingRows(tx, videoId, chunk)
  if (pending.length === 0) return 0
  const patches = mergeRows(pending)
  await mergeSessions(tx, patches)
  await mergeSpans(tx, patches)
  const viewers = new Set([...patches.values()].map(({ claims }) => claims.viewerKey))
  const credited = creditAll(await sessionsOf(tx, videoId, [...viewers]))
  await writeRefusals(tx, credited)
  await addToDays(tx, credited)
  await writeSessions(tx, credited)
  await writeViewers(tx, credited)
  await writeDeliveries(tx, credited)
  await settleCompletions(tx, { videoId, viewerKeys: [...viewers] })
  await markFolded(tx, pending)
  return pending.length
}

/** Folds for as long as the process runs: results follow evidence within a second. Gives the function that stops it. */
export function startFold(services: Services): () => Promise<void> {
  const [busyMs, idleMs] = [200, 700]
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  async function turn(): Promise<void> {
    const folded = await foldOnce(services.db).catch((error: unknown) => {
      services.log.error({ err: error }, 'viewing evidence could not be folded; it will be tried again')
      return 0
    })
    if (!stopped) timer = setTimeout(again, folded > 0 ? busyMs : idleMs)
  }

  function again(): void {
    running = turn()
  }

  again()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}

/**
 * Computes everything about a video anew from the raw log. Completions stay: somebody who once completed has completed, even
 * where the log that showed it is no longer kept.
 */
export async function rebuild(db: Database, videoId: string): Promise<void> {
  await db.as('system', async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${lockClass}, hashtext(${videoId}))`)
    const completed = await takeAway(tx, videoId)
    await tx.execute(sql`update track_batches set folded = false where video_id = ${videoId} and folded`)
    while ((await foldPending(tx, videoId)) > 0);
    await putBack(tx, completed)
  })
}

type Completions = { viewers: object[]; deliveries: object[] }

async function takeAway(tx: Tx, videoId: string): Promise<Completions> {
  const own = sql`select id from play_sessions where video_id = ${videoId}`
  const deliveries = await rows<object>(
    tx,
    sql`delete from delivery_viewing d using (select distinct transmission_id, delivery_id from play_sessions
        where video_id = ${videoId} and delivery_id is not null) s
      where d.transmission_id = s.transmission_id and d.delivery_id = s.delivery_id
      returning d.transmission_id, d.delivery_id, d.covered_at, d.completed_at`,
  )
  const viewers = await rows<object>(
    tx,
    sql`delete from viewer_videos where video_id = ${videoId} returning version_id, viewer_key, covered_at, completed_at`,
  )
  await tx.execute(sql`delete from play_spans where session_id in (${own})`)
  await tx.execute(sql`delete from play_sessions where video_id = ${videoId}`)
  await tx.execute(sql`delete from day_rollups where video_id = ${videoId}`)
  return { viewers, deliveries }
}

async function putBack(tx: Tx, { viewers, deliveries }: Completions): Promise<void> {
  await tx.execute(sql`
    update viewer_videos v set covered_at = least(v.covered_at, g.covered_at), completed_at = least(v.completed_at, g.completed_at)
    from ${recordset(viewers)} as g(version_id uuid, viewer_key text, covered_at timestamptz, completed_at timestamptz)
    where v.version_id = g.version_id and v.viewer_key = g.viewer_key`)
  await tx.execute(sql`
    update delivery_viewing d set covered_at = least(d.covered_at, g.covered_at), completed_at = least(d.completed_at, g.completed_at)
    from ${recordset(deliveries)} as g(transmission_id uuid, delivery_id uuid, covered_at timestamptz, completed_at timestamptz)
    where d.transmission_id = g.transmission_id and d.delivery_id = g.delivery_id`)
}
