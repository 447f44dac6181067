import * as z from 'zod/mini'
import { Assignment, assignmentStates, mostSteps, PathStep } from '#contract/assignments/assignments.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { requireRow, rows, type Tx } from '../platform/db/client.ts'
import { lock } from '../platform/db/locks.ts'
import { readCount } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { stands } from '../duty/obligations.ts'
import { belonging } from '../transmissions/compose/audience.ts'
import { peopleIn, type Place } from './queries.ts'
import { counts } from '../duty/owed.ts'

/** `id` is null where the assignment does not exist yet. */
type Waiter = { id: string | null; organizationId: string; waitsForId: string }
/** This is a `Waiter` in SQL, where it may be a column. */
type WaiterIn = Omit<Waiter, 'waitsForId'> & { waitsForId: string | SQL }

/**
 * Selects the people who may begin what waits for another assignment, as (user_id): they have done that one in any cycle, or were excused
 * from it for good. Once that one has ended, its excuses are gone with it, and whoever has begun goes on.
 */
export function begun({ id, organizationId, waitsForId }: WaiterIn): SQL {
  return sql`select o.user_id from obligations o where o.assignment_id = ${waitsForId} and o.organization_id = ${organizationId}
      and (o.state = 'done' or (o.state = 'waived' and o.waived_until is null) or (o.state = 'ended' and o.ending = 'exempted'))
    union all select o.user_id from training_waivers x join obligations o on o.assignment_id = ${waitsForId}
        and o.user_id = x.user_id and o.video_id = x.video_id and o.state in ('open', 'waived')
      where x.organization_id = ${organizationId} and x.until is null and ${stands}
    union all select n.user_id from obligations n join assignments e on e.id = ${waitsForId} and e.state = 'ended'
      where n.assignment_id = ${id} and n.organization_id = ${organizationId} and n.state <> 'ended'`
}

type Obliging = { id: string; organizationId: string; audience: Audience; waitsForId: string | null }

/** Selects the people of the audience whom the assignment obliges as things stand, as (user_id). */
export function obligedBy({ audience, waitsForId, ...rest }: Obliging): SQL {
  const members = belonging({ organizationId: rest.organizationId, audience })
  if (waitsForId === null) return members
  return sql`select m.user_id from (${members}) m
    where exists (select from (${begun({ ...rest, waitsForId })}) b where b.user_id = m.user_id)`
}

/** Counts the people of the audience who were never obliged, because the earlier assignment is not done. */
export async function countWaiting(
  tx: Tx,
  {
    id,
    organizationId,
    audience,
    waitsFor,
  }: Pick<Assignment, 'id' | 'organizationId' | 'audience' | 'waitsFor'>,
): Promise<number> {
  if (waitsFor === null) return 0
  return readCount(
    tx,
    sql`select count(*)::int as n from (${belonging({ organizationId, audience })}) m
      where not exists (select from obligations o where o.assignment_id = ${id} and o.user_id = m.user_id)
        and not exists (select from (${begun({ id, organizationId, waitsForId: waitsFor.id })}) b where b.user_id = m.user_id)`,
  )
}

const Earlier = z.object({
  id: z.string(),
  state: z.enum(assignmentStates),
  audience: Audience,
  waitsForId: z.nullable(z.string()),
})

/** This relation of (id, state, audience, waits_for, step) has an assignment, and one after the other what comes before it. */
const upFrom = (organizationId: string, id: string): SQL =>
  sql`up (id, state, audience, waits_for, step) as (select a.id, a.state, a.audience, a.waits_for, 1 from assignments a
      where a.id = ${id} and a.organization_id = ${organizationId}
    union all select a.id, a.state, a.audience, a.waits_for, u.step + 1 from up u join assignments a
      on a.id = u.waits_for and a.organization_id = ${organizationId} where u.step <= ${mostSteps})`

/** This relation of (id, step) has an assignment, and what waits for it. */
const downFrom = (organizationId: string, id: string | null): SQL =>
  sql`down (id, step) as (select a.id, 1 from assignments a where a.id = ${id} and a.organization_id = ${organizationId}
    union all select a.id, d.step + 1 from down d join assignments a
      on a.waits_for = d.id and a.organization_id = ${organizationId} where d.step <= ${mostSteps})`

