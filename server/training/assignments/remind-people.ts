import * as z from 'zod/mini'
import type { remindPeople } from '#contract/assignments.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { matchingUsers } from '../../directory/people/filter.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/audit.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { isExcused } from '../../tracking/obligations.ts'
import { note } from './decide.ts'
import { holdSender, sendByHand } from './messages.ts'

type Chosen = ParsedBody<typeof remindPeople>
type Order = { visibility: Visibility; chosen: Chosen }

const OwedRow = z.object({ userId: z.string(), assignmentId: z.string(), isRecent: z.boolean() })

async function requireSeen(tx: Tx, { visibility, chosen: { userIds } }: Order): Promise<void> {
  const seen = await readCount(
    tx,
    sql`select count(*)::int as n from users u where ${matchingUsers(visibility, {})} and u.id = any(${arrayOf(userIds, 'uuid')})`,
  )
  if (seen !== new Set(userIds).size) throw refuse('not_found')
}

/** By assignment, so that those who do the same at once take them in the same order. */
function owedBy(tx: Tx, { visibility: { organizationId }, chosen: { userIds, videoIds } }: Order) {
  return rows(
    tx,
    OwedRow,
    sql`select o.user_id as "userId", o.assignment_id as "assignmentId",
        coalesce(o.last_message_at > now() - interval '1 day', false) as "isRecent"
      from obligations o join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id and a.state = 'active'
      where o.organization_id = ${organizationId} and o.state = 'open' and not ${isExcused} and o.user_id = any(${arrayOf(userIds, 'uuid')})
        and ${videoIds.length === 0 ? sql`true` : sql`o.video_id = any(${arrayOf(videoIds, 'uuid')})`}
      order by o.assignment_id, o.user_id`,
  )
}

/** Refuses people out of sight. Each is reminded of all that they owe, and of nothing twice within a day. */
export async function remindMany(tx: Tx, by: Actor, order: Order): Promise<Reply<typeof remindPeople>> {
  const orgId = order.visibility.organizationId
  await requireSeen(tx, order)
  const owed = await owedBy(tx, order)
  const reminded = new Set<string>()
  const waiting = new Set<string>()
  for (const [assignmentId, people] of Map.groupBy(owed, (one) => one.assignmentId)) {
    const due = people.filter(({ isRecent }) => !isRecent)
    const sender = due.length > 0 && (await holdSender(tx, { id: assignmentId, organizationId: orgId }))
    for (const { userId } of due) {
      if (sender && (await sendByHand(tx, sender, userId))) {
        await note(tx, by, { orgId, assignmentId, userId, as: 'obligation.reminded' })
        reminded.add(userId)
      } else waiting.add(userId)
    }
  }
  const owing = new Set(owed.map(({ userId }) => userId))
  const notNow = [...waiting].filter((id) => !reminded.has(id)).length
  return {
    reminded: reminded.size,
    nothingOwed: new Set(order.chosen.userIds).size - owing.size,
    remindedToday: owing.size - reminded.size - notNow,
    notNow,
  }
}
