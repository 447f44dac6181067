import * as z from 'zod/mini'
import { Due, Validity } from '#contract/assignments.ts'
import { Audience } from '#contract/transmissions.ts'
import { applyAllRules } from '../../directory/people/rule-members.ts'
import { arrayOf, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { startLoop, type Loop } from '../../platform/loop.ts'
import { lookAgain } from '../../tracking/aggregate.ts'
import { settleObligations } from '../../tracking/obligations.ts'
import { reached } from '../../transmissions/audience.ts'
import { dueOf, today } from './days.ts'
import { sendDue } from './messages.ts'

const Key = z.object({ id: z.string(), organizationId: z.string() })
type Key = z.infer<typeof Key>

const PlannedRow = z.extend(Key, {
  videoId: z.string(),
  audience: Audience,
  due: Due,
  validity: Validity,
})
type Planned = z.infer<typeof PlannedRow>

/** Between two looks at the same audience. */
const restedFor = sql`interval '1 minute'`
const idleMs = 1_000

/**
 * Brings the obligations of every active assignment up to date and sends what is due. Each assignment is one transaction that holds its
 * row, so any number of processes may do this, and be killed anywhere.
 */
export async function planAssignments({ db }: Pick<Services, 'db'>): Promise<void> {
  const waiting = await rows(
    db.single,
    Key,
    sql`select a.id, a.organization_id as "organizationId" from assignments a
      join organizations o on o.id = a.organization_id and o.state = 'active' and o.deleted_at is null
      where a.state = 'active' and coalesce(a.planned_at, '-infinity') < now() - ${restedFor}
      order by a.planned_at nulls first limit 100`,
  )
  for (const { id, organizationId } of waiting)
    await db.as({ organizationId }, (tx) => planOne(tx, { id, organizationId }))
  await countNewcomers(db)
  await sendDue(db)
}

async function planOne(tx: Tx, { id, organizationId }: Key): Promise<void> {
  const planned = await row(
    tx,
    PlannedRow,
    sql`select id, organization_id as "organizationId", video_id as "videoId", audience, due, validity from assignments
      where id = ${id} and organization_id = ${organizationId} and state = 'active' for update skip locked`,
  )
  if (!planned) return
  await applyAllRules(tx, organizationId)
  const { audience } = planned
  const members = sql`(select r.id as user_id from (${reached({ organizationId, audience })}) r where r.reason is distinct from 'inactive')`
  await takeIn(tx, planned, members)
  await letGo(tx, planned, members)
  await takeBack(tx, planned, members)
  await renew(tx, planned, members)
  await endWaivers(tx, planned)
  await tx.execute(
    sql`update assignments set planned_at = now() where id = ${id} and organization_id = ${organizationId}`,
  )
}

/** Whoever is in the audience and was never obliged is so from now on. */
async function takeIn(tx: Tx, { id, organizationId, due }: Planned, members: SQL): Promise<void> {
  await tx.execute(
    sql`insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, next_message_on)
      select a.organization_id, a.id, m.user_id, a.video_id, coalesce(a.counts_since::timestamp at time zone z.time_zone, now()),
        ${dueOf(due, sql`now()`)}, ${today}
      from assignments a join organizations z on z.id = a.organization_id cross join ${members} m
      where a.id = ${id} and a.organization_id = ${organizationId}
      on conflict on constraint obligations_once do nothing`,
  )
}

/** Whoever has left owes nothing any more; the row stays. */
async function letGo(tx: Tx, { id, organizationId }: Planned, members: SQL): Promise<void> {
  await tx.execute(
    sql`update obligations o set state = 'ended', ending = 'left', reason = null, waived_until = null, next_message_on = null, updated_at = now()
      where o.assignment_id = ${id} and o.organization_id = ${organizationId} and o.state in ('open', 'waived')
        and o.user_id not in (select user_id from ${members} m)`,
  )
}

/** Whoever comes back owes it again, with a day of their own, and keeps what they have watched of it. */
async function takeBack(tx: Tx, { id, organizationId, due }: Planned, members: SQL): Promise<void> {
  await tx.execute(
    sql`update obligations o set state = 'open', ending = null, since = now(), due_is_own = false,
        due_at = ${dueOf(due, sql`now()`)}, next_message_on = ${today}, messages = 0, counted = false, updated_at = now()
      from organizations z where z.id = o.organization_id and o.assignment_id = ${id} and o.organization_id = ${organizationId}
        and o.state = 'ended' and o.ending = 'left' and o.user_id in (select user_id from ${members} m)`,
  )
}

/** The next cycle begins so many days before the end of the validity, which is the day by which it is due. */
async function renew(tx: Tx, { id, organizationId, validity }: Planned, members: SQL): Promise<void> {
  if (validity === null) return
  await tx.execute(
    sql`insert into obligations (organization_id, assignment_id, user_id, video_id, cycle, counts_from, due_at, next_message_on)
      select o.organization_id, o.assignment_id, o.user_id, o.video_id, o.cycle + 1, now(), o.valid_until, ${today}
      from obligations o join organizations z on z.id = o.organization_id
      where o.assignment_id = ${id} and o.organization_id = ${organizationId} and o.state = 'done'
        and o.valid_until - make_interval(days => ${validity.renewDays}::int) <= now()
        and o.user_id in (select user_id from ${members} m)
      on conflict on constraint obligations_once do nothing`,
  )
}

async function endWaivers(tx: Tx, { id, organizationId }: Planned): Promise<void> {
  await tx.execute(
    sql`update obligations o set state = 'open', reason = null, waived_until = null, next_message_on = ${today}, updated_at = now()
      from organizations z where z.id = o.organization_id and o.assignment_id = ${id} and o.organization_id = ${organizationId}
        and o.state = 'waived' and o.waived_until <= now()`,
  )
}

const Uncounted = z.object({ videoId: z.string(), userIds: z.array(z.string()) })

/** Adds to new obligations what was watched before they were written, also while they were; until then nothing is sent. */
async function countNewcomers(db: Database): Promise<void> {
  const waiting = await rows(
    db.single,
    Uncounted,
    sql`select video_id as "videoId", array_agg(distinct user_id) as "userIds" from
      (select video_id, user_id from obligations where not counted order by video_id limit 500) w group by 1`,
  )
  for (const { videoId, userIds } of waiting) await db.as('system', (tx) => count(tx, videoId, userIds))
}

async function count(tx: Tx, videoId: string, userIds: string[]): Promise<void> {
  const keys = userIds.flatMap((id) => [`recipient:${id}`, `user:${id}`])
  if (!(await lookAgain(tx, videoId, keys))) return
  await settleObligations(tx, videoId, userIds)
  await tx.execute(
    sql`update obligations set counted = true where video_id = ${videoId} and user_id = any(${arrayOf(userIds, 'uuid')}) and not counted`,
  )
}

/** For as long as the process runs. */
export function startAssignments({ db, log }: Services): Pick<Loop, 'stop'> {
  return startLoop({ log, failure: 'planning assignments failed; it will be tried again' }, async () => {
    await planAssignments({ db })
    return idleMs
  })
}
