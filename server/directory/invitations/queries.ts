import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { Invitation, type listInvitations } from '#contract/directory/invitations.ts'
import { arrayOf, requireRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, contains, isoText } from '../../platform/db/search.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { needsInvitation } from '../../alerts/lists.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'

/** This expression gives the state. An overdue invitation counts as expired at once; the job only writes that down. */
const state = sql`case when i.state = 'pending' and i.expires_at <= now() then 'expired' else i.state end`

/** The columns are named one by one, so that the secret of the link is none of them. */
const columns = sql`i.id, i.organization_id as "organizationId", i.email, i.name, i.role, i.user_id as "userId", ${state} as state,
  i.invited_by_name as "invitedBy", ${isoText(sql`i.sent_at`)} as "sentAt", ${isoText(sql`i.reminded_at`)} as "remindedAt",
  ${isoText(sql`i.expires_at`)} as "expiresAt", ${isoText(sql`i.accepted_at`)} as "acceptedAt",
  ${isoText(sql`i.created_at`)} as "createdAt", ${isoText(sql`i.updated_at`)} as "updatedAt",
  (select json_build_object('state', m.state, 'error', m.last_error) from mails m where m.id = i.mail_id) as mail,
  coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by ${called(sql`g.name`)}) from groups g
    where g.organization_id = i.organization_id and g.deleted_at is null and g.id = any(i.group_ids)), '[]') as groups`

/**
 * This condition holds for what a caller sees: everything, what belongs to their organization, or (for a groupadmin) what concerns no other
 * group than their own.
 */
export function seesInvitation({ role, organizationId, groupIds }: Caller): SQL {
  if (role === 'superadmin') return sql`true`
  const own = arrayOf(groupIds, 'uuid')
  return all([
    sql`i.organization_id = ${organizationId}`,
    role === 'groupadmin' &&
      sql`i.role = 'groupadmin' and i.group_ids && ${own} and not exists (select 1 from groups g
        where g.organization_id = i.organization_id and g.deleted_at is null and g.id = any(i.group_ids) and g.id <> all(${own}))`,
  ])
}

type ListQuery = ParsedQuery<typeof listInvitations>

function matching(caller: Caller, query: ListQuery): SQL {
  const { organizationId } = query
  return all([
    seesInvitation(caller),
    organizationId &&
      (organizationId === 'none'
        ? sql`i.organization_id is null`
        : sql`i.organization_id = ${organizationId}`),
    query.attention &&
      needsInvitation(
        query.attention,
        caller.organizationId ?? (organizationId === 'none' ? null : (organizationId ?? null)),
      ),
    query.userId && sql`i.user_id = ${query.userId}`,
    query.state && sql`${state} = ${query.state}`,
    query.q && contains(sql`lower(i.email || ' ' || coalesce(i.name, ''))`, query.q),
  ])
}

type ListRequest = { caller: Caller; query: ListQuery; request: FastifyRequest }

const sorts: Sorts<ListQuery['sort']> = {
  createdAt: { by: sql`i.created_at`, type: 'timestamptz' },
  expiresAt: { by: sql`i.expires_at`, type: 'timestamptz' },
}

export function findInvitations(tx: Tx, { caller, query, request }: ListRequest) {
  return readList(tx, {
    query,
    request,
    Row: Invitation,
    columns,
    from: sql`invitations i`,
    where: matching(caller, query),
    order: orderFrom(query.sort, sorts, sql`i.id`),
  })
}

/** Finds an invitation. With `lock` it is as it is now, and nobody else changes it until the transaction ends. */
export function findInvitation(
  tx: Tx,
  { caller, id, lock = false }: { caller: Caller; id: string; lock?: boolean },
): Promise<Invitation> {
  return requireRow(
    tx,
    Invitation,
    sql`select ${columns} from invitations i left join organizations o on o.id = i.organization_id
      where ${seesInvitation(caller)} and i.id = ${id} and o.deleted_at is null ${lock ? sql`for update of i` : sql``}`,
  )
}
