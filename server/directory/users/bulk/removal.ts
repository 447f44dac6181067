import * as z from 'zod/mini'
import { rows } from '../../../platform/db/client.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { DoneRow, KindOfOperation, Work } from '../../../operations/kinds.ts'
import {
  actingFor,
  applied,
  isAbove,
  noteEach,
  recordsLeft,
  sortOut,
  undone,
} from '../../../operations/rows.ts'
import { invitePeople } from '../invite.ts'
import { removePeople, type FormerState } from '../remove.ts'
import { lockPeople, Person } from './judge.ts'

export const removal: KindOfOperation = {
  kind: 'users.remove',

  async apply(work, pending) {
    const sorted = await lockPeople(work, { action: 'remove' }, pending)
    const removed = await removePeople(
      actingFor(work),
      work.visibility.organizationId,
      sorted.things.map(({ id }) => id),
    )
    const note = { action: 'user.removed', entity: 'user', things: sorted.things } as const
    await noteEach(work, note, ({ id: _id, blockedReason: _none, ...before }) => ({ before }))
    return applied(sorted, 'removed', ({ id, name }) => ({ label: name, ...removed.get(id) }))
  },

  async undo(work, done) {
    const { fit, others } = sortOut(done, await lockRemoved(work, done))
    const uninvited = await bringBack(work, fit)
    const reasonOf = ({ id }: RemovedPerson) => (uninvited.has(id) ? ('invited_too_often' as const) : null)
    return undone(
      fit.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      others,
    )
  },
}

const RemovedPerson = z.omit(Person, { state: true })
type RemovedPerson = z.infer<typeof RemovedPerson>

/** The people of these rows, and why they are not removed as they were, cannot be brought back by this actor, or have lost what is theirs. */
function lockRemoved({ tx, actor, visibility }: Work, done: readonly DoneRow[]): Promise<RemovedPerson[]> {
  const present = sql`select from users o where o.organization_id = u.organization_id and o.deleted_at is null`
  return rows(
    tx,
    RemovedPerson,
    sql`select u.id, u.name, u.email, u.role, case
          when u.erased_at is not null then 'erased'
          when u.deleted_at is distinct from r."deletedAt" then 'changed_since'
          when ${isAbove(actor, sql`u.role`)} then 'above_role'
          when exists (${present} and o.email = u.email) then 'email_taken'
          when exists (${present} and o.external_id = u.external_id) then 'external_id_taken' end as "blockedReason"
      from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join users u on u.id = r.id
      where u.organization_id = ${visibility.organizationId} order by u.id for update of u`,
  )
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
  const things = wanted.map(({ one: { id, name, email, role }, state }) => ({ id, name, email, role, state }))
  const note = { action: 'user.restored', entity: 'user', things } as const
  await noteEach(work, note, ({ id: _id, ...after }) => ({ after }))
  const invited = wanted.flatMap(({ one, state }) => (state === 'invited' ? one : []))
  const sent = await invitePeople(actingFor(work), organizationId, invited)
  return new Set(invited.flatMap(({ id }) => (sent.has(id) ? [] : id)))
}
