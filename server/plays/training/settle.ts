import { row, type Database, type Tx } from '../../db/client.ts'
import { sql, type SQL } from '../../db/drizzle.ts'
import { lock, tryLock } from '../../db/locks.ts'
import { counting, ofAll, ofMarked, weight } from './sums.ts'

/** Cells in one transaction, about. */
const chunk = 10_000

/**
 * Brings the cells of the training matrix and their sums up to date with everything that has been marked; another process that does
 * so already is left to it.
 */
export async function settleTraining(db: Database): Promise<void> {
  const waiting = await db.system.query('select 1 from training_marks limit 1')
  if (waiting.rows.length === 0) return
  while (await db.as('system', settleSome));
}

/**
 * Whether there may be more. The statement sees no change whose mark it does not see, and the other way round. What is looked up one
 * by one is written so; everything else must not be, however few rows the planner expects. Nobody waits for it, so it takes the time
 * that a large organization needs.
 */
async function settleSome(tx: Tx): Promise<boolean> {
  const held = await row<{ mine: boolean }>(
    tx,
    sql`select ${tryLock('trainingSums')} as mine, set_config('work_mem', '32MB', true),
      set_config('enable_nestloop', 'off', true), set_config('statement_timeout', '0', true)`,
  )
  if (held?.mine !== true) return false
  const wide = await row<Wide>(tx, mostAtOnce)
  if (wide) {
    await count(tx, ofWide(wide))
    return true
  }
  // A video is looked up for each cell, also where there are few.
  await tx.execute(sql`set local enable_seqscan = off`)
  const first = sql`select ctid from (select ctid, sum(${weight}) over (order by ctid) - ${weight} as before from training_marks where user_ids is not null) m
    where before < ${sql.raw(String(chunk))}`
  return count(tx, sql`${taken(sql`ctid = any(array(${first}))`)}, ${ofMarked(sql`gone`)}`)
}

type Wide = { organizationId: string; videoId: string | null }

/**
 * A whole organization or video, if one is marked; or an organization of which so much is marked that counting all of it is quicker: a
 * cell among all costs a third of what a single one costs.
 */
const mostAtOnce = sql`select organization_id as "organizationId", video_id as "videoId" from (
    select organization_id, video_id, 0 as nth from training_marks where user_ids is null
    union all select organization_id, null, 1 from training_marks m where user_ids is not null group by organization_id
      having sum(${weight}) > ${sql.raw(String(chunk))} and sum(${weight}) * 2 >
        (select coalesce(sum(n), 0) from training_by_video s where s.organization_id = m.organization_id)) found
  order by nth, video_id nulls first limit 1`

const taken = (which: SQL) =>
  sql`gone as materialized (delete from training_marks where ${which} returning *)`

/** Together with a whole organization, or a video of it, whatever else waits of them is counted. */
function ofWide({ organizationId, videoId }: Wide): SQL {
  const organization = sql`${organizationId}::uuid`
  const video = videoId === null ? undefined : sql`${videoId}::uuid`
  const covered = sql`organization_id = ${organization} ${video ? sql`and video_id = ${video}` : sql``}`
  return sql`${taken(covered)}, ${ofAll({ organizationId: organization, videoId: video })}`
}

/** Whether as much was taken as is taken at once. */
async function count(tx: Tx, given: SQL): Promise<boolean> {
  const done = await row<{ n: number; byPerson: string; byVideo: string }>(
    tx,
    sql`with ${given}, ${counting}, (select coalesce(sum(${weight}), 0)::int from gone) as n`,
  )
  if (!done) return false
  const emptied = { training_by_person: done.byPerson, training_by_video: done.byVideo }
  for (const [table, at] of Object.entries(emptied))
    if (at !== '{}') await tx.execute(sql`delete from ${sql.raw(table)} where ctid = any(${at}::tid[])`)
  return done.n >= chunk
}

/** Counts everything anew. Until that is done, whoever asks computes it from the evidence. */
export async function recountTraining(db: Database): Promise<void> {
  await db.as('system', async (tx) => {
    await row(tx, sql`select ${lock('trainingSums')}, set_config('statement_timeout', '0', true)`)
    for (const table of ['training_cells', 'training_by_person', 'training_by_video', 'training_marks'])
      await tx.execute(sql`delete from ${sql.raw(table)}`)
    await tx.execute(sql`insert into training_marks (organization_id) select id from organizations`)
  })
  await settleTraining(db)
}