/**
 * Selects everybody who has done an assignment or can still do it, as (user_id). It goes step by step from the first assignment of the
 * path.
 */
export async function reachable(tx: Tx, organizationId: string, waitsForId: string): Promise<SQL> {
  const found = await rows(
    tx,
    Earlier,
    sql`with recursive ${upFrom(organizationId, waitsForId)}
      select id, state, audience, waits_for as "waitsForId" from up order by step desc`,
  )
  if (found.length === 0) throw refuseWaiting('not_found')
  return found.reduce(
    (before, { id, state, audience, waitsForId: earlier }) => {
      const isBehind = begun({ id: null, organizationId, waitsForId: id })
      if (state === 'ended') return isBehind
      const members = belonging({ organizationId, audience })
      const able = earlier === null ? sql`true` : sql`m.user_id in (${before})`
      return sql`${isBehind} union all select m.user_id from (${members}) m where ${able}`
    },
    sql``,
  )
}

const refuseWaiting = (problem: FieldProblem) =>
  refuse('validation_failed', { fields: { waitsForId: [problem] } })

const Standing = z.object({
  isRing: z.boolean(),
  hasEnded: z.boolean(),
  before: z.number(),
  after: z.number(),
})

/**
 * Refuses what cannot be waited for. Holds the paths of the organization until the transaction ends, so that no two assignments begin to
 * wait for each other. `more` is the number of assignments that are created after it.
 */
export async function requireEarlier(
  tx: Tx,
  { id, organizationId, waitsForId }: Waiter,
  more: number,
): Promise<void> {
  await tx.execute(sql`select ${lock('assignmentPaths', organizationId)}`)
  const { isRing, hasEnded, before, after } = await requireRow(
    tx,
    Standing,
    sql`with recursive ${upFrom(organizationId, waitsForId)}, ${downFrom(organizationId, id)}
      select coalesce(bool_or(id = ${id}::uuid), false) as "isRing", coalesce(bool_or(step = 1 and state = 'ended'), false) as "hasEnded",
        count(*)::int as before, (select coalesce(max(step), 1) from down)::int as after from up`,
  )
  if (before === 0) throw refuseWaiting('not_found')
  if (isRing) throw refuseWaiting('path_ring')
  if (hasEnded) throw refuseWaiting('path_ended')
  if (before + after + more > mostSteps) throw refuseWaiting('path_too_long')
}

const StepRow = z.omit(PathStep, { people: true })

/** Finds what comes before an assignment and after it, with itself; nothing where it stands alone. */
export async function pathOf(tx: Tx, { orgId, assignmentId }: Place): Promise<PathStep[]> {
  const found = await rows(
    tx,
    StepRow,
    sql`with recursive ${upFrom(orgId, assignmentId)}, ${downFrom(orgId, assignmentId)}
      select a.id, a.name, a.state, a.waits_for as "waitsForId", a.video_id as "videoId", ${counts} as counts
      from (select id, -step as at from up where step > 1 union all select id, step from down) s join assignments a on a.id = s.id
      where a.organization_id = ${orgId} order by s.at, a.created_at, a.id limit ${mostShown}`,
  )
  return found.length > 1 ? found.map((one) => Object.assign(one, { people: peopleIn(one) })) : []
}

/** Finds what waits for an assignment, step by step, and has not been started. */
export function draftsAfter(
  tx: Tx,
  { orgId, assignmentId }: Place,
): Promise<Pick<Assignment, 'id' | 'version'>[]> {
  return rows(
    tx,
    Draft,
    sql`with recursive ${downFrom(orgId, assignmentId)}
      select a.id, a.version from down d join assignments a on a.id = d.id
      where a.organization_id = ${orgId} and d.step > 1 and a.state = 'draft' order by d.step, a.created_at, a.id`,
  )
}
const Draft = z.pick(Assignment, { id: true, version: true })

/** A page shows at most this number of steps, because several may wait for the same one. */
const mostShown = 60
