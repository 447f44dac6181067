import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { readWatchers } from '#contract/directory/organizations.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { called } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'

/**
 * Of a person `u`: they have a way to sign in. A password opens an account to whoever has a role. A connection of the organization signs in
 * whom it knows, and whoever has an address of a domain that is proved; those without a role for their videos alone.
 */
const hasWayIn = sql`((u.role is not null and u.password_hash is not null) or exists (
  select from sign_in_connections c where c.organization_id = u.organization_id and c.is_on and (
    exists (select from connection_people k where k.connection_id = c.id and k.user_id = u.id)
    or exists (select from sign_in_domains n where n.organization_id = u.organization_id and n.proved_at is not null
      and n.domain = split_part(lower(u.email), '@', 2)))))`

const Counted = z.object({
  people: z.number(),
  without: z.number(),
  some: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** Counts who could not watch where only signed-in people may, and names the first of them. */
export async function countWatchers(tx: Tx, organizationId: string): Promise<Reply<typeof readWatchers>> {
  const found = await row(
    tx,
    Counted,
    sql`with p as materialized (select u.id, u.name, ${hasWayIn} as enters from users u
        where u.organization_id = ${organizationId} and u.deleted_at is null
          and u.state not in ('disabled', 'deleted'))
      select count(*)::int as people, (count(*) filter (where not enters))::int as without,
        coalesce((select json_agg(json_build_object('id', f.id, 'name', f.name) order by ${called(sql`f.name`)}, f.id)
          from (select id, name from p where not enters order by ${called(sql`name`)}, id limit 5) f), '[]') as some from p`,
  )
  return found ?? { people: 0, without: 0, some: [] }
}
