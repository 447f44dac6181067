import * as z from 'zod/mini'
import { ErasureCounts } from '#contract/privacy.ts'
import { eachApart, isFree } from '#server/platform/aside.ts'
import { arrayOf, type Database, hasRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { lock } from '#server/platform/db/locks.ts'
import { audit } from '#server/platform/http/audit.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { forgetViewers } from '../../tracking/aggregate.ts'
import { viewerKeysOf } from '../../tracking/token.ts'
import { Id } from '#server/platform/db/rows.ts'

export type Erasing = { organizationId: string; userId: string }

const isTheirs = (userId: string) => sql`viewer_key = any(${arrayOf(viewerKeysOf(userId), 'text')})`

/** What there is of a person, in rows. */
export async function countEvidence(tx: Tx, { organizationId, userId }: Erasing): Promise<ErasureCounts> {
  const mine = sql`organization_id = ${organizationId} and ${isTheirs(userId)}`
  const found = await row(
    tx,
    ErasureCounts,
    sql`with own as materialized (select id, started_at from play_sessions where organization_id = ${organizationId} and ${isTheirs(userId)})
      select (select count(distinct video_id)::int from viewer_videos where ${mine}) as videos,
        (select count(*)::int from own) as sessions,
        (select count(*)::int from play_spans where session_id in (select id from own)) as spans,
        (select count(*)::int from play_events where session_id in (select id from own)) as events,
        (select count(*)::int from track_batches where session_id in (select id from own)) as batches,
        (select count(*)::int from quiz_attempts where ${mine}) as attempts,
        (select count(*)::int from certificates where organization_id = ${organizationId} and user_id = ${userId}
          and body is not null) as certificates,
        (select count(*)::int from consents where ${mine}) as consents`,
  )
  if (!found) throw new Error('counting gives a row')
  return found
}

/**
 * Deletes all viewing evidence of a person, and takes their part out of every total: what is left equals what the remaining
 * evidence gives. What they watch from now on is recorded anew. Links of certificates stay in their chain, without their text.
 */
export async function erasePerson(tx: Tx, erasing: Erasing): Promise<ErasureCounts> {
  const { organizationId, userId } = erasing
  // Nobody works out cells meanwhile: they would be those of before, and kept as such.
  await tx.execute(sql`select ${lock('trainingCells', organizationId)}`)
  const counts = await countEvidence(tx, erasing)
  const keys = viewerKeysOf(userId)
  const mine = sql`organization_id = ${organizationId} and ${isTheirs(userId)}`
  // In one order, so that of two who erase at once none waits for the other in a circle.
  const videos = await rows(
    tx,
    Id,
    sql`select id from (select video_id as id from play_sessions where ${mine}
      union select video_id from track_batches where not folded and organization_id = ${organizationId}
        and claims->>'viewerKey' = any(${arrayOf(keys, 'text')})) videos order by id`,
  )
  for (const { id } of videos) {
    await deleteRaw(tx, id, erasing)
    await forgetViewers(tx, id, keys)
  }
  for (const statement of leftovers(erasing, mine)) await tx.execute(statement)
  return counts
}

/** A session reports for a day at most, so that the log needs to be looked through for those days only. */
async function deleteRaw(tx: Tx, videoId: string, { organizationId, userId }: Erasing): Promise<void> {
  const own = sql`select id from play_sessions where video_id = ${videoId} and ${isTheirs(userId)}`
  await tx.execute(sql`delete from served_parts where session_id in (${own})`)
  await tx.execute(
    sql`delete from track_batches b using (select id, started_at from play_sessions
        where video_id = ${videoId} and ${isTheirs(userId)}) s
      where b.session_id = s.id and b.received_at >= s.started_at - interval '1 hour' and b.received_at < s.started_at + interval '25 hours'`,
  )
  await tx.execute(
    sql`delete from track_batches where video_id = ${videoId} and not folded and organization_id = ${organizationId}
      and claims->>'viewerKey' = any(${arrayOf(viewerKeysOf(userId), 'text')})`,
  )
}

/** What stands by itself: completions whose sessions went long ago, opened messages, answers, certificates, consents. */
function leftovers({ organizationId, userId }: Erasing, mine: SQL): SQL[] {
  return [
    // Parts handed out to a player that never reported have no session.
    sql`delete from served_parts where ${mine}`,
    sql`delete from viewer_videos where ${mine}`,
    sql`delete from viewer_days where ${mine}`,
    sql`delete from delivery_viewing w using deliveries d where d.organization_id = ${organizationId} and d.user_id = ${userId}
      and w.transmission_id = d.transmission_id and w.delivery_id = d.id`,
    // What was owed, and that it is not owed any more, are decisions; what was seen of it is not.
    sql`update obligations set version_id = null, coverage = '{}', covered_ms = 0, covered_at = null, done_at = null, owed_parts = null
      where organization_id = ${organizationId} and user_id = ${userId}`,
    sql`delete from confirmations where organization_id = ${organizationId} and user_id = ${userId}`,
    sql`delete from quiz_attempts where ${mine}`,
    sql`update certificates set body = null where organization_id = ${organizationId} and user_id = ${userId}`,
    sql`delete from consents where ${mine}`,
    // The first puts what it deletes among the second. What is still asked of them is worked out anew.
    sql`delete from training_cells where organization_id = ${organizationId} and user_id = ${userId}`,
    sql`delete from past_training_cells where organization_id = ${organizationId} and user_id = ${userId}`,
    sql`insert into dirty_keys (figure, organization_id, person) values ('training', ${organizationId}, ${userId})`,
  ]
}

const DuePerson = z.object({ id: z.string(), organizationId: z.string(), userId: z.string() })
type DuePerson = z.infer<typeof DuePerson>

/** The erasures that were asked for together with that of the person, once the person has been erased. */
export async function eraseWithPersons(db: Database): Promise<void> {
  const due = await rows(
    db.single,
    DuePerson,
    sql`select e.id, e.organization_id as "organizationId", e.user_id as "userId" from evidence_erasures e
      join users u on u.id = e.user_id where e.done_at is null and u.erased_at is not null
        and ${isFree('housekeeping', sql`'evidence ' || e.id`)} order by e.id limit 500`,
  )
  const nameOf = ({ id, organizationId }: DuePerson) => ({ item: `evidence ${id}`, organizationId })
  await eachApart({ db, loop: 'housekeeping', nameOf }, due, (one) =>
    db.as({ organizationId: one.organizationId }, (tx) => eraseDue(tx, one)),
  )
}

async function eraseDue(tx: Tx, { id, organizationId, userId }: DuePerson): Promise<void> {
  const mine = await hasRow(
    tx,
    sql`select 1 from evidence_erasures where id = ${id} and done_at is null for update skip locked`,
  )
  if (!mine) return
  const counts = await erasePerson(tx, { organizationId, userId })
  await tx.execute(
    sql`update evidence_erasures set done_at = now(), counts = ${JSON.stringify(counts)}::jsonb where id = ${id}`,
  )
  await audit(tx, 'system', {
    organizationId,
    action: 'user.evidence_erased',
    entity: 'user',
    entityId: userId,
    after: counts,
  })
}
