import * as z from 'zod/mini'
import type { ObligationChange } from '#contract/assignments/assignments.ts'
import { hasRow, requireRow, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Erase } from '../platform/erasing.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import { daysOf } from '../directory/organizations/days.ts'
import { planAnew } from './anew.ts'
import { backInPlan } from './days.ts'
import { sendByHand } from './messages.ts'
import type { Place } from './queries.ts'

export type Whose = Place & { userId: string }
export type ActingCaller = { caller: Caller; by: Actor }

/**
 * `set` says what a decision changes, and `from` which states of the obligation it may change. `until` is the end of the day that was
 * given.
 */
function stepOf(change: ObligationChange, until: string | null): { set: SQL; from: SQL } {
  const { action, reason } = change
  const again = sql`next_message_on = ${backInPlan}`
  if (action === 'waive')
    return {
      set: sql`state = 'waived', reason = ${reason}, waived_until = ${until}::timestamptz`,
      from: sql`o.state = 'open'`,
    }
  if (action === 'unwaive')
    return {
      set: sql`state = 'open', reason = null, waived_until = null, ${again}`,
      from: sql`o.state = 'waived'`,
    }
  if (action === 'extend')
    return {
      set: sql`due_at = ${until}::timestamptz, due_is_own = true`,
      from: sql`o.state in ('open', 'waived')`,
    }
  if (action === 'exempt')
    return {
      set: sql`state = 'ended', ending = 'exempted', reason = ${reason}, waived_until = null, next_message_on = null`,
      from: sql`o.state in ('open', 'waived')`,
    }
  return {
    set: sql`state = 'open', ending = null, reason = null, counted = false, ${again}`,
    from: sql`o.state = 'ended' and o.ending = 'exempted'`,
  }
}

async function untilOf(tx: Tx, orgId: string, change: ObligationChange): Promise<string | null> {
  const given = change.action === 'waive' ? change.until : change.action === 'extend' ? change.day : null
  if (given === null) return null
  const { dueAt } = await daysOf(tx, orgId, { dueAt: given })
  if (dueAt !== null && Date.parse(dueAt) > Date.now()) return dueAt
  throw refuse('validation_failed', {
    fields: { [change.action === 'waive' ? 'do.until' : 'do.day']: ['not_ahead'] },
  })
}

/** Changes the present cycle with one guarded statement, and writes its row of the history. Refuses people who decide about themselves. */
export async function decideObligation(
  tx: Tx,
  { caller, by }: ActingCaller,
  { change, ...whose }: Whose & { change: ObligationChange },
): Promise<void> {
  const { orgId, assignmentId, userId } = whose
  const { id: byId, name: byName } = personBehind(caller)
  if (byId === userId) throw refuse('forbidden', { reason: { code: 'own_waiver' } })
  await requireObligation(tx, whose)
  const until = await untilOf(tx, orgId, change)
  const { set, from } = stepOf(change, until)
  // Once a message has left, the planner looks at its people again only if one of them is waived for a time. This comes first because
  // the planner takes the assignment before the people: taken in another order, one of the two would be refused.
  await tx.execute(
    sql`update assignments set planned_at = null where id = ${assignmentId} and organization_id = ${orgId} and message_id is not null`,
  )
  const changed = await hasRow(
    tx,
    sql`update obligations o set ${set}, updated_at = now() from assignments a join organizations z on z.id = a.organization_id
      where o.organization_id = ${orgId} and o.assignment_id = ${assignmentId} and o.user_id = ${userId} and ${from}
        and o.cycle = (select max(n.cycle) from obligations n where n.assignment_id = ${assignmentId} and n.user_id = ${userId})
        and a.id = o.assignment_id and a.state in ('active', 'paused') returning o.id`,
  )
  if (!changed) throw refuse('conflict', { reason: { code: 'obligation_moved_on' } })
  await tx.execute(
    sql`insert into obligation_changes (organization_id, assignment_id, user_id, action, reason, until, by_id, by_name)
      values (${orgId}, ${assignmentId}, ${userId}, ${change.action}, ${change.reason}, ${until}::timestamptz, ${byId}, ${byName})`,
  )
  if (change.action === 'extend')
    await planAnew(tx, { orgId, assignmentId }, { whom: sql`o.user_id = ${userId}` })
  await note(tx, by, { ...whose, as: `obligation.${change.action}`, reason: change.reason })
}

/** Reminds one person by hand. Refuses within a day of the last message, and where nothing is owed. */
export async function remind(tx: Tx, by: Actor, whose: Whose): Promise<void> {
  const { orgId, assignmentId, userId } = whose
  await requireObligation(tx, whose)
  const reminded = await sendByHand(tx, { id: assignmentId, organizationId: orgId }, { userIds: [userId] })
  if (reminded.length === 0) throw refuse('conflict', { reason: { code: 'not_reminded' } })
  await note(tx, by, { ...whose, as: 'obligation.reminded' })
}

async function requireObligation(tx: Tx, { orgId, assignmentId, userId }: Whose): Promise<void> {
  await requireRow(
    tx,
    Id,
    sql`select id from obligations where organization_id = ${orgId} and assignment_id = ${assignmentId} and user_id = ${userId} limit 1`,
  )
}

type Note = Whose & { as: `obligation.${ObligationChange['action'] | 'reminded'}`; reason?: string }

export async function note(
  tx: Tx,
  by: Actor,
  { orgId, assignmentId, userId, as, reason }: Note,
): Promise<void> {
  const { name } = await requireRow(tx, Named, sql`select name from assignments where id = ${assignmentId}`)
  const after = { assignment: name, ...(reason === undefined ? {} : { reason }) }
  await audit(tx, by, { organizationId: orgId, action: as, entity: 'user', entityId: userId, after })
}
const Named = z.object({ name: z.string() })

/** Takes away the reasons that were given for decisions about them. */
export const eraseDecisions: Erase = ({ gone }) => [
  sql`update obligation_changes c set reason = '' from ${gone} where c.user_id = r.id`,
]
