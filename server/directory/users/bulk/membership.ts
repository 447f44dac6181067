import * as z from 'zod/mini'
import { UserAction } from '#contract/directory/bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { arrayOf, rows } from '../../../platform/db/client.ts'
import { idsOf } from '../../../platform/db/rows.ts'
import { sql, type SQL } from '../../../platform/db/sql.ts'
import { all, isoText } from '../../../platform/db/search.ts'
import { auditMany } from '../../../platform/http/audit.ts'
import { seesGroup } from '../../../platform/http/visibility.ts'
import type { DoneRow, KindOfOperation, Work } from '../../../operations/kinds.ts'
import { actingFor, applied, sortOut, undone } from '../../../operations/rows.ts'
import { lockPeople } from './judge.ts'

/** This is one membership as it was, or as it became; `since` tells it from a later one of the same person. */
export const Membership = z.object({ since: z.string(), groupadmin: z.boolean() })
export type Membership = z.infer<typeof Membership>

const since = sql`${isoText(sql`created_at`)} as since`

const MembershipRow = z.extend(Membership, { id: z.string() })
type MembershipRow = z.infer<typeof MembershipRow>

export const addition: KindOfOperation = {
  kind: 'users.add_to_group',

  async apply(work, pending) {
    const { asked, groupId } = groupActionOf(work)
    const sorted = await lockPeople(work, asked, pending)
    const wanted = idsOf(sorted.things)
    const added = await rows(
      work.tx,
      MembershipRow,
      sql`insert into group_members (organization_id, group_id, user_id)
        select ${work.visibility.organizationId}, ${groupId}, id from unnest(${wanted}) id
        on conflict do nothing returning user_id as id, groupadmin, ${since}`,
    )
    await note(work, 'group.members_added', new Map([[groupId, added.map(({ id }) => id)]]))
    const byId = new Map(added.map(({ id, ...after }) => [id, after]))
    return applied(sorted, 'changed', ({ id, name }) => {
      const after = byId.get(id)
      return after ? { label: name, after } : 'already_member'
    })
  },

  /** Leaves out people who have left since, or who administer the group by now, because somebody has decided about them again. */
  async undo(work, done) {
    const asLeft = done.map(({ entityId, groupId, after }) => ({
      id: entityId,
      groupId,
      ...(after as Membership),
    }))
    const present = sql`exists (select 1 from group_members m where m.group_id = r."groupId" and m.user_id = r.id
      and m.created_at = r.since and m.groupadmin = r.groupadmin)`
    const found = await judge(work, asLeft, sql`when not ${present} then 'changed_since'`)
    const { fit, others } = sortOut(done, found)
    const pairs = fit.map(({ row }) => ({ id: row.entityId, groupId: row.groupId }))
    await work.tx.execute(
      sql`delete from group_members m using jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as r(id uuid, "groupId" uuid)
        where m.organization_id = ${work.visibility.organizationId} and m.group_id = r."groupId" and m.user_id = r.id`,
    )
    await note(work, 'group.members_removed', byGroup(fit.map(({ row }) => row)))
    return undone(fit, others)
  },
}

export const leaving: KindOfOperation = {
  kind: 'users.remove_from_group',

  async apply(work, pending) {
    const { asked, groupId } = groupActionOf(work)
    const sorted = await lockPeople(work, asked, pending)
    const wanted = idsOf(sorted.things)
    const removed = await rows(
      work.tx,
      MembershipRow,
      sql`delete from group_members where organization_id = ${work.visibility.organizationId} and group_id = ${groupId}
        and user_id = any(${wanted}) returning user_id as id, groupadmin, ${since}`,
    )
    await note(work, 'group.members_removed', new Map([[groupId, removed.map(({ id }) => id)]]))
    const byId = new Map(removed.map(({ id, ...before }) => [id, before]))
    return applied(sorted, 'removed', ({ id, name }) => {
      const before = byId.get(id)
      return before ? { label: name, before } : 'not_member'
    })
  },

  /** Leaves out people who are in the group again by now. */
  async undo(work, done) {
    const asBefore = done.map(({ entityId, groupId, before }) => ({
      id: entityId,
      groupId,
      ...(before as Membership),
    }))
    const again = sql`exists (select 1 from group_members m where m.group_id = r."groupId" and m.user_id = r.id)`
    const found = await judge(work, asBefore, sql`when ${again} then 'changed_since'`)
    const { fit, others } = sortOut(done, found)
    const wanted = fit.map(({ row }) => ({
      id: row.entityId,
      groupId: row.groupId,
      groupadmin: (row.before as Membership).groupadmin,
    }))
    await work.tx.execute(
      sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
        select u.organization_id, r."groupId", u.id, r.groupadmin and u.role is not distinct from 'groupadmin'
        from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as r(id uuid, "groupId" uuid, groupadmin boolean)
        join users u on u.id = r.id and u.organization_id = ${work.visibility.organizationId}
        on conflict do nothing`,
    )
    await note(work, 'group.members_added', byGroup(fit.map(({ row }) => row)))
    return undone(fit, others)
  },
}

function groupActionOf({ operation }: Work) {
  const asked = UserAction.parse(operation.params.do)
  if (!('groupId' in asked)) throw new Error('another action')
  return { asked, groupId: asked.groupId }
}

type MembershipRecord = Membership & { id: string | null; groupId: string | null }

const JudgeRow = z.object({ id: z.string(), blockedReason: z.nullable(z.enum(rowReasons)) })

/** Locks the people and says what hinders the way back. `more` stands between the reasons that always do. */
function judge({ tx, visibility }: Work, done: readonly MembershipRecord[], more: SQL) {
  const open = all([
    sql`g.organization_id = ${visibility.organizationId} and g.id = r."groupId" and g.deleted_at is null`,
    seesGroup(visibility, sql`g.id`),
  ])
  return rows(
    tx,
    JudgeRow,
    sql`select u.id, case when u.deleted_at is not null then 'gone'
          when not exists (select 1 from groups g where ${open}) then 'group_gone'
          when exists (select 1 from groups g where g.id = r."groupId" and g.kind = 'rule') then 'rule_group'
          ${more} end as "blockedReason"
      from jsonb_to_recordset(${JSON.stringify(done)}::jsonb) as r(id uuid, "groupId" uuid, since timestamptz, groupadmin boolean)
      join users u on u.id = r.id and u.organization_id = ${visibility.organizationId} order by u.id for update of u`,
  )
}

function byGroup(done: readonly DoneRow[]): ReadonlyMap<string, string[]> {
  const people = new Map<string, string[]>()
  for (const { groupId, entityId } of done)
    if (groupId && entityId) people.set(groupId, [...(people.get(groupId) ?? []), entityId])
  return people
}

/**
 * Writes one entry for each group with all its people, as when they are chosen on the page of the group. A person's groups are part of the
 * person, so whoever edits them at the same time learns that they have changed.
 */
async function note(work: Work, action: AuditAction, people: ReadonlyMap<string, readonly string[]>) {
  const side = action === 'group.members_added' ? 'after' : 'before'
  const entries = [...people]
    .filter(([, userIds]) => userIds.length > 0)
    .map(([groupId, userIds]) => {
      const at = { organizationId: work.visibility.organizationId, entity: 'group', entityId: groupId }
      return Object.assign(at, { action, [side]: { userIds } })
    })
  await auditMany(work.tx, actingFor(work), entries)
  const whose = arrayOf([...people.values()].flat(), 'uuid')
  await work.tx.execute(sql`update users set updated_at = now() where id = any(${whose})`)
}
