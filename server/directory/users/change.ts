import * as z from 'zod/mini'
import type { FieldProblem } from '#contract/problems.ts'
import { mayGrant } from '#contract/roles.ts'
import { User, type UserInput } from '#contract/directory/users.ts'
import { arrayOf, hasRow, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { requireFresh, type Caller } from '../../platform/http/bearer.ts'
import { endAccess } from '../../identity/session.ts'
import { forgetLinks } from '../../identity/sso/people.ts'
import { requireNotBreakGlass } from '../../identity/sso/break-glass.ts'
import { checkedFields, withFields } from '../people/fields.ts'
import { applyRules } from '../people/rule-members.ts'
import { columns, findUser } from './queries.ts'
import { requirePlaceZone } from './time-zone.ts'

/** This is a person without their groups. */
const ChangedPerson = z.omit(User, { groups: true })
type ChangedPerson = z.infer<typeof ChangedPerson>

/** A person who was just inserted is in no group yet. Where no group has a rule, it stays so. */
const Inserted = z.extend(User, { hasRules: z.boolean() })

function roleFor(input: UserInput, before?: User) {
  return input.role === undefined ? (before?.role ?? null) : input.role
}

/**
 * Returns the state that follows from a change. Whoever is given a role, or signs in and is given another address, is `invited` until they
 * accept; nobody else makes them active. A recipient needs no invitation. Whoever is enabled again and has no password yet is invited
 * again, which only the database can tell.
 */
function stateFor(input: UserInput, before?: User): User['state'] {
  if (input.state === 'disabled') return 'disabled'
  if (roleFor(input, before) === null)
    return input.state === undefined && before?.state === 'disabled' ? 'disabled' : 'active'
  if (!before?.role) return 'invited'
  if (before.state === 'disabled' && input.state === undefined) return 'disabled'
  if (isReaddressed(input, before)) return 'invited'
  return before.state === 'disabled' ? 'active' : before.state
}

/** Returns whether somebody who signs in has another address now. They have proved their mailbox, and prove another one in the same way. */
const isReaddressed = (input: UserInput, before?: User) =>
  isMoved(input, before) && roleFor(input, before) !== null

const isMoved = (input: UserInput, before?: User) => before !== undefined && before.email !== input.email

/**
 * Asks for proof of whoever hands out power, or puts another mailbox in the place of somebody's. A key proves nothing and lets nobody in:
 * it moves and enables nobody but those who only receive, as an import does.
 */
function requireProof(caller: Caller, input: UserInput, before?: User): void {
  const [from, to] = [before?.role ?? null, roleFor(input, before)]
  const isRaised = to !== null && (from === null || !mayGrant(from, to))
  const isEnabled = to !== null && before?.state === 'disabled' && stateFor(input, before) !== 'disabled'
  const asksForProof = caller.key ? isEnabled || isReaddressed(input, before) : isMoved(input, before)
  if (isRaised || asksForProof) requireFresh(caller)
}

function refuseForbiddenRole(caller: Caller, input: UserInput, before?: User): void {
  const mayChange = mayGrant(caller.role, input.role ?? null) && mayGrant(caller.role, before?.role ?? null)
  if (!mayChange) throw refuse('forbidden', { fields: { role: ['not_allowed'] } })
  if (before?.id !== caller.userId) return
  if (input.email !== before.email) {
    throw refuse('conflict', {
      reason: { code: 'own_email' },
      fields: { email: ['not_allowed'] },
    })
  }
  const role = input.role === undefined ? before.role : input.role
  if (role !== before.role) {
    throw refuse('conflict', {
      reason: { code: 'own_role' },
      fields: { role: ['not_allowed'] },
    })
  }
  if (input.state !== undefined && input.state !== before.state) {
    throw refuse('conflict', {
      reason: { code: 'own_access' },
      fields: { state: ['not_allowed'] },
    })
  }
}

/** Returns whether somebody would not be an active administrator any more. */
const givesUp = (input: UserInput, before: User) =>
  roleFor(input, before) !== 'admin' || stateFor(input, before) !== 'active'

type Managed = { organizationId: string; input: UserInput; before?: User }

/** Refuses a manager who is not known. One that stays as it was may be somebody who has left meanwhile. */
async function requireManager(
  tx: Tx,
  { organizationId, input: { manager }, before }: Managed,
): Promise<void> {
  if (!manager || manager === before?.manager) return
  const isKnown = await hasRow(
    tx,
    sql`select 1 from users u where u.organization_id = ${organizationId} and u.deleted_at is null
      and (lower(u.email) = lower(${manager}) or u.external_id = ${manager}) and u.id is distinct from ${before?.id ?? null}::uuid`,
  )
  if (!isKnown) throw refuse('validation_failed', { fields: { manager: ['not_found'] } })
}

export async function insertUser(
  tx: Tx,
  { caller, organizationId, input }: { caller: Caller; organizationId: string; input: UserInput },
): Promise<User> {
  refuseForbiddenRole(caller, input)
  requireProof(caller, input)
  requirePlaceZone(input)
  await requireManager(tx, { organizationId, input })
  const fields = await checkedFields(tx, organizationId, { given: input.customFields })
  const { hasRules, ...inserted } = await requireRow(
    tx,
    Inserted,
    sql`insert into users as u (organization_id, name, email, role, state, phone, external_id, language, time_zone, manager, custom_fields)
      select o.id, ${input.name}, ${input.email}, ${input.role ?? null}::text, ${stateFor(input)}::text,
        ${input.phone || null}::text, ${input.externalId || null}::text, ${input.language ?? null}::text, ${input.timeZone || null}::text, ${input.manager || null}::text,
        ${withFields(sql`'{}'::jsonb`, fields)}
      from organizations o where o.id = ${organizationId} and o.deleted_at is null
      returning ${columns}, '[]'::json as groups, has_rules(u.organization_id) as "hasRules"`,
  )
  const groupIds = input.groupIds ?? []
  if (groupIds.length === 0 && !hasRules) return inserted
  if (groupIds.length > 0)
    await setGroups(tx, inserted, { groupIds, adminGroupIds: input.adminGroupIds ?? groupIds })
  await applyRules(tx, organizationId)
  return findUser(tx, { visibility: { organizationId, groupIds: undefined }, id: inserted.id })
}

type UserChange = { caller: Caller; before: User; organizationId: string; input: UserInput }

export async function changeUser(
  tx: Tx,
  { caller, before, organizationId, input }: UserChange,
): Promise<User> {
  refuseForbiddenRole(caller, input, before)
  requireProof(caller, input, before)
  requirePlaceZone(input)
  if (givesUp(input, before)) await requireNotBreakGlass(tx, before.id)
  await requireManager(tx, { organizationId, input, before })
  const given = { ...before, ...input }
  const values = { given: input.customFields, before: before.customFields }
  const fields = await checkedFields(tx, organizationId, values)
  const state = stateFor(input, before)
  const isNewRole = before.role === null && given.role !== null
  const mustProve = isNewRole || isReaddressed(input, before)
  const isEnabled = before.state === 'disabled' && state === 'active' && given.role !== null
  const changed = await requireRow(
    tx,
    ChangedPerson,
    sql`update users u set name = ${given.name}, email = ${given.email}, role = ${given.role ?? null},
        state = case when ${isEnabled} and password_hash is null then 'invited' else ${state} end,
        password_hash = case when ${mustProve} then null else password_hash end,
        phone = ${given.phone || null}, external_id = ${given.externalId || null}, language = ${given.language ?? null}, time_zone = ${given.timeZone || null},
        manager = ${given.manager || null},
        custom_fields = ${withFields(sql`custom_fields`, fields)}, updated_at = now()
      where u.organization_id = ${organizationId} and u.id = ${before.id} returning ${columns}`,
  )
  await setGroups(tx, changed, groupsAfter(before, input))
  await applyRules(tx, organizationId)
  if (isNewRole) await forgetLinks(tx, before.id)
  const reason = endOfAccess(before, changed)
  if (reason) await endAccess(tx, before.id, { reason, by: caller.userId })
  return findUser(tx, { visibility: { organizationId, groupIds: undefined }, id: before.id })
}

function endOfAccess(before: User, after: ChangedPerson) {
  if (before.role !== null && (after.role === null || after.state === 'disabled')) return 'disabled'
  if (after.role !== before.role) return 'role_changed'
  return before.role !== null && after.email !== before.email ? 'by_admin' : undefined
}

type Groups = { groupIds: readonly string[]; adminGroupIds: readonly string[] }

/** Returns the groups after a change. Groups that it leaves out stay, and within them what the person administers. */
function groupsAfter(before: User, input: UserInput): Groups {
  return {
    groupIds: input.groupIds ?? before.groups.filter((group) => !group.byRule).map((group) => group.id),
    adminGroupIds:
      input.adminGroupIds ?? before.groups.filter((group) => group.groupadmin).map((group) => group.id),
  }
}

const KnownGroups = z.object({ n: z.number(), refused: z.number() })

/**
 * Writes the groups of a person. Only a groupadmin administers groups; with any other role every membership is a plain one. Nobody is put
 * into a group with a rule by hand except whoever administers it; memberships by rule are left to the rule.
 */
async function setGroups(tx: Tx, person: ChangedPerson, { groupIds, adminGroupIds }: Groups): Promise<void> {
  const administered = person.role === 'groupadmin' ? adminGroupIds : []
  const wanted = arrayOf([...new Set(groupIds)], 'uuid')
  const known = await row(
    tx,
    KnownGroups,
    sql`select count(*)::int as n, count(*) filter (where g.kind = 'rule' and g.id <> all(${arrayOf(administered, 'uuid')})
        and not exists (select 1 from group_members m where m.group_id = g.id and m.user_id = ${person.id}))::int as refused
      from (select id, kind from groups where organization_id = ${person.organizationId}
        and deleted_at is null and id = any(${wanted}) for key share) g`,
  )
  const problem: FieldProblem | undefined =
    known?.n !== new Set(groupIds).size ? 'not_found' : known.refused > 0 ? 'rule_group' : undefined
  if (problem) throw refuse('validation_failed', { fields: { groupIds: [problem] } })
  await tx.execute(
    sql`delete from group_members m where m.organization_id = ${person.organizationId} and m.user_id = ${person.id}
      and not m.by_rule and m.group_id <> all(${wanted})`,
  )
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin, by_rule)
      select g.organization_id, g.id, ${person.id}, a.mark, g.kind = 'rule' and not a.mark
      from groups g, lateral (select g.id = any(${arrayOf(administered, 'uuid')}) as mark) a
      where g.organization_id = ${person.organizationId} and g.id = any(${wanted})
      on conflict (group_id, user_id) do update set groupadmin = excluded.groupadmin, by_rule = excluded.by_rule
        where (group_members.groupadmin, group_members.by_rule) is distinct from (excluded.groupadmin, excluded.by_rule)`,
  )
}

export function refuseRemoval(caller: Caller, user: User): void {
  if (user.id === caller.userId) throw refuse('conflict', { reason: { code: 'own_removal' } })
  if (!mayGrant(caller.role, user.role)) throw refuse('forbidden')
}
