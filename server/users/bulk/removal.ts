import { arrayOf, beyondWall, rows } from '../../db/client.ts'
import { sql } from '../../db/drizzle.ts'
import { auditMany } from '../../http/audit.ts'
import type { DoneRow, KindOfOperation, Work } from '../../operations/kinds.ts'
import { actingFor, isAbove, left, sortOut, undone } from '../../operations/rows.ts'
import { invitePeople } from '../invite.ts'
import { removePeople, type Kept, type Removed } from '../remove.ts'
import { lockPeople, type Person } from './judge.ts'

export const removal: KindOfOperation = {
  kind: 'users.remove',

  async apply(work, pending) {
    const { fit, others } = await lockPeople(work, { action: 'remove' }, pending)
    const acting = actingFor(work)
    const organizationId = work.sight.organizationId
    const ids = fit.map(({ one }) => one.id)
    const removed = await removePeople(acting, organizationId, ids)
    const entries = fit.map(({ one: { id, hindrance: _none, ...before } }) => {
      return { organizationId, action: 'user.removed' as const, entity: 'user', entityId: id, before }
    })
    await auditMany(work.tx, acting, entries)
    return [
      ...others.map(({ row, reason }) => left(row, reason)),
      ...fit.map(({ row, one }) => ({
        position: row.position,
        outcome: 'removed' as const,
        label: one.name,
        ...removed.get(one.id),
      })),
    ]
  },

  async undo(work, done) {
    const { fit, others } = sortOut(done, await lockRemoved(work, done))
    const taken = await takenElsewhere(
      work,
      fit.map(({ one }) => one),
    )
    const back = fit.filter(({ one }) => !taken.has(one.id))
    const uninvited = await bringBack(work, back)
    const reasonOf = ({ id }: Gone) => (uninvited.has(id) ? ('invited_too_often' as const) : null)
    const late = fit
      .filter(({ one }) => taken.has(one.id))
      .map(({ row }) => ({ row, reason: 'email_taken' as const }))
    return undone(
      back.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      [...others, ...late],
    )
  },
}

type Gone = Pick<Person, 'id' | 'hindrance' | 'name' | 'email' | 'role'>

/** Those of these rows who are still removed as they were, and can come back. */
function lockRemoved({ tx, actor, sight }: Work, done: readonly DoneRow[]): Promise<Gone[]> {
  // What was written at the removal comes back as it was written.
  const asLeft = done.map(({ entityId, after }) => ({ id: entityId, ...(after as Removed['after'] | null) }))
  const another = sql`select 1 from users o where o.organization_id = u.organization_id and o.deleted_at is null`
  return rows<Gone>(
    tx,
    sql`select u.id, u.name, u.email, u.role, case
          when u.erased_at is not null then 'erased'
          when u.deleted_at is distinct from r."deletedAt" then 'changed_since'
          when ${isAbove(actor, sql`u.role`)} then 'above_role'
          when exists (${another} and o.email = u.email) then 'email_taken'
          when exists (${another} and o.external_id = u.external_id) then 'external_id_taken' end as hindrance
      from jsonb_to_recordset(${JSON.stringify(asLeft)}::jsonb) as r(id uuid, "deletedAt" timestamptz) join users u on u.id = r.id
      where u.organization_id = ${sight.organizationId} order by u.id for update of u`,
  )
}

/** An address opens one account in the whole installation, and behind the wall nobody sees whether it does by now. */
async function takenElsewhere({ tx }: Work, people: readonly Gone[]): Promise<ReadonlySet<string>> {
  const ids = people.flatMap(({ id, role }) => (role === null ? [] : id))
  if (ids.length === 0) return new Set()
  const taken = await beyondWall(tx, () =>
    rows<{ id: string }>(
      tx,
      sql`select u.id from users u where u.id = any(${arrayOf(ids, 'uuid')}) and exists (
        select 1 from users o where o.email = u.email and o.role is not null and o.deleted_at is null)`,
    ),
  )
  return new Set(taken.map(({ id }) => id))
}

type Back = { row: DoneRow; one: Gone }

/**
 * Whoever may sign in is `invited` again, because the secrets are gone; who was disabled stays so. Returns those who could not be
 * sent an invitation today.
 */
async function bringBack(work: Work, back: readonly Back[]): Promise<ReadonlySet<string>> {
  if (back.length === 0) return new Set()
  const { tx, sight } = work
  const { organizationId } = sight
  const wanted = back.map(({ row, one }) => {
    const { state, groups } = row.before as Kept
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
