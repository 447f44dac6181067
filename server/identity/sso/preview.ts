import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import type { previewRules } from '#contract/identity/sso.ts'
import { asRole } from '#contract/roles.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { grantedBy, higherRole, isAbove } from './claims.ts'
import { isOf, requireFit, type Home } from './connections.ts'

const Kept = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.nullable(z.string()),
  roleGiven: z.boolean(),
  at: z.string(),
  claims: z.record(z.string(), z.array(z.string())),
})
const Group = z.object({ id: z.string(), name: z.string() })
const mostShown = 10

type Previewing = { id: string; body: ParsedBody<typeof previewRules> }

/** By the same rules of judging as a sign-in, without changing anything. */
export async function previewOf(
  tx: Tx,
  home: Home,
  { id, body }: Previewing,
): Promise<Reply<typeof previewRules>> {
  const { rules, grants } = body
  await requireFit(tx, home, { rules, grants, creates: false })
  const found = await rows(
    tx,
    Kept,
    sql`select u.id, u.name, u.email, u.role, p.role_given as "roleGiven", ${isoText(sql`p.last_at`)} as at, p.claims
      from connection_people p join sign_in_connections c on c.id = p.connection_id join users u on u.id = p.user_id
      where p.connection_id = ${id} and ${isOf(home)} and u.deleted_at is null order by p.last_at desc, u.id limit ${mostShown}`,
  )
  const named = rules.flatMap(({ groupId }) => groupId ?? [])
  const groups = await rows(
    tx,
    Group,
    sql`select id, name from groups where organization_id = ${home.organizationId}::uuid and id = any(${arrayOf(named, 'uuid')})`,
  )
  const items = found.map(({ claims, at, role: present, roleGiven, ...person }) => {
    const granted = grantedBy(rules, claims)
    const known = asRole(present)
    const own = roleGiven || known === 'superadmin' ? null : known
    const role = higherRole(own, granted.role)
    const fault =
      role === null ? ('no_role' as const) : isAbove(role, grants) ? ('above_grant' as const) : null
    return {
      person: { id: person.id, name: person.name },
      email: person.email,
      at,
      role,
      groups: fault === null ? groups.filter((group) => granted.groups.has(group.id)) : [],
      fault,
      claims: Object.entries(claims).map(([name, values]) => ({ name, values })),
    }
  })
  return { items }
}
