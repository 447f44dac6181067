import * as z from 'zod/mini'
import { type Database, hasRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { lockVideo } from './video-lock.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import {
  aggregatePending,
  aggregateRows,
  writeResults,
  subtractSessions,
  type Aggregation,
  type Follow,
} from './aggregate.ts'
import { rowsOfSessions, sessionsOf } from './store.ts'
import { Id, readCount } from '../platform/db/rows.ts'

/**
 * A rebuild did this. `stored` counts sessions of which the raw log does not hold every report any more, so that what is stored of them
 * stayed. `differences` counts the rows, by table, that are not what they were before; there are none in an installation that works as it
 * should.
 */
export type Rebuilt = { sessions: number; stored: number; differences: { table: string; rows: number }[] }

const chunk = 500

const own = (videoId: string) => sql`t.video_id = ${videoId}`
const ofSessions = (videoId: string) =>
  sql`t.session_id in (select id from play_sessions where video_id = ${videoId})`
const ofDeliveries = (videoId: string) =>
  sql`(t.transmission_id, t.delivery_id) in (select transmission_id, delivery_id from play_sessions where video_id = ${videoId})`
const ofViewers = (videoId: string) =>
  sql`(t.version_id, t.viewer_key) in (select version_id, viewer_key from play_sessions where video_id = ${videoId})`

/** The aggregation writes these tables, and each has a condition for the rows that belong to a video. */
const facts: Record<string, (videoId: string) => SQL> = {
  play_sessions: own,
  play_spans: ofSessions,
  play_events: ofSessions,
}
/** Where sessions were deleted and their part of these sums kept, that part stays. */
const sums: Record<string, (videoId: string) => SQL> = {
  video_heat: own,
  video_heat_days: own,
  viewer_days: own,
  day_rollups: own,
  audience_days: own,
}
const results = { viewer_videos: ofViewers, delivery_viewing: ofDeliveries, ...sums }
const tables = Object.entries({ ...facts, ...results })

/**
 * Takes all results of one video away and computes them anew from the raw log. Completions stay: somebody who once completed has completed.
 * Sessions that the log no longer shows whole (its oldest days are deleted after a while) are not touched, and count with what is stored of
 * them. It is one transaction, so that nobody sees less in between; evidence that arrives meanwhile waits.
 */
export async function rebuild(aggregation: Aggregation, videoId: string): Promise<Rebuilt> {
  await removeUnknown(aggregation.db, videoId)
  return rebuildKnown(aggregation, videoId)
}

/** Rebuilds all videos, one after another. `tell` hears of each when it is done. */
export async function rebuildAll(
  aggregation: Aggregation,
  tell: (done: Rebuilt & { videoId: string; n: number; of: number }) => void,
): Promise<void> {
  const { db } = aggregation
  await removeUnknown(db, null)
  const found = await rows(
    db.single,
    Id,
    sql`select id from (select distinct video_id as id from play_sessions
      union select distinct video_id from track_batches where not folded) videos order by id`,
  )
  for (const [n, { id }] of found.entries())
    tell({ ...(await rebuildKnown(aggregation, id)), videoId: id, n: n + 1, of: found.length })
}

/** Marks batches of the log as waiting again whose sessions are stored nowhere. */
async function removeUnknown(db: Database, videoId: string | null): Promise<void> {
  await db.as('system', async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await tx.execute(sql`update track_batches t set folded = false where folded and ${videoId === null ? sql`true` : own(videoId)}
      and not exists (select from play_sessions p where p.id = t.session_id)`)
  })
}

async function rebuildKnown({ db, follow }: Aggregation, videoId: string): Promise<Rebuilt> {
  return db.as('system', async (tx) => {
    // What is put back did not happen once more: no event tells of it.
    await tx.execute(
      sql`select set_config('statement_timeout', '0', true), set_config('app.silent', 'on', true)`,
    )
    await lockVideo(tx, videoId)
    for (const [table, belongs] of tables)
      await tx.execute(
        sql`create temp table ${was(table)} on commit drop as select t.* from ${sql.raw(table)} t where ${belongs(videoId)}`,
      )
    const counted = await listSessions(tx, videoId)
    await takeAway(tx, videoId)
    await countKept(tx, videoId, follow)
    for (let from = 0; from < counted.whole; from += chunk)
      await aggregateAgain(tx, { videoId, from, follow })
    while ((await aggregatePending(tx, videoId, follow)) > 0);
    await putBack(tx)
    const differences = await compare(tx, videoId)
    for (const name of [...tables.map(([table]) => was(table)), sql`rebuilding`])
      await tx.execute(sql`drop table ${name}`)
    return { sessions: counted.whole, stored: counted.stored, differences }
  })
}

const was = (table: string) => sql.raw(`was_${table}`)

const RecordCounts = z.object({ whole: z.number(), stored: z.number() })

/** Lists the sessions that can be computed anew, numbered by age. These are the ones whose every batch the log still has. */
async function listSessions(tx: Tx, videoId: string): Promise<{ whole: number; stored: number }> {
  await tx.execute(sql`create temp table rebuilding on commit drop as
    select id, viewer_key, whole, started_at, last_at, row_number() over (partition by whole order by started_at, id) - 1 as n
    from (select p.id, p.viewer_key, p.started_at, p.last_at, p.batches <@ coalesce(l.batches, '{}') as whole
      from play_sessions p, lateral (select range_agg(int4range(b.batch::int, b.batch::int + 1)) as batches from track_batches b
        where b.session_id = p.id and b.received_at between p.started_at - interval '1 hour' and p.last_at) l
      where p.video_id = ${videoId}) found`)
  const counted = await row(
    tx,
    RecordCounts,
    sql`select count(*) filter (where whole)::int as whole, count(*) filter (where not whole)::int as stored from rebuilding`,
  )
  return counted ?? { whole: 0, stored: 0 }
}

