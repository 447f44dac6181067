import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  mostUnread,
  type listNotifications,
  Notification,
  type NotificationState,
} from '#contract/notifications/notifications.ts'
import { hasRow, requireRow, row, together, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { readList } from '../platform/http/lists/list.ts'
import { noticeChannel } from './notify.ts'

/** Their own, and of the organization that they belong to now; what an administrator was told as such, no groupadmin reads. */
function visible(caller: Caller): SQL {
  return all([
    sql`n.user_id = ${caller.userId}`,
    caller.organizationId !== null && sql`n.organization_id = ${caller.organizationId}`,
    caller.role === 'groupadmin' && sql`not n.as_admin`,
  ])
}

/** Names are looked up and not kept: what was renamed shows so, and who was erased is gone here too. */
const joined = sql`notifications n
  left join organizations o on o.id = n.organization_id
  left join operations p on n.kind like 'operation.%' and p.id = n.entity_id and p.organization_id is not distinct from n.organization_id
  left join transmissions t on n.kind like 'transmission.%' and t.id = n.entity_id and t.organization_id = n.organization_id
  left join transmission_approvals a on a.id = case n.kind when 'transmission.rejected' then n.cause::uuid end
  left join videos v on n.kind like 'video.%' and v.id = n.entity_id and v.organization_id = n.organization_id
  left join invitations i on n.kind like 'invitation.%' and i.id = n.entity_id and i.organization_id is not distinct from n.organization_id`

const columns = sql`n.id, n.kind, n.organization_id as "organizationId", o.name as "organizationName", n.entity_id as "entityId",
  coalesce(p.params->>'subject', message_name(t), v.title, i.name, i.email) as subject,
  coalesce(p.id, t.id, case when v.deleted_at is null then v.id end, i.id) is not null as "isThere",
  n.params, a.reason as note, ${isoText(sql`n.created_at`)} as "createdAt", ${isoText(sql`n.read_at`)} as "readAt"`

type ListRequest = { caller: Caller; query: ParsedQuery<typeof listNotifications>; request: FastifyRequest }

export async function findNotifications(tx: Tx, { caller, query, request }: ListRequest) {
  const [page, unread] = await together(
    readList(tx, {
      query,
      request,
      Row: Notification,
      columns,
      from: joined,
      where: all([visible(caller), query.show === 'unread' && sql`n.read_at is null`]),
      order: { by: sql`n.created_at`, id: sql`n.id`, type: 'timestamptz', descending: true },
    }),
    readCount(tx, sql`select ${unreadOf(caller)} as n`),
  )
  return { ...page, unread }
}

function unreadOf(caller: Caller): SQL {
  return sql`(select count(*)::int from (select 1 from notifications n where ${visible(caller)} and n.read_at is null
    limit ${mostUnread}) unread)`
}

const UnreadRow = z.object({ unread: z.number(), newest: z.nullable(z.string()) })

export async function stateOf(tx: Tx, caller: Caller): Promise<NotificationState> {
  const found = await row(
    tx,
    UnreadRow,
    sql`select ${unreadOf(caller)} as unread,
      (select n.id from notifications n where ${visible(caller)} order by n.created_at desc, n.id desc limit 1) as newest`,
  )
  const { unread, newest } = found ?? { unread: 0, newest: null }
  return { unread, mark: `${unread}.${newest ?? ''}` }
}

export async function markRead(tx: Tx, caller: Caller, id: string): Promise<void> {
  const found = await hasRow(tx, sql`select 1 from notifications n where n.id = ${id} and ${visible(caller)}`)
  if (!found) throw refuse('not_found')
  await mark(tx, caller, sql`n.id = ${id}`)
}

const Newest = z.object({ at: z.string() })

/** All that are not newer than this one: nobody has read what came while they pressed the button. */
export async function markReadUpTo(tx: Tx, caller: Caller, id: string): Promise<void> {
  const newest = await requireRow(
    tx,
    Newest,
    sql`select n.created_at::text as at from notifications n where n.id = ${id} and ${visible(caller)}`,
  )
  await mark(tx, caller, sql`(n.created_at, n.id) <= (${newest.at}::timestamptz, ${id}::uuid)`)
}

/** The other tabs of the person hear of it too. */
async function mark(tx: Tx, caller: Caller, which: SQL): Promise<void> {
  await tx.execute(
    sql`with seen as (update notifications n set read_at = now() where ${visible(caller)} and n.read_at is null and ${which} returning 1)
      select pg_notify(${noticeChannel}, ${caller.userId}) from (select 1 from seen limit 1) changed`,
  )
}
