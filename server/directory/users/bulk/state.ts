import * as z from 'zod/mini'
import { UserAction } from '#contract/directory/bulk.ts'
import { User } from '#contract/directory/users.ts'
import { rows } from '../../../platform/db/client.ts'
import { idsOf } from '../../../platform/db/rows.ts'
import { sql } from '../../../platform/db/sql.ts'
import { revoke } from '../../../identity/invitations.ts'
import { endAccessOf } from '../../../identity/session.ts'
import type { KindOfOperation, Work } from '../../../operations/kinds.ts'
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
import { lockPeople, JudgedPerson } from './judge.ts'

type State = { state: User['state'] }
type WantedState = 'active' | 'disabled'

/** Enables or disables people. Each row keeps which state it was and which it became. */
export const change: KindOfOperation = {
  kind: 'users.change',

  async apply(work, pending) {
    const asked = UserAction.parse(work.operation.params.do)
    if (asked.action !== 'change') throw new Error('another action')
    const sorted = await lockPeople(work, asked, pending)
    const after = await setState(work, sorted.things, asked.state)
    return applied(sorted, 'changed', ({ id, name, state }) => ({
      label: name,
      before: { state },
      after: { state: after.get(id) },
    }))
  },

  async undo(work, done) {
    const { tx, actor, visibility } = work
    const found = await rows(
      tx,
      JudgedPerson,
      sql`select u.id, u.name, u.email, u.role, u.state, case when u.deleted_at is not null then 'gone'
            when u.state <> r.state then 'changed_since' when u.id = ${actor.userId} then 'yourself'
            when ${isAbove(actor, sql`u.role`)} then 'above_role' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, state text) join users u on u.id = r.id
        where u.organization_id = ${visibility.organizationId} order by u.id for update of u`,
    )
    const { fit, others } = sortOut(done, found)
    for (const wish of ['disabled', 'active'] as const) {
      const back = fit.filter(
        ({ row }) => ((row.before as State).state === 'disabled') === (wish === 'disabled'),
      )
      await setState(
        work,
        back.map(({ one }) => one),
        wish,
      )
    }
    return undone(fit, others)
  },
}

const SetStateRow = z.object({ id: z.string(), state: User.shape.state })

/**
 * Sets states as the form of one person does. Whoever is disabled loses access and invitation; whoever is enabled and has no password is
 * invited.
 */
async function setState(
  work: Work,
  people: readonly JudgedPerson[],
  wish: WantedState,
): Promise<ReadonlyMap<string, User['state']>> {
  if (people.length === 0) return new Map()
  const { tx, actor, visibility } = work
  const { organizationId } = visibility
  const acting = actingFor(work)
  const whose = idsOf(people)
  const enabled = sql`case when role is not null and password_hash is null then 'invited' else 'active' end`
  const set = await rows(
    tx,
    SetStateRow,
    sql`update users set state = ${wish === 'disabled' ? sql`'disabled'` : enabled}, updated_at = now()
      where organization_id = ${organizationId} and id = any(${whose}) returning id, state`,
  )
  const after = new Map(set.map(({ id, state }) => [id, state]))
  if (wish === 'disabled') {
    await endAccessOf(tx, sql`u.id = any(${whose})`, { reason: 'disabled', by: actor.userId })
    await revoke(acting, sql`organization_id = ${organizationId} and user_id = any(${whose})`)
  }
  await noteEach(work, { action: 'user.changed', entity: 'user', things: people }, ({ id, name, state }) => ({
    before: { name, state },
    after: { name, state: after.get(id) },
  }))
  const invited = people.filter(({ id }) => after.get(id) === 'invited')
  await invitePeople(acting, organizationId, invited)
  return after
}
