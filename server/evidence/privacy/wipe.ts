import { eachApart } from '#server/platform/aside.ts'
import { type Database, rows } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { endPrivatePeriods } from '../../directory/organizations/privacy.ts'
import { makePastDiscreet } from '../../matrix/recompute.ts'
import { dueSessions, forgetSessions, type DueSessions } from '../../tracking/forget.ts'
import { Id } from '#server/platform/db/rows.ts'

/** A session may report for this number of hours; afterwards its play token has ended. One hour of them is for clocks. */
export const sessionHours = 25
/** Parts of somebody who has not completed the video are kept for this number of days after the last session. */
const openDays = 30
/** One transaction takes this number of viewers. */
const chunk = 200

export type Budget = { until: number }

/**
 * Carries out what organizations promise that record only completions: it takes away how a video was watched as soon as nobody needs that
 * to find out whether it was completed. It stops when the time is over, and goes on the next time.
 */
export async function wipePrivate(db: Database, budget: Budget): Promise<void> {
  const found = await rows(
    db.single,
    Id,
    sql`select id from organizations where policies->>'trackingMode' = 'completed_only'
      union select organization_id from private_periods where wiped_at is null order by id`,
  )
  const nameOf = ({ id }: { id: string }) => ({ item: `private ${id}`, organizationId: id })
  await eachApart({ db, loop: 'housekeeping', nameOf }, found, async ({ id }) => {
    while (Date.now() < budget.until && (await wipeSome(db, id)));
    while (Date.now() < budget.until && (await wipeEnded(db, id)));
  })
}

/** Forgets viewers who are through with a video, or have not come back to it. Returns whether there may be more. */
async function wipeSome(db: Database, organizationId: string): Promise<boolean> {
  const found = await dueSessions(
    db,
    sql`select p.video_id, unnest(array_agg(p.id)) as id
      from play_sessions p left join viewer_videos w on w.version_id = p.version_id and w.viewer_key = p.viewer_key
      where p.organization_id = ${organizationId} and exists (select from organizations o where o.id = ${organizationId}
        and o.policies->>'trackingMode' = 'completed_only')
      group by p.video_id, p.viewer_key
      having max(p.started_at) < now() - make_interval(hours => ${sessionHours})
        and (bool_and(w.completed_at is not null)
          or max(p.last_at) < now() - make_interval(days => ${openDays}))
      order by p.video_id limit ${chunk}`,
  )
  return forgetAll(db, organizationId, found)
}

/**
 * Forgets what was watched before such a time ended. When nothing of it is left, the time is over for good. Returns whether there may be
 * more.
 */
async function wipeEnded(db: Database, organizationId: string): Promise<boolean> {
  const found = await dueSessions(
    db,
    sql`select p.id, p.video_id from play_sessions p where p.organization_id = ${organizationId} and p.started_at < (
        select max(ended_at) from private_periods where organization_id = ${organizationId} and wiped_at is null
          and ended_at < now() - make_interval(hours => ${sessionHours}))
      order by p.video_id limit ${chunk}`,
  )
  if (await forgetAll(db, organizationId, found)) return true
  await makePastDiscreet(
    db.single,
    organizationId,
    sql`(select max(ended_at) from private_periods where organization_id = ${organizationId} and wiped_at is null
      and ended_at < now() - make_interval(hours => ${sessionHours}))`,
  )
  await endPrivatePeriods(db.single, organizationId, sessionHours)
  return false
}

async function forgetAll(
  db: Database,
  organizationId: string,
  due: readonly DueSessions[],
): Promise<boolean> {
  for (const one of due)
    await db.as({ organizationId }, (tx) => forgetSessions(tx, { ...one, daysOnly: true }))
  return due.length > 0
}
