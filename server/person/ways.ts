import * as z from 'zod/mini'
import { Way } from '#contract/person/person.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'
import { seesGroup, type Visibility } from '../platform/http/visibility.ts'

type WaysQuery = { visibility: Visibility; userId: string; transmissionIds: readonly string[] }

const WayRow = z.object({ transmissionId: z.string(), way: Way })

/**
 * By transmission, how the person came into its audience: by name, with everybody, or through groups of which they were a
 * member when it was worked out, as the history of memberships tells. A groupadmin learns of no group but their own.
 */
export async function waysInto(
  tx: Tx,
  { visibility, userId, transmissionIds }: WaysQuery,
): Promise<Map<string, Way[]>> {
  const asked = arrayOf(transmissionIds, 'uuid')
  const mine = sql`t.organization_id = ${visibility.organizationId} and t.id = any(${asked})`
  const found = await rows(
    tx,
    WayRow,
    sql`select t.id as "transmissionId", json_build_object('by', 'name') as way from transmissions t
        where ${mine} and t.audience->'userIds' ? ${userId}
      union all select t.id, json_build_object('by', 'everyone') from transmissions t
        where ${mine} and (t.audience->>'everyone')::boolean
      union all select t.id, json_build_object('by', 'group', 'group', json_build_object('id', g.id, 'name', g.name),
          'since', ${isoText(sql`l.created_at`)})
        from transmissions t cross join lateral jsonb_array_elements_text(t.audience->'groupIds') named(id)
        join groups g on g.id = named.id::uuid and g.organization_id = t.organization_id
        cross join lateral (select l.change, l.created_at from membership_log l
          where l.user_id = ${userId} and l.group_id = g.id and l.change in ('added', 'removed')
            and l.created_at <= coalesce(t.prepared_at, t.created_at)
          order by l.created_at desc, l.id desc limit 1) l
        where ${all([mine, sql`l.change = 'added'`, seesGroup(visibility, sql`g.id`)])}`,
  )
  const ways = new Map<string, Way[]>()
  for (const { transmissionId, way } of found)
    ways.set(transmissionId, [...(ways.get(transmissionId) ?? []), way])
  return ways
}
