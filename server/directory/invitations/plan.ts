import * as z from 'zod/mini'
import { invitable, mostInvited, type InviteRow } from '#contract/directory/invitations.ts'
import { mayGrant, type Role, roles } from '#contract/roles.ts'
import { Email } from '#contract/directory/users.ts'
import { arrayOf, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Invited } from '../../identity/invitations.ts'
import type { GivenAddress } from '../people/addresses.ts'
import { seesInvitation } from './queries.ts'
import { readCount } from '../../platform/db/rows.ts'

type WantedInvitation = { organizationId: string | null; role: Role; groupIds: readonly string[] }
export type RequestedInvitation = GivenAddress & { role?: Role | undefined }

/** This is one address with what becomes of it; `invite` is there where it is to be invited. */
export type Planned = Omit<InviteRow, 'invitationId'> & { invitationId: string | null; invite?: Invited }

/** Refuses the whole request when nobody may be invited like that. */
export async function requireRight(tx: Tx, caller: Caller, wanted: WantedInvitation): Promise<void> {
  const { organizationId, role, groupIds } = wanted
  const isForeign = caller.role !== 'superadmin' && organizationId !== caller.organizationId
  if (isForeign) throw refuse('not_found')
  if (!invitable(caller.role, organizationId === null ? 'installation' : 'organization').includes(role))
    throw mayGrant(caller.role, role)
      ? refuse('validation_failed', { fields: { role: ['invalid'] } })
      : refuse('forbidden', { fields: { role: ['not_allowed'] } })
  await requireOrganization(tx, organizationId)
  await requireGroups(tx, caller, { organizationId, groupIds: [...new Set(groupIds)] })
}

const OrganizationState = z.object({ state: z.string() })

async function requireOrganization(tx: Tx, organizationId: string | null): Promise<void> {
  if (organizationId === null) return
  const found = await requireRow(
    tx,
    OrganizationState,
    sql`select state from organizations where id = ${organizationId} and deleted_at is null for key share`,
  )
  if (found.state !== 'active') throw refuse('conflict', { reason: { code: 'organization_closed' } })
}

type Groups = Pick<WantedInvitation, 'organizationId' | 'groupIds'>

async function requireGroups(tx: Tx, caller: Caller, { organizationId, groupIds }: Groups): Promise<void> {
  if (caller.role === 'groupadmin') {
    if (groupIds.length === 0) throw refuse('validation_failed', { fields: { groupIds: ['required'] } })
    if (groupIds.some((id) => !caller.groupIds.includes(id)))
      throw refuse('not_found', { fields: { groupIds: ['not_found'] } })
  }
  const known = await readCount(
    tx,
    sql`select count(*)::int as n from groups where organization_id = ${organizationId} and deleted_at is null
      and id = any(${arrayOf(groupIds, 'uuid')})`,
  )
  if (known !== groupIds.length) throw refuse('validation_failed', { fields: { groupIds: ['not_found'] } })
}

const PlannedPerson = z.object({
  id: z.string(),
  email: z.string(),
  role: z.nullable(z.enum(roles)),
  state: z.string(),
  isHere: z.boolean(),
  isSeen: z.boolean(),
  groupIds: z.array(z.string()),
})
type PlannedPerson = z.infer<typeof PlannedPerson>
const WaitingInvitation = z.object({ id: z.string(), email: z.string(), isSeen: z.boolean() })
type WaitingInvitation = z.infer<typeof WaitingInvitation>

