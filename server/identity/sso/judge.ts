import * as z from 'zod/mini'
import type { GrantedRole } from '#contract/identity/sso.ts'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import { asRole } from '#contract/roles.ts'
import { hasRow, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import { joinGroups } from '../sign-in/admit.ts'
import { addressIn, grantedBy, higherRole, isAbove, keptClaims, nameIn, type Claims } from './claims.ts'
import type { KnownConnection } from './connections.ts'
import { giveGroups, giveRole } from './grants.ts'
import { mayOnlyWatch } from '../watcher.ts'

type Said = { claims: Claims; subject: string }
export type Judging = { connection: KnownConnection; said: Said; by: Actor }
export type Judged =
  | { personId: string; userId: string }
  /** `userId`: whom it was about. */
  | { fault: SignInFault; userId?: string }

/** Somebody whom the connection knows. */
const Linked = z.object({
  id: z.string(),
  userId: z.string(),
  roleGiven: z.boolean(),
  groupIds: z.array(z.string()),
})
type Linked = z.infer<typeof Linked>

const linkedColumns = sql`id, user_id as "userId", role_given as "roleGiven", group_ids as "groupIds"`

const Somebody = z.object({
  id: z.string(),
  role: z.nullable(z.string()),
  state: z.string(),
  isGone: z.boolean(),
  isBreakGlass: z.boolean(),
})
type Somebody = z.infer<typeof Somebody>

/**
 * Who it is, and what they may do here: by the subject, the first time by a verified address of a proven domain, within the organization of
 * the connection and nowhere else. Whatever a refusal takes away is kept, so nothing is thrown.
 */
export async function judge(tx: Tx, judging: Judging): Promise<Judged> {
  const { connection, said } = judging
  if (!connection.isOn) return { fault: 'connection_off' }
  if (!connection.isOpen) return { fault: 'organization_closed' }
  const known = await linkedBy(tx, connection, said.subject)
  const person = known ?? (await linkFirst(tx, judging))
  if ('fault' in person) return person
  const somebody = await lockSomebody(tx, person.userId)
  const { userId } = person
  const fault =
    !somebody || somebody.isGone || somebody.state === 'disabled'
      ? 'disabled'
      : await settle(tx, judging, { person, somebody })
  if (fault) {
    if (!known) await tx.execute(sql`delete from connection_people where id = ${person.id}`)
    return { fault, userId }
  }
  if (!known) await noteFirst(tx, judging, userId)
  await tx.execute(
    sql`update users set state = 'active', updated_at = now() where id = ${userId} and state = 'invited'`,
  )
  await tx.execute(
    sql`update sign_in_connections set last_sign_in_at = now(), last_fault = null, last_fault_at = null where id = ${connection.id}`,
  )
  return { personId: person.id, userId }
}

function linkedBy(tx: Tx, { id }: KnownConnection, subject: string): Promise<Linked | undefined> {
  return row(
    tx,
    Linked,
    sql`select ${linkedColumns} from connection_people where connection_id = ${id} and subject = ${subject}`,
  )
}

function lockSomebody(tx: Tx, id: string): Promise<Somebody | undefined> {
  return row(
    tx,
    Somebody,
    sql`select u.id, u.role, u.state, u.deleted_at is not null or coalesce(u.delete_after <= now(), false) as "isGone",
        exists (select from sign_in_policies b where b.break_glass_id = u.id) as "isBreakGlass"
      from users u where u.id = ${id} for no key update of u`,
  )
}

const Known = z.object({ id: z.string(), isLinked: z.boolean() })

/** One at a time for each connection, so that of two first sign-ins of the same person the second finds what the first has written. */
async function linkFirst(
  tx: Tx,
  judging: Judging,
): Promise<Linked | Extract<Judged, { fault: SignInFault }>> {
  const { connection, said } = judging
  const { id: connectionId, organizationId } = connection
  await tx.execute(sql`select from sign_in_connections where id = ${connectionId} for no key update`)
  const meanwhile = await linkedBy(tx, connection, said.subject)
  if (meanwhile) return meanwhile
  const address = addressIn(said.claims)
  if ('fault' in address) return address
  const { email } = address
  const fault = await faultOfAddress(tx, connection, email)
  if (fault) return { fault }
  const found = await row(
    tx,
    Known,
    sql`select u.id, exists (select from connection_people p where p.connection_id = ${connectionId} and p.user_id = u.id) as "isLinked"
      from users u where u.email = ${email} and u.organization_id is not distinct from ${organizationId}::uuid and u.deleted_at is null`,
  )
  if (found?.isLinked) return { fault: 'linked_otherwise', userId: found.id }
  const person = found ? { id: found.id, roleGiven: false } : await create(tx, judging, email)
  if (person === undefined) return { fault: 'nobody' }
  const { id: userId, roleGiven } = person
  return requireRow(
    tx,
    Linked,
    sql`insert into connection_people (connection_id, organization_id, user_id, subject, claims, role_given)
      values (${connectionId}, ${organizationId}, ${userId}, ${said.subject}, '{}'::jsonb, ${roleGiven})
      returning ${linkedColumns}`,
  )
}

/** Whoever has signed in needs no invitation any more. */
async function noteFirst(tx: Tx, { connection, by }: Judging, userId: string): Promise<void> {
  const { organizationId, name } = connection
  const entry = { organizationId, entity: 'user', entityId: userId, after: { connection: name } }
  await audit(tx, by, { ...entry, action: 'connection.person_linked' })
  await tx.execute(
    sql`update invitations i set state = 'accepted', accepted_at = now(), accepted_by = u.id, updated_at = now() from users u
      where u.id = ${userId} and i.email = u.email and i.organization_id is not distinct from u.organization_id and i.state = 'pending'`,
  )
}

/** An address says who somebody is only where its domain is proved, and only if nobody else signs in with it. */
async function faultOfAddress(
  tx: Tx,
  { organizationId }: KnownConnection,
  email: string,
): Promise<SignInFault | undefined> {
  if (organizationId !== null) {
    const isSuperadmin = await hasRow(
      tx,
      sql`select from users where email = ${email} and role = 'superadmin' and deleted_at is null`,
    )
    if (isSuperadmin) return 'superadmin'
  }
  const isProved = await hasRow(
    tx,
    sql`select from sign_in_domains where organization_id is not distinct from ${organizationId}::uuid
      and domain = split_part(${email}, '@', 2) and proved_at is not null`,
  )
  if (!isProved) return 'domain_unproved'
  const isElsewhere = await hasRow(
    tx,
    sql`select from users where email = ${email} and password_hash is not null and role is not null and deleted_at is null
      and organization_id is distinct from ${organizationId}::uuid`,
  )
  return isElsewhere ? 'elsewhere' : undefined
}

type NewPerson = { id: string; roleGiven: boolean }

/**
 * Whoever was invited needs no rule. Undefined where nobody invited them and the connection creates nobody, or the rules give no role:
 * nobody is created to be refused.
 */
async function create(tx: Tx, judging: Judging, email: string): Promise<NewPerson | undefined> {
  const { connection, said, by } = judging
  const { organizationId, creates, rules, grants } = connection
  if (organizationId === null) return undefined
  const invitation = await openInvitation(tx, organizationId, email)
  const role = invitation
    ? asGranted(invitation.role)
    : creates
      ? grantedBy(rules, keptClaims(said.claims)).role
      : null
  if (role === null || isAbove(role, grants)) return undefined
  const name = invitation?.name ?? nameIn(said.claims, email)
  const { id } = await requireRow(
    tx,
    z.object({ id: z.string() }),
    sql`insert into users (organization_id, name, email, role) values (${organizationId}, ${name}, ${email}, ${role}) returning id`,
  )
  const after = { name, email, role, connection: connection.name }
  await audit(tx, by, {
    organizationId,
    entity: 'user',
    entityId: id,
    action: 'connection.person_created',
    after,
  })
  if (invitation) await joinGroups(tx, { organizationId, groupIds: invitation.groupIds, role }, id)
  return { id, roleGiven: !invitation }
}

const Invited = z.object({
  role: z.string(),
  name: z.nullable(z.string()),
  groupIds: z.array(z.string()),
})

function openInvitation(tx: Tx, organizationId: string, email: string) {
  return row(
    tx,
    Invited,
    sql`select role, name, group_ids as "groupIds" from invitations
      where organization_id = ${organizationId} and email = ${email} and state = 'pending' and expires_at > now() for update`,
  )
}

const asGranted = (role: string): GrantedRole | null =>
  role === 'admin' || role === 'groupadmin' ? role : null

/**
 * What the rules gave they take away again; what somebody here gave stays, and a rule only raises it. Nobody above the grant enters, and a
 * superadmin stays one whatever is said.
 */
async function settle(
  tx: Tx,
  { connection, said, by }: Judging,
  { person, somebody }: { person: Linked; somebody: Somebody },
): Promise<SignInFault | undefined> {
  const { organizationId, rules, grants, name } = connection
  const kept = keptClaims(said.claims)
  const keep = (roleGiven: boolean, groupIds: readonly string[]) =>
    tx.execute(
      sql`update connection_people set claims = ${JSON.stringify(kept)}::jsonb, last_at = now(), role_given = ${roleGiven},
          group_ids = array(select jsonb_array_elements_text(${JSON.stringify(groupIds)}::jsonb)::uuid) where id = ${person.id}`,
    )
  const present = asRole(somebody.role)
  if (organizationId === null) {
    await keep(false, [])
    return present === 'superadmin' ? undefined : 'no_role'
  }
  if (present === 'superadmin') return 'superadmin'
  const granted = grantedBy(rules, kept)
  const own: GrantedRole | null = person.roleGiven && !somebody.isBreakGlass ? null : present
  const role = somebody.isBreakGlass ? present : higherRole(own, granted.role)
  if (role !== null && isAbove(role, grants)) return 'above_grant'
  const isGiven = role !== null && role !== own
  const where = { organizationId, userId: somebody.id, by, connection: name }
  if (!somebody.isBreakGlass && role !== present) await giveRole(tx, where, { from: present, to: role })
  const groups = role === null ? new Map<string, boolean>() : granted.groups
  await giveGroups(tx, where, { had: person.groupIds, groups, isGroupadmin: role === 'groupadmin' })
  await keep(role === null ? person.roleGiven : isGiven, [...groups.keys()])
  return role === null && !(await mayOnlyWatch(tx, somebody.id)) ? 'no_role' : undefined
}
