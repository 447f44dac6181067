import * as z from 'zod/mini'
import { ErasureCounts } from '#contract/evidence/privacy.ts'
import { eachApart, isFree } from '#server/platform/aside.ts'
import { arrayOf, type Database, hasRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { lock } from '#server/platform/db/locks.ts'
import { audit } from '#server/platform/http/audit.ts'
import { sql } from '../../platform/db/sql.ts'
import { forgetWhatWasSeen } from '../../duty/obligations.ts'
import { forgetCells } from '../../matrix/recompute.ts'
import { forgetAttempts } from '../../quizzes/attempts.ts'
import { forgetViewers } from '../../tracking/aggregate.ts'
import { forgetLog, forgetRest, isTheirs, type PersonKey } from '../../tracking/forget.ts'
import { viewerKeysOf } from '../../tracking/ingest/token.ts'
import { Id } from '#server/platform/db/rows.ts'
import { isErased } from '../../people.ts'

/** Counts the rows that there are about a person. */
export async function countEvidence(tx: Tx, { organizationId, userId }: PersonKey): Promise<ErasureCounts> {
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
export async function erasePerson(tx: Tx, erasing: PersonKey): Promise<ErasureCounts> {
  const { organizationId, userId } = erasing
  // Nobody works out cells meanwhile, because they would be those of before, and kept as such.
  await tx.execute(sql`select ${lock('trainingCells', organizationId)}`)
  const counts = await countEvidence(tx, erasing)
  const keys = viewerKeysOf(userId)
  const mine = sql`organization_id = ${organizationId} and ${isTheirs(userId)}`
  // The videos are taken in one order, so that two who erase at once never wait for each other in a circle.
  const videos = await rows(
    tx,
    Id,
    sql`select id from (select video_id as id from play_sessions where ${mine}
      union select video_id from track_batches where not folded and organization_id = ${organizationId}
        and claims->>'viewerKey' = any(${arrayOf(keys, 'text')})) videos order by id`,
  )
  for (const { id } of videos) {
    await forgetLog(tx, id, erasing)
    await forgetViewers(tx, id, keys)
  }
  await forgetRest(tx, erasing)
  await forgetWhatWasSeen(tx, erasing)
  await forgetAttempts(tx, erasing)
  await tx.execute(
    sql`update certificates set body = null where organization_id = ${organizationId} and user_id = ${userId}`,
  )
  await forgetCells(tx, erasing)
  return counts
}

const DuePerson = z.object({ id: z.string(), organizationId: z.string(), userId: z.string() })
type DuePerson = z.infer<typeof DuePerson>

/** Carries out the erasures that were asked for together with that of the person, once the person has been erased. */
export async function eraseWithPersons(db: Database): Promise<void> {
  const due = await rows(
    db.single,
    DuePerson,
    sql`select e.id, e.organization_id as "organizationId", e.user_id as "userId" from evidence_erasures e
      join users u on u.id = e.user_id where e.done_at is null and ${isErased('u')}
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
