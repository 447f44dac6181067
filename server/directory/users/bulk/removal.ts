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
import { removePeople, type FormerState } from '../remove.ts'
import { bringBack, isAddressTaken, isNumberTaken } from '../restore.ts'
import { lockPeople, JudgedPerson } from './judge.ts'

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
    const back = fit.map(({ row, one }) => ({ ...one, former: row.before as FormerState }))
    const uninvited = await bringBack(actingFor(work), work.visibility.organizationId, back)
    const reasonOf = ({ id }: RemovedPerson) => (uninvited.has(id) ? ('invited_too_often' as const) : null)
    return undone(
      fit.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      others,
    )
  },
}

const RemovedPerson = z.omit(JudgedPerson, { state: true })
type RemovedPerson = z.infer<typeof RemovedPerson>

/**
 * Finds the people of these rows, and why they cannot come back: they are not removed as they were, this actor may not bring them back, or
 * they have lost what is theirs.
 */
function lockRemoved({ tx, actor, visibility }: Work, done: readonly DoneRow[]): Promise<RemovedPerson[]> {
  return rows(
    tx,
    RemovedPerson,
    sql`select u.id, u.name, u.email, u.role, case
          when u.erased_at is not null then 'erased'
          when u.deleted_at is distinct from r."deletedAt" then 'changed_since'
          when ${isAbove(actor, sql`u.role`)} then 'above_role'
          when ${isAddressTaken} then 'email_taken'
          when ${isNumberTaken} then 'external_id_taken' end as "blockedReason"
      from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join users u on u.id = r.id
      where u.organization_id = ${visibility.organizationId} order by u.id for update of u`,
  )
}
