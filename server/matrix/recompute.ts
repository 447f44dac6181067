import { readCount } from '../platform/db/rows.ts'
import { noteDirty } from '../platform/derived/keys.ts'
import type { PersonKey } from '../tracking/forget.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import type { DerivedFigure, DirtyKey, KeyScope } from '../platform/derived/keys.ts'
import { cellsBy, hasColumn, hasRow, signs } from './cells.ts'
import type { Whose } from '../duty/obliged.ts'

/**
 * Works out cells of the training matrix anew. A key names the person and the video of one cell; where it leaves out either, it means all
 * of them.
 */
export const trainingCells: DerivedFigure = {
  name: 'training',
  bySubject: false,
  lock: 'trainingCells',
  most: 10_000,
  collapses: true,
  restMs: 400,
  async recompute(tx, place, keys) {
    const wide = widest(keys)
    for (const videoId of wide) await recomputeAll(tx, place, videoId)
    if (!wide.includes(null)) await recomputeSome(tx, place, keys)
  },
}

/** Returns the videos for which everybody is looked at again; null among them means all videos. */
function widest(keys: readonly DirtyKey[]): (string | null)[] {
  const wide = keys.filter(({ person }) => person === null).map(({ subject }) => subject)
  return wide.includes(null) ? [null] : wide
}

const cell = sql.raw('organization_id, user_id, video_id, bits, late_at, waived_until, expires_at')

/**
 * Writes the cells of CTE `fresh`, and removes those of `present` (a table with their keys) that are not among them. They are found by
 * `except`, which never compares each with each, however few of either the planner expects. A trigger keeps what they were.
 */
function writing(present: SQL): SQL {
  return sql`written as (insert into training_cells as c (${cell}) select ${cell} from fresh
    on conflict (organization_id, user_id, video_id) do update
      set bits = excluded.bits, late_at = excluded.late_at, waived_until = excluded.waived_until, expires_at = excluded.expires_at,
        since = excluded.since
      where (c.bits, c.late_at, c.waived_until, c.expires_at)
        is distinct from (excluded.bits, excluded.late_at, excluded.waived_until, excluded.expires_at)),
    gone as (select organization_id, user_id, video_id from ${present} p
      except select organization_id, user_id, video_id from fresh)
  delete from training_cells c using gone g
    where c.organization_id = g.organization_id and c.user_id = g.user_id and c.video_id = g.video_id`
}

/**
 * Selects the cells whose people and videos are there. People and videos are put into hashes (`coalesce` has it so), because the planner
 * knows nothing of what was written a moment ago, and would go through all evidence again for each of the few people whom it expects.
 */
function fresh(cells: SQL, organizationId: SQL, people?: SQL): SQL {
  const whom = people ? sql`u.id = any(${people}) and ${hasRow}` : hasRow
  return sql`fresh as materialized (select ${cell} from (${cells}) f
    where coalesce(f.user_id in (select u.id from users u where u.organization_id = ${organizationId} and ${whom}), false)
      and coalesce(f.video_id in (select v.id from videos v where v.organization_id = ${organizationId} and ${hasColumn}), false))`
}

async function recomputeAll(tx: Tx, place: KeyScope, video: string | null): Promise<void> {
  const organizationId = sql`${place.organizationId}::uuid`
  const videoId = video === null ? undefined : sql`${video}::uuid`
  const whose = { organizationId, videoId }
  const where = all([sql`c.organization_id = ${organizationId}`, videoId && sql`c.video_id = ${videoId}`])
  const present = sql`(select c.* from training_cells c where ${where})`
  await tx.execute(sql`with ${fresh(cellsBy(signs(whose)), organizationId)}, ${writing(present)}`)
}

/**
 * Works out some cells, each looked up in its sources and among the cells. Without `offset 0`, 5,000 of 200,000 cells took 2.7 s of CPU
 * instead of 0.35 where the tables had no statistics yet, because the sources were read whole. In the same way a million cells were read
 * for a hundred keys, in 0.4 s.
 */
async function recomputeSome(tx: Tx, place: KeyScope, keys: readonly DirtyKey[]): Promise<void> {
  const named = keys.filter(({ person }) => person !== null)
  if (named.length === 0) return
  const organizationId = sql`${place.organizationId}::uuid`
  const people = arrayOf(
    named.map(({ person }) => person),
    'uuid',
  )
  const videos = arrayOf(
    named.map(({ subject }) => subject),
    'uuid',
  )
  const looked = (whose: Whose, which: SQL) =>
    signs(whose).map(
      (sign) => sql`select s.* from wanted m cross join lateral (${sign} offset 0) s where ${which}`,
    )
  const person = { organizationId, userId: sql`m.user_id` }
  const cells = cellsBy([
    ...looked({ ...person, videoId: sql`m.video_id` }, sql`m.video_id is not null`),
    ...looked(person, sql`m.video_id is null`),
  ])
  const present = sql`(select c.* from wanted m cross join lateral (select * from training_cells
    where organization_id = ${organizationId} and user_id = m.user_id and (video_id = m.video_id or m.video_id is null) offset 0) c)`
  await tx.execute(sql`with wanted as materialized (select * from unnest(${people}, ${videos}) w(user_id, video_id)),
    ${fresh(cells, organizationId, people)}, ${writing(present)}`)
}

/** Forgets where a person stood, now and before. What is still asked of them is worked out anew. */
export async function forgetCells(tx: Tx, { organizationId, userId }: PersonKey): Promise<void> {
  const theirs = sql`organization_id = ${organizationId} and user_id = ${userId}`
  // The first deletion adds rows to the second table, by a trigger that keeps the past.
  await tx.execute(sql`delete from training_cells where ${theirs}`)
  await tx.execute(sql`delete from past_training_cells where ${theirs}`)
  await noteDirty(tx, sql`values ('training', ${organizationId}::uuid, null, ${userId})`)
}

/** Deletes at most `most` cells of the past that had ended before a day (UTC), and returns how many were deleted. */
export function forgetPastCells(
  tx: Tx,
  organizationId: string,
  { before, most }: { before: string; most: number },
): Promise<number> {
  return readCount(
    tx,
    sql`with gone as (delete from past_training_cells p using (select organization_id, user_id, video_id, until from past_training_cells
          where organization_id = ${organizationId} and until < ${before}::timestamp at time zone 'UTC' limit ${most}) g
        where (p.organization_id, p.user_id, p.video_id, p.until) = (g.organization_id, g.user_id, g.video_id, g.until) returning 1)
      select count(*)::int as n from gone`,
  )
}

/** Reduces the cells that began before an instant (an expression) to what may be told where only completions are recorded. */
export const makePastDiscreet = (tx: Tx, organizationId: string, before: SQL) =>
  tx.execute(sql`update past_training_cells set bits = discreet_bits(bits)
    where organization_id = ${organizationId} and bits <> discreet_bits(bits) and since < ${before}`)
