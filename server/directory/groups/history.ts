import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { GroupEvent, type readGroupHistory } from '#contract/directory/members.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { readList } from '../../platform/http/lists/list.ts'

type HistoryQuery = {
  organizationId: string
  groupId: string
  query: ParsedQuery<typeof readGroupHistory>
  request: FastifyRequest
}
const GroupFacts = z.object({
  name: z.optional(z.string()),
  description: z.optional(z.nullable(z.string())),
  rule: z.optional(z.unknown()),
})
type GroupFacts = z.infer<typeof GroupFacts>
const HistoryRow = z.extend(z.omit(GroupEvent, { changed: true, names: true }), {
  before: z.nullable(GroupFacts),
  after: z.nullable(GroupFacts),
})
type HistoryRow = z.infer<typeof HistoryRow>

/** Finds what happened to the members, from their own log, and to the group itself, from the audit; newest first. */
export async function findHistory(tx: Tx, { organizationId, groupId, query, request }: HistoryQuery) {
  const members = sql`select l.id, l.created_at as at, l.change, l.user_id, l.actor_id, null::text as actor_name, null::text as key_name, l.cause,
      null::jsonb as before, null::jsonb as after
    from membership_log l where l.organization_id = ${organizationId} and l.group_id = ${groupId}
      ${query.userId === undefined ? sql`` : sql`and l.user_id = ${query.userId}`}`
  const group = sql`select a.id, a.at, case a.action when 'group.created' then 'created' when 'group.removed' then 'group_removed'
        else 'changed' end as change, null::uuid as user_id, a.actor_id, a.actor_name,
        (select k.name from service_accounts k where k.id = a.key_id) as key_name, null::text as cause, a.before, a.after
    from audit a where a.organization_id = ${organizationId} and a.entity_id = ${groupId}
      and a.action in ('group.created', 'group.changed', 'group.removed')`
  const page = await readList(tx, {
    query,
    request,
    Row: HistoryRow,
    columns: sql`e.id, ${isoText(sql`e.at`)} as at, e.change, e.cause, e.before, e.after,
      ${personOf(sql`e.user_id`, sql`null::text`)} as member, ${personOf(sql`e.actor_id`, sql`e.actor_name`)}::jsonb
        || jsonb_strip_nulls(jsonb_build_object('key', e.key_name)) as by`,
    from: sql`(${sources(query, { members, group })}) e`,
    where: sql`true`,
    order: { by: sql`e.at`, id: sql`e.id`, type: 'timestamptz', descending: true },
  })
  return { ...page, items: page.items.map(toItem) }
}

type Sources = { members: SQL; group: SQL }

function sources({ show, userId }: HistoryQuery['query'], { members, group }: Sources): SQL {
  if (show === 'members' || userId !== undefined) return members
  return show === 'group' ? sql`${group}` : sql`${members} union all ${group}`
}

/** This expression names a person by the name that was written down, or by the one of today. */
function personOf(id: SQL, name: SQL): SQL {
  return sql`case when ${id} is not null then json_build_object('id', ${id},
    'name', coalesce(${name}, (select p.name from users p where p.id = ${id}))) end`
}

/** Names the parts of the group that a change is about, and both names where the name is one of them. */
function toItem({ before, after, ...event }: HistoryRow): GroupEvent {
  const isChange = event.change === 'changed'
  const differs = (part: keyof GroupFacts) =>
    JSON.stringify(before?.[part] ?? null) !== JSON.stringify(after?.[part] ?? null)
  const parts = (['name', 'description', 'rule'] as const).filter((part) => isChange && differs(part))
  const names =
    parts.includes('name') && before?.name && after?.name ? { before: before.name, after: after.name } : null
  return { ...event, changed: parts, names }
}