/** Says what becomes of each address, and changes nothing. */
export async function plan(
  tx: Tx,
  caller: Caller,
  { asked, ...wanted }: WantedInvitation & { asked: readonly RequestedInvitation[] },
): Promise<Planned[]> {
  if (asked.length === 0) throw refuse('validation_failed', { fields: { addresses: ['required'] } })
  if (asked.length > mostInvited) throw refuse('validation_failed', { fields: { addresses: ['too_long'] } })
  const read = asked.map((one) => ({ ...one, email: z.safeParse(Email, one.email).data ?? null }))
  const emails = [...new Set(read.flatMap(({ email }) => email ?? []))]
  const people = await peopleOf(tx, { caller, wanted, emails })
  const waiting = await waitingFor(tx, { caller, wanted, emails })
  const seen = new Set<string>()
  const judged = ({ given, email, name, role = wanted.role }: (typeof read)[number]): Planned => {
    const planned: Planned = { given, email, name, outcome: 'invited', reason: null, invitationId: null }
    if (email === null) return { ...planned, outcome: 'not_an_address' }
    if (seen.has(email)) return { ...planned, outcome: 'twice' }
    seen.add(email)
    const facts = { person: people.get(email), waiting: waiting.get(email) }
    return { ...planned, ...judge(caller, { ...wanted, ...facts, email, name, role }) }
  }
  return read.map(judged)
}

type Case = WantedInvitation & {
  email: string
  name: string | null
  person: PlannedPerson | undefined
  waiting: WaitingInvitation | undefined
}

function judge(caller: Caller, given: Case): Partial<Planned> {
  const { organizationId, email, name, role, groupIds, person, waiting } = given
  const into = organizationId === null ? 'installation' : 'organization'
  if (!invitable(caller.role, into).includes(role)) return { outcome: 'not_allowed', reason: 'invite_role' }
  if (waiting) return { outcome: 'already_invited', invitationId: waiting.isSeen ? waiting.id : null }
  const invite = { organizationId, email, name, role, groupIds: [...groupIds], userId: person?.id ?? null }
  if (!person) return { invite }
  if (person.role !== null) return withRole(caller, { ...invite, userId: person.id }, person)
  if (person.state === 'disabled') return { outcome: 'not_allowed', reason: 'invite_disabled' }
  // A groupadmin learns of nobody outside of their groups.
  return { invite, outcome: person.isSeen ? 'recipient' : 'invited' }
}

/** Decides about somebody with a role. Whoever never accepted is invited again as what they are; everybody else has an account. */
function withRole(caller: Caller, invite: Invited, person: PlannedPerson): Partial<Planned> {
  const { role, state, isHere, groupIds } = person
  const isWaiting = isHere && state === 'invited' && role !== null
  if (isWaiting && caller.role !== 'groupadmin' && mayGrant(caller.role, role))
    return { invite: { ...invite, role, groupIds } }
  return { outcome: 'has_account' }
}

type Lookup = { caller: Caller; wanted: WantedInvitation; emails: readonly string[] }

/** Finds people by address. In the scope of one organization nobody of another is seen, whoever has that address there. */
async function peopleOf(tx: Tx, { caller, wanted, emails }: Lookup): Promise<Map<string, PlannedPerson>> {
  const isHere = sql`u.organization_id is not distinct from ${wanted.organizationId}::uuid`
  const own = arrayOf(caller.groupIds, 'uuid')
  const isSeen =
    caller.role === 'groupadmin'
      ? sql`exists (select 1 from group_members m where m.user_id = u.id and m.group_id = any(${own}))`
      : sql`true`
  const found = await rows(
    tx,
    PlannedPerson,
    sql`select u.id, u.email, u.role, u.state, ${isHere} as "isHere", ${isSeen} as "isSeen",
        coalesce((select array_agg(m.group_id) from group_members m where m.user_id = u.id), '{}') as "groupIds"
      from users u where u.email = any(${arrayOf(emails, 'text')}) and u.deleted_at is null
        and (${isHere} or (u.role is not null and u.password_hash is not null))
      order by ${isHere} desc`,
  )
  return new Map(found.map((person) => [person.email, person]))
}

async function waitingFor(
  tx: Tx,
  { caller, wanted, emails }: Lookup,
): Promise<Map<string, WaitingInvitation>> {
  const found = await rows(
    tx,
    WaitingInvitation,
    sql`select i.id, i.email, (${seesInvitation(caller)}) as "isSeen" from invitations i
      where i.organization_id is not distinct from ${wanted.organizationId}::uuid and i.email = any(${arrayOf(emails, 'text')})
        and i.state = 'pending' and i.expires_at > now()`,
  )
  return new Map(found.map((invitation) => [invitation.email, invitation]))
}