async function takeAway(tx: Tx, videoId: string): Promise<void> {
  const forgotten = await hasRow(tx, sql`select 1 from forgotten_viewing where video_id = ${videoId}`)
  if (forgotten) await takeBack(tx, videoId)
  for (const [table, belongs] of Object.entries(results))
    if (!forgotten || !(table in sums))
      await tx.execute(sql`delete from ${sql.raw(table)} t where ${belongs(videoId)}`)
  const again = sql`(select id from rebuilding where whole)`
  await tx.execute(sql`delete from play_spans where session_id in ${again}`)
  await tx.execute(sql`delete from play_events where session_id in ${again}`)
  await tx.execute(sql`delete from play_sessions where id in ${again}`)
}

const KeyRow = z.object({ key: z.string() })

/** Takes everything that is stored out of the sums. What is left belongs to sessions that nobody knows any more. */
async function takeBack(tx: Tx, videoId: string): Promise<void> {
  const found = await rows(tx, KeyRow, sql`select distinct viewer_key as key from rebuilding`)
  for (let from = 0; from < found.length; from += chunk) {
    const viewerKeys = found.slice(from, from + chunk).map(({ key }) => key)
    await subtractSessions(tx, await sessionsOf(tx, videoId, viewerKeys))
  }
}

/** Adds the sessions that stay as they are to the sums again, with what is stored of them. */
async function countKept(tx: Tx, videoId: string, follow: Follow): Promise<void> {
  const found = await rows(tx, KeyRow, sql`select distinct viewer_key as key from rebuilding where not whole`)
  for (let from = 0; from < found.length; from += chunk) {
    const viewerKeys = found.slice(from, from + chunk).map(({ key }) => key)
    const stored = await sessionsOf(tx, videoId, viewerKeys)
    const sessions = new Map(stored.map((session) => [session.id, session]))
    await writeResults(tx, { videoId, sessions, log: [], entering: new Set(sessions.keys()), follow })
  }
}

const AggregateAgainRow = z.object({ id: z.string(), since: z.string(), until: z.string() })

type Again = { videoId: string; from: number; follow: Follow }

async function aggregateAgain(tx: Tx, { videoId, from, follow }: Again): Promise<void> {
  const found = await rows(
    tx,
    AggregateAgainRow,
    sql`select id, (min(started_at) over () - interval '1 hour')::text as since, (max(last_at) over ())::text as until
      from rebuilding where whole and n >= ${from} and n < ${from + chunk}`,
  )
  const [first] = found
  if (!first) return
  const ids = found.map(({ id }) => id)
  await aggregateRows(tx, { videoId, log: await rowsOfSessions(tx, ids, first), follow })
}

/** Puts completions back, because completion is sticky, even where the log that showed it is no longer kept. */
async function putBack(tx: Tx): Promise<void> {
  await tx.execute(sql`
    insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, first_at, last_at, covered_at, completed_at)
    select version_id, viewer_key, organization_id, video_id, user_id, first_at, last_at, covered_at, completed_at
    from was_viewer_videos where covered_at is not null on conflict do nothing`)
  await tx.execute(sql`
    insert into delivery_viewing (transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, covered_at, completed_at)
    select transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, covered_at, completed_at
    from was_delivery_viewing where covered_at is not null on conflict do nothing`)
  await tx.execute(sql`
    update viewer_videos v set covered_at = least(v.covered_at, w.covered_at), completed_at = least(v.completed_at, w.completed_at)
    from was_viewer_videos w where v.version_id = w.version_id and v.viewer_key = w.viewer_key
      and (w.covered_at < coalesce(v.covered_at, 'infinity') or w.completed_at < coalesce(v.completed_at, 'infinity'))`)
  await tx.execute(sql`
    update delivery_viewing d set covered_at = least(d.covered_at, w.covered_at), completed_at = least(d.completed_at, w.completed_at),
      opened_at = least(d.opened_at, w.opened_at), first_play_at = least(d.first_play_at, w.first_play_at)
    from was_delivery_viewing w where d.transmission_id = w.transmission_id and d.delivery_id = w.delivery_id
      and (w.covered_at < coalesce(d.covered_at, 'infinity') or w.completed_at < coalesce(d.completed_at, 'infinity')
        or w.opened_at < coalesce(d.opened_at, 'infinity') or w.first_play_at < coalesce(d.first_play_at, 'infinity'))`)
}

async function compare(tx: Tx, videoId: string): Promise<Rebuilt['differences']> {
  const differences: Rebuilt['differences'] = []
  for (const [table, belongs] of tables) {
    const now = sql`select t.* from ${sql.raw(table)} t where ${belongs(videoId)}`
    const found = await readCount(
      tx,
      sql`select count(*)::int as n from ((${now} except select * from ${was(table)})
        union all (select * from ${was(table)} except ${now})) changed`,
    )
    if (found > 0) differences.push({ table, rows: found })
  }
  return differences
}
