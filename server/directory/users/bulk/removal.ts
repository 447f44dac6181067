import * as z from 'zod/mini'
import { arrayOf, rows } from '../../../platform/db/client.ts'
import { sql } from '../../../platform/db/sql.ts'
import { auditMany } from '../../../platform/http/audit.ts'
import type { DoneRow, KindOfOperation, Work } from '../../../operations/kinds.ts'
import { actingFor, applied, isAbove, recordsLeft, sortOut, undone } from '../../../operations/rows.ts'
import { invitePeople } from '../invite.ts'
import { removePeople, type FormerState } from '../remove.ts'
import { lockPeople, Person } from './judge.ts'

export const removal: KindOfOperation = {
  kind: 'users.remove',

  async apply(work, pending) {
    const sorted = await lockPeople(work, { action: 'remove' }, pending)
    const acting = actingFor(work)
    const organizationId = work.visibility.organizationId
    const removed = await removePeople(
      acting,
      organizationId,
      sorted.things.map(({ id }) => id),
    )
    const entries = sorted.things.map(({ id, blockedReason: _none, ...before }) => {
      return { organizationId, action: 'user.removed' as const, entity: 'user', entityId: id, before }
    })
    await auditMany(work.tx, acting, entries)
    return applied(sorted, 'removed', ({ id, name }) => ({ label: name, ...removed.get(id) }))
  },

  async undo(work, done) {
    const removed = await lockRemoved(work, done)
    const { fit, others } = sortOut(done, await judge(work, removed))
    const uninvited = await bringBack(work, fit)
    const reasonOf = ({ id }: RemovedPerson) => (uninvited.has(id) ? ('invited_too_often' as const) : null)
    return undone(
      fit.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      others,
    )
  },
}

const RemovedPerson = z.extend(
  z.pick(Person, { id: true, blockedReason: true, name: true, email: true, role: true }),
  {
    externalId: z.nullable(z.string()),
  },
)
type RemovedPerson = z.infer<typeof RemovedPerson>

/** The people of these rows, and why they are not removed as they were, or cannot be brought back by this actor. */
function lockRemoved({ tx, actor, visibility }: Work, done: readonly DoneRow[]): Promise<RemovedPerson[]> {
  return rows(
    tx,
    RemovedPerson,
    sql`select u.id, u.name, u.email, u.role, u.external_id as "externalId", case
          when u.erased_at is not null then 'erased'
          when u.deleted_at is distinct from r."deletedAt" then 'changed_since'
          when ${isAbove(actor, sql`u.role`)} then 'above_role' end as "blockedReason"
      from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join users u on u.id = r.id
      where u.organization_id = ${visibility.organizationId} order by u.id for update of u`,
  )
}

const OwnedKeys = z.pick(RemovedPerson, { email: true, externalId: true })

/** Adds what somebody else here has by now. */
async function judge({ tx, visibility }: Work, removed: readonly RemovedPerson[]): Promise<RemovedPerson[]> {
  const here = sql`select email, external_id as "externalId" from users
    where organization_id = ${visibility.organizationId} and deleted_at is null`
  const emails = arrayOf(
    removed.map(({ email }) => email),
    'text',
  )
  const numbers = arrayOf(
    removed.flatMap(({ externalId }) => externalId ?? []),
    'text',
  )
  const owned = await rows(
    tx,
    OwnedKeys,
    sql`${here} and email = any(${emails}) union all ${here} and external_id = any(${numbers})`,
  )
  const takenEmails = new Set(owned.map(({ email }) => email))
  const takenNumbers = new Set(owned.flatMap(({ externalId }) => externalId ?? []))
  return removed.map((one) => {
    const found = takenEmails.has(one.email)
      ? ('email_taken' as const)
      : one.externalId !== null && takenNumbers.has(one.externalId)
        ? ('external_id_taken' as const)
        : null
    return { ...one, blockedReason: one.blockedReason ?? found }
  })
}

type ReturningPerson = { row: DoneRow; one: RemovedPerson }

/**
 * Whoever may sign in is `invited` again, because the secrets are gone; who was disabled stays so. Returns those who could not be
 * sent an invitation today.
 */
async function bringBack(work: Work, back: readonly ReturningPerson[]): Promise<ReadonlySet<string>> {
  if (back.length === 0) return new Set()
  const { tx, visibility } = work
  const { organizationId } = visibility
  const wanted = back.map(({ row, one }) => {
    const { state, groups } = row.before as FormerState
    return { one, groups, state: state === 'disabled' ? state : one.role === null ? 'active' : 'invited' }
  })
  const states = wanted.map(({ one, state }) => ({ id: one.id, state }))
  await tx.execute(
    sql`update users u set deleted_at = null, state = r.state, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as r(id uuid, state text) where u.id = r.id`,
  )
  const memberships = wanted.flatMap(({ one, groups }) =>
    groups.map((group) => ({ ...group, userId: one.id })),
  )
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select g.organization_id, g.id, u.id, m.groupadmin and u.role is not distinct from 'groupadmin'
      from jsonb_to_recordset(${JSON.stringify(memberships)}::jsonb) as m("userId" uuid, "groupId" uuid, groupadmin boolean)
      join users u on u.id = m."userId" join groups g on g.organization_id = ${organizationId} and g.id = m."groupId" and g.kind = 'static'
      on conflict do nothing`,
  )
  const acting = actingFor(work)
  const entries = wanted.map(({ one: { id, name, email, role }, state }) => {
    const after = { name, email, role, state }
    return { organizationId, action: 'user.restored' as const, entity: 'user', entityId: id, after }
  })
  await auditMany(tx, acting, entries)
  const invited = wanted.flatMap(({ one, state }) => (state === 'invited' ? one : []))
  const sent = await invitePeople(acting, organizationId, invited)
  return new Set(invited.flatMap(({ id }) => (sent.has(id) ? [] : id)))
}
