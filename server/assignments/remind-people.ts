import * as z from 'zod/mini'
import { mostRemindedOfAll, type remindPeople } from '#contract/assignments/assignments.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { privacyOf } from '../directory/organizations/privacy.ts'
import { matchingUsers } from '../directory/people/filter.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { all } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { Actor } from '../platform/http/audit.ts'
import type { Visibility } from '../platform/http/visibility.ts'
import { isExcused } from '../duty/obligations.ts'
import { isAskedBy, lacksPart, seenFor } from '../duty/seconds.ts'
import { note } from './decide.ts'
import { hadOneToday, sendByHand } from './messages.ts'

type Chosen = ParsedBody<typeof remindPeople>
type Order = { visibility: Visibility; chosen: Chosen }

const OwedRow = z.object({ userId: z.string(), assignmentId: z.string(), isRecent: z.boolean() })

async function requireSeen(tx: Tx, { visibility, chosen: { userIds } }: Order): Promise<void> {
  if (!userIds) return
  const seen = await readCount(
    tx,
    sql`select count(*)::int as n from users u where ${matchingUsers(visibility, {})} and u.id = any(${arrayOf(userIds, 'uuid')})`,
  )
  if (seen !== new Set(userIds).size) throw refuse('not_found')
}

async function requireTold(tx: Tx, { visibility, chosen: { part } }: Order): Promise<void> {
  if (part && !(await privacyOf(tx, visibility.organizationId)).showsPersons)
    throw refuse('validation_failed', { fields: { part: ['not_told'] } })
}

/** These expressions on `obligations o` give the version that plays now, and its length (ms). */
const playing = sql`(select v.current_version_id from videos v where v.id = o.video_id and v.organization_id = o.organization_id)`
const length = sql`(select n.duration_ms from video_versions n where n.id = ${playing})`

/**
 * Lists people who had no message of late first, for there may be more than are reminded at once. They are ordered by assignment as well,
 * so that two who do this at the same time take them in the same order.
 */
function owedBy(tx: Tx, { visibility, chosen }: Order) {
  const { organizationId } = visibility
  const { userIds, videoIds, assignmentId, transmissionId, late, part } = chosen
  const whom = userIds
    ? sql`o.user_id = any(${arrayOf(userIds, 'uuid')})`
    : sql`o.user_id in (select u.id from users u where ${matchingUsers(visibility, {})})`
  return rows(
    tx,
    OwedRow,
    sql`select o.user_id as "userId", o.assignment_id as "assignmentId",
        ${hadOneToday} as "isRecent"
      from obligations o join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id and a.state = 'active'
      where ${all([
        sql`o.organization_id = ${organizationId} and o.state = 'open' and not ${isExcused} and ${whom}`,
        assignmentId !== undefined && sql`o.assignment_id = ${assignmentId}`,
        transmissionId !== undefined && isAskedBy(sql`${transmissionId}::uuid`),
        late && sql`o.due_at < now()`,
        videoIds.length > 0 && sql`o.video_id = any(${arrayOf(videoIds, 'uuid')})`,
        part && lacksPart(part, seenFor(playing), length),
      ])}
      order by ${hadOneToday}, o.assignment_id, o.user_id ${userIds ? sql`` : sql`limit ${mostRemindedOfAll}`}`,
  )
}

/** Refuses people out of sight. Each is reminded of all that they owe, and of nothing twice within a day. */
export async function remindMany(tx: Tx, by: Actor, order: Order): Promise<Reply<typeof remindPeople>> {
  const orgId = order.visibility.organizationId
  await requireSeen(tx, order)
  await requireTold(tx, order)
  const owed = await owedBy(tx, order)
  const reminded = new Set<string>()
  const waiting = new Set<string>()
  for (const [assignmentId, people] of Map.groupBy(owed, (one) => one.assignmentId)) {
    const due = people.flatMap(({ userId, isRecent }) => (isRecent ? [] : [userId]))
    const sent =
      due.length > 0
        ? await sendByHand(tx, { id: assignmentId, organizationId: orgId }, { userIds: due })
        : []
    for (const userId of sent) await note(tx, by, { orgId, assignmentId, userId, as: 'obligation.reminded' })
    for (const userId of due) (sent.includes(userId) ? reminded : waiting).add(userId)
  }
  const owing = new Set(owed.map(({ userId }) => userId))
  const notNow = [...waiting].filter((id) => !reminded.has(id)).length
  return {
    reminded: reminded.size,
    nothingOwed: order.chosen.userIds ? new Set(order.chosen.userIds).size - owing.size : 0,
    remindedToday: owing.size - reminded.size - notNow,
    notNow,
  }
}
