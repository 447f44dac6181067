import * as z from 'zod/mini'
import { mostTrainingVideos } from '#contract/matrix/training.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { idsOf } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, isoText, planForValues } from '../platform/db/search.ts'
import { seesUser, type Visibility } from '../platform/http/visibility.ts'
import { matchingUsers, narrowedTo } from '../directory/people/filter.ts'
import { bitsAt, hasColumn, hasRow } from './cells.ts'
import { bitOf, combinations, type TrainingFact } from './state.ts'
import { matrixBefore, matrixNow, type Matrix } from './current.ts'
import { wasSent } from '../deliveries.ts'
import { isSwitchedOff } from '../people.ts'

export type TrainingFilter = {
  q?: string | undefined
  groupId?: string | undefined
  personId?: string | undefined
  projectId?: string | undefined
  videos: 'assigned' | 'any'
  toldOn?: string | undefined
  on?: string | undefined
}

/** These are the reader, the filter and the instant by which a matrix is read. */
export type MatrixScope = {
  visibility: Visibility
  filter: TrainingFilter
  /** The instant is now, or the end of the day that the filter names. */
  at: SQL
  /** It is true where the reader may see what single people watched, and false where they see only what was completed. */
  shows: boolean
  /** This is the id of the person who asks. */
  readerId: string
}

/** Returns the condition on `users u` for the people of the rows. Nobody who is switched off is asked to learn. */
export function peopleOf(matrixScope: MatrixScope): SQL {
  const { visibility, filter, at, readerId } = matrixScope
  const { q, groupId, personId, toldOn, on } = filter
  const there =
    on === undefined
      ? sql`${matchingUsers(visibility, { q, groupId })} and ${hasRow}`
      : all([wereThere(visibility.organizationId, at), narrowedTo(visibility, { q, groupId })])
  const isNamed = sql`u.id in (select unnest(e.named) from escalation_digests e where e.organization_id = ${visibility.organizationId}
    and e.reader_id = ${readerId} and e.day = ${toldOn ?? null}::date)`
  return all([there, personId && sql`u.id = ${personId}`, toldOn && isNamed])
}

/**
 * Returns the condition on `users u` for the people who had a row at that instant. People who are switched off now are known by their
 * cells.
 */
function wereThere(organizationId: string, at: SQL): SQL {
  const { cells } = matrixBefore(at, organizationId)
  return sql`u.organization_id = ${organizationId} and ${existed('u', at)} and (not ${isSwitchedOff('u')} or u.id in (select c.user_id from ${cells} c))`
}

/** Returns the condition for people or videos that existed at that instant. */
function existed(alias: 'u' | 'v', at: SQL): SQL {
  const a = sql.raw(alias)
  return sql`${a}.created_at < ${at} and (${a}.deleted_at is null or ${a}.deleted_at >= ${at})`
}

/** Returns whether the rows are fewer than all of the organization. */
export function isNarrowed({ visibility, filter: { q, groupId, toldOn } }: MatrixScope): boolean {
  return visibility.groupIds !== undefined || Boolean(q) || groupId !== undefined || toldOn !== undefined
}

const has = (alias: string, facts: readonly TrainingFact[]) =>
  sql.raw(`${alias}.bits & ${facts.reduce((bits, fact) => bits | bitOf(fact), 0)} <> 0`)

/**
 * Returns the condition on `videos v` for the columns. A column is a video of which there is a sign with anybody in sight, whatever people
 * the rows are narrowed to.
 */
export function videosOf({ visibility, filter, at, shows }: MatrixScope, { cells }: Matrix): SQL {
  const { organizationId, groupIds } = visibility
  const inSight = groupIds ? seesUser(visibility, sql`c.user_id`) : undefined
  const signs = (which: SQL) =>
    sql`v.id in (select c.video_id from ${cells} c where ${all([inSight, which])})`
  const isSeen = has('c', shows ? ['started', 'completed', 'passed'] : ['completed'])
  const sent =
    groupIds || filter.on !== undefined
      ? signs(has('c', ['assigned']))
      : sql`(v.id in (select t.video_id from transmissions t where t.organization_id = ${organizationId} and ${wasSent('t')})
        or v.id in (select a.video_id from assignments a where a.organization_id = ${organizationId} and a.state in ('active', 'paused')))`
  return all([
    sql`v.organization_id = ${organizationId} and ${filter.on === undefined ? hasColumn : existed('v', at)}`,
    filter.projectId && sql`v.project_id = ${filter.projectId}`,
    filter.videos === 'any' ? sql`(${sent} or ${signs(sql`(${isSeen} or c.waived_until > ${at})`)})` : sent,
  ])
}

/** This is a column; `total` is the number of all columns. */
export const Column = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.string(),
  total: z.number(),
})
export type Column = z.infer<typeof Column>

/** Finds the columns in their order, at most as many as a matrix has. */
function findColumns(tx: Tx, matrixScope: MatrixScope, matrix: Matrix): Promise<Column[]> {
  return rows(
    tx,
    Column,
    sql`with found as (select v.id, v.title, v.created_at from videos v where ${videosOf(matrixScope, matrix)})
      select id, title, ${isoText(sql`created_at`)} as "createdAt", count(*) over ()::int as total from found
      order by ${called(sql`title`)}, id limit ${mostTrainingVideos}`,
  )
}

/** A board is a matrix with its columns. */
export type Board = { matrixScope: MatrixScope; matrix: Matrix; columns: readonly Column[] }

export async function boardOf(tx: Tx, matrixScope: MatrixScope): Promise<Board> {
  await makeRoom(tx)
  const { at, filter, visibility } = matrixScope
  const { organizationId } = visibility
  const matrix =
    filter.on === undefined ? await matrixNow(tx, organizationId) : matrixBefore(at, organizationId)
  return { matrixScope, matrix, columns: await findColumns(tx, matrixScope, matrix) }
}

/** Returns the CTE `columns` (id, n from 1). */
export function columnsOf(columns: readonly Pick<Column, 'id'>[]): SQL {
  const ids = idsOf(columns)
  return sql`columns as materialized (select id, n::int from unnest(${ids}) with ordinality c(id, n))`
}

/**
 * Returns a table of (p, v, bits) as `c`. It has the cells of the people in a table (id, n) and the videos in `columns`, both by their
 * numbers, with what the cells mean. The cells of a page are looked up, however many the planner expects.
 */
export function cellsOf({ matrixScope, matrix }: Board, people: 'who' | 'page'): SQL {
  const found = sql`(select w.n as p, s.* from ${sql.raw(people)} w join ${matrix.cells} s on s.user_id = w.id)`
  return sql`(select s.p, k.n as v, ${bitsAt(matrixScope.at, 's', matrixScope.shows)} as bits from ${found} s join columns k on k.id = s.video_id) c`
}

/** Returns the condition on `c.bits` for cells with a wanted meaning. */
export function means(wanted: (meaning: (typeof combinations)[number]) => boolean): SQL {
  const fitting = combinations.flatMap((meaning, bits) => (wanted(meaning) ? [bits] : []))
  return sql`c.bits = any(${arrayOf(fitting, 'int')})`
}

/**
 * Prepares the rest of the transaction for large matrices. Statements are planned for the organization at hand, because a general plan
 * would look up the cells of a large organization one by one, and they get room for a fifth of a million cells.
 */
async function makeRoom(tx: Tx): Promise<void> {
  await planForValues(tx)
  await tx.execute(sql`set local work_mem = '64MB'`)
}
