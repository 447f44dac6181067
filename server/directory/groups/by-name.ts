import * as z from 'zod/mini'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'

type Within = { tx: Tx; organizationId: string }

const NamedGroup = z.object({ id: z.string(), name: z.string(), key: z.string() })
type NamedGroup = z.infer<typeof NamedGroup> & { isNew: boolean }

/**
 * Groups by the names that were asked for, which are their keys; the missing ones come into being. One that is removed at this moment is
 * created anew, one that somebody else creates at this moment is taken, and nobody removes them until the transaction ends.
 */
export async function ensureGroups(at: Within, names: readonly string[]): Promise<NamedGroup[]> {
  const known = (await holdGroups(at, names)).map(({ id, name, key }) => ({ id, name, key, isNew: false }))
  const found = new Set(known.map(({ key }) => key))
  const missing = names.filter((name) => !found.has(name))
  if (missing.length === 0) return known
  const created = new Set((await createGroups(at, missing)).map(({ id }) => id))
  const held = await holdGroups(at, missing)
  return [...known, ...held.map(({ id, name, key }) => ({ id, name, key, isNew: created.has(id) }))]
}

function holdGroups({ tx, organizationId }: Within, names: readonly string[]) {
  return rows(
    tx,
    NamedGroup,
    sql`select g.id, g.name, n as key from unnest(${arrayOf(names, 'text')}) n
      join groups g on g.organization_id = ${organizationId} and g.deleted_at is null and lower(g.name) = lower(n) for key share of g`,
  )
}

/** Those that came into being; whatever somebody else has created at this moment is taken as it is. */
function createGroups({ tx, organizationId }: Within, names: readonly string[]) {
  return rows(
    tx,
    Id,
    sql`with made as (insert into groups as g (organization_id, name)
        select distinct on (lower(n)) ${organizationId}::uuid, n
          from unnest(${arrayOf(names, 'text')}) with ordinality u(n, nth) order by lower(n), nth
        on conflict (organization_id, lower(name)) where deleted_at is null do update set name = g.name
        returning id, xmax = 0 as is_new) select id from made where is_new`,
  )
}

type Pair = { userId: string; groupId: string }

/** Puts people into groups; whoever is in one already stays what they are there. */
export async function joinMany(
  { tx, organizationId }: Within,
  pairs: readonly (Pair & { groupadmin: boolean })[],
): Promise<void> {
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select ${organizationId}, p."groupId", p."userId", p.groupadmin
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p("groupId" uuid, "userId" uuid, groupadmin boolean)
      on conflict (group_id, user_id) do nothing`,
  )
}

/** Takes people out of groups; where a rule has put them they stay. */
export async function leaveMany({ tx, organizationId }: Within, pairs: readonly Pair[]): Promise<void> {
  await tx.execute(
    sql`delete from group_members m using jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p("userId" uuid, "groupId" uuid)
      where m.organization_id = ${organizationId} and m.user_id = p."userId" and m.group_id = p."groupId" and not m.by_rule`,
  )
}

const RemovedGroup = z.object({ id: z.string(), name: z.string() })

/** Removes those of these groups that nobody has changed since they came into being, and in which nobody is. */
export function removeUnused(
  { tx, organizationId }: Within,
  groupIds: readonly string[],
): Promise<z.infer<typeof RemovedGroup>[]> {
  return rows(
    tx,
    RemovedGroup,
    sql`update groups g set deleted_at = now(), updated_at = now() where g.organization_id = ${organizationId}
        and g.id = any(${arrayOf(groupIds, 'uuid')}) and g.deleted_at is null and g.kind = 'static' and g.updated_at = g.created_at
        and not exists (select 1 from group_members m where m.group_id = g.id)
      returning g.id, g.name`,
  )
}
