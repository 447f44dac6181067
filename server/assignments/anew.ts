import * as z from 'zod/mini'
import type { Due } from '#contract/assignments/assignments.ts'
import { Reminders } from '#contract/duty/reminders.ts'
import { requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { today } from '../directory/organizations/days.ts'
import type { Key } from '../transmissions/ledger/states.ts'
import { dueOf, nextReminder } from './days.ts'
import type { Place } from './queries.ts'

const Plan = z.object({ reminders: Reminders, today: z.string() })

/** The next message follows from these. `due` is infinity where there is no day. */
const Standing = z.object({ since: z.string(), due: z.string(), messages: z.number() })

/** Without `due` everybody keeps the day that they have. `whom` is a condition on `obligations o` that narrows the people. */
type Anew = { due?: Due; whom?: SQL }

/**
 * Writes by when it is due, unless that is somebody's own day, and plans the next message anew for whoever has had the first one. Many
 * people stand the same, so that each standing is worked out once, and one statement writes both.
 */
export async function planAnew(tx: Tx, place: Place, { due, whom = sql`true` }: Anew): Promise<void> {
  const which = whichOf(place, whom)
  const dueAt = due === undefined ? sql`o.due_at` : dueAnew(due)
  const sinceDay = sql`(o.since at time zone z.time_zone)::date`
  const dueDay = sql`coalesce((${dueAt} at time zone z.time_zone)::date, 'infinity')`
  // The rows are held, so that nobody stands differently by the time it is written. They are taken in the order in which viewing is
  // counted, so that the two never wait for each other.
  const standings = await rows(
    tx,
    Standing,
    sql`select distinct since::text, due::text, messages from (select ${sinceDay} as since, ${dueDay} as due, o.messages
      from obligations o, organizations z where ${which} order by o.id for update of o) held`,
  )
  const list = JSON.stringify(await nextOf(tx, place, standings))
  const next = sql`case when o.state = 'open' and o.messages > 0 then g.next else o.next_message_on end`
  await tx.execute(
    sql`update obligations o set due_at = ${dueAt}, next_message_on = ${next}, updated_at = now()
      from organizations z, jsonb_to_recordset(${list}::jsonb) as g(since date, due date, messages int, next date)
      where ${which} and g.since = ${sinceDay} and g.due = ${dueDay} and g.messages = o.messages
        and (o.due_at is distinct from ${dueAt} or o.next_message_on is distinct from ${next})`,
  )
}

const OfMessage = z.object({ assignmentId: z.string() })

/** Plans the reminders to the recipients of a message anew, once its day has moved. */
export async function planMoved(tx: Tx, { id, organizationId }: Key): Promise<void> {
  const found = await row(
    tx,
    OfMessage,
    sql`select id as "assignmentId" from assignments where message_id = ${id} and organization_id = ${organizationId} and state <> 'ended'`,
  )
  if (found) await planWithMessage(tx, { orgId: organizationId, ...found })
}

/**
 * Plans the reminders to everybody who owes something because of a message. Its ledger has moved the day of its recipients. Whoever has
 * joined them since has the same day, and owes it again where it had been taken away.
 */
export async function planWithMessage(tx: Tx, { orgId, assignmentId }: Place): Promise<void> {
  await tx.execute(
    sql`update obligations o set due_at = case when o.due_is_own then o.due_at else g.due_at end, ending = null, updated_at = now(),
        state = case when o.state <> 'ended' then o.state when g.at is null then 'open' else 'done' end,
        done_at = case when o.state <> 'ended' then o.done_at else g.at end,
        next_message_on = case when o.state <> 'ended' then o.next_message_on when g.at is null and o.messages = 0 then g.today end
      from (select p.id, t.due_at, first_completed(p.organization_id, p.user_id, p.video_id) as at, ${today} as today
        from obligations p join assignments a on a.id = p.assignment_id and a.state <> 'ended' join transmissions t on t.id = a.message_id and t.due_at is not null
          join organizations z on z.id = p.organization_id
        where p.organization_id = ${orgId} and p.assignment_id = ${assignmentId}
          and (p.ending = 'assignment_ended' or p.state <> 'ended' and not p.due_is_own and p.due_at is distinct from t.due_at)
        order by p.id for update of p) g
      where o.id = g.id`,
  )
  await planAnew(tx, { orgId, assignmentId }, {})
}

const whichOf = ({ orgId, assignmentId }: Place, whom: SQL): SQL =>
  sql`z.id = o.organization_id and o.organization_id = ${orgId} and o.assignment_id = ${assignmentId}
    and o.state in ('open', 'waived') and ${whom}`

const dueAnew = (due: Due): SQL =>
  sql`case when o.due_is_own or o.cycle > 1 then o.due_at else ${dueOf(due, sql`o.since`)} end`

async function nextOf(tx: Tx, { orgId, assignmentId }: Place, standings: z.infer<typeof Standing>[]) {
  const { reminders, today: day } = await requireRow(
    tx,
    Plan,
    sql`select a.reminders, ${today}::text as today from assignments a join organizations z on z.id = a.organization_id
      where a.id = ${assignmentId} and a.organization_id = ${orgId}`,
  )
  return standings.map(({ since, due, messages }) => {
    const anchor = { since, due: due === 'infinity' ? null : due, reminders: messages - 1 }
    return { since, due, messages, next: nextReminder(reminders, anchor, day) }
  })
}
