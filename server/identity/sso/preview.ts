import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { Claim, type GrantedRole, type previewRules } from '#contract/identity/sso.ts'
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
  const judged = (claims: Record<string, string[]>, own: GrantedRole | null) => {
    const granted = grantedBy(rules, claims)
    const role = higherRole(own, granted.role)
    const fault =
      role === null ? ('no_role' as const) : isAbove(role, grants) ? ('above_grant' as const) : null
    return {
      role,
      groups: fault === null ? groups.filter((group) => granted.groups.has(group.id)) : [],
      fault,
      claims: Object.entries(claims).map(([name, values]) => ({ name, values })),
    }
  }
  const people = found.map(({ claims, at, role: present, roleGiven, id: userId, name, email }) => {
    const known = asRole(present)
    const own = roleGiven || known === 'superadmin' ? null : known
    return Object.assign(judged(claims, own), { person: { id: userId, name }, email, at })
  })
  const trials = (await ofTrial(tx, home, id)).map(({ claims, ...tried }) =>
    Object.assign(judged(claims, null), tried),
  )
  return { items: [...trials, ...people] }
}

const Tried = z.object({ at: z.string(), claims: z.array(Claim) })

/** Who tried is nobody here yet: what came with the trial is judged as at a first sign-in. */
async function ofTrial(tx: Tx, home: Home, id: string) {
  const [found] = await rows(
    tx,
    z.object({ trial: z.nullable(Tried) }),
    sql`select trial from sign_in_connections c where c.id = ${id} and ${isOf(home)}`,
  )
  if (!found?.trial || found.trial.claims.length === 0) return []
  const claims = Object.fromEntries(found.trial.claims.map(({ name, values }) => [name, values]))
  return [{ person: null, email: claims['email']?.[0] ?? null, at: found.trial.at, claims }]
}
