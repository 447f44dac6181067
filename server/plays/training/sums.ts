import { row, type Tx } from '../../db/client.ts'
import { sql, type SQL } from '../../db/drizzle.ts'
import { all } from '../../db/search.ts'
import { hasToBePassed } from '../completion.ts'
import { failures } from '../failing.ts'
import { bitOf } from './state.ts'
import { cellsBy, hasColumn, hasRow, signs, type Whose } from './cells.ts'

/** What tells cells of one kind from those of another. */
export const kind = sql.raw('bits, late_at, waived_until')
const cell = sql`organization_id, user_id, video_id, ${kind}`

/**
 * CTEs `marked` (organization_id, user_id, video_id; without a video: all of the person), `fresh`, the cells of these as the evidence
 * has them now, and `former`, the same cells as they were when they were counted, each with its place (`at`). `named`: rows of
 * `training_marks` that name people. `offset 0` and subqueries in place of joins have each found by an index, however many the
 * planner expects. `organizationId`: all are of this one.
 */
export function ofMarked(named: SQL, organizationId?: SQL): SQL {
  const person = { organizationId: sql`m.organization_id`, userId: sql`m.user_id` }
  const told = (whose: Whose, which: SQL) =>
    signs(whose).map(
      (sign) => sql`select s.* from marked m cross join lateral (${sign} offset 0) s where ${which}`,
    )
  const fresh = cellsBy([
    ...told({ ...person, videoId: sql`m.video_id` }, sql`m.video_id is not null`),
    ...told(person, sql`m.video_id is null`),
  ])
  const hasTheirRow = sql`(select true from users u where u.id = f.user_id and u.organization_id = f.organization_id and ${hasRow})`
  const hasItsColumn = organizationId
    ? isColumn(organizationId)
    : sql`(select true from videos v where v.id = f.video_id and v.organization_id = f.organization_id and ${hasColumn})`
  const former = (
    whose: SQL,
  ) => sql`select f.* from marked m cross join lateral (select c.*, c.ctid as at from training_cells c
    where c.organization_id = m.organization_id and c.user_id = m.user_id and ${whose} offset 0) f`
  return sql`marked as materialized (
      select distinct organization_id, p.user_id, video_id from (select * from ${named}) n cross join unnest(n.user_ids) p(user_id)),
    fresh as materialized (select ${cell} from (${fresh}) f where ${hasTheirRow} and ${hasItsColumn}),
    former as materialized (${former(sql`c.video_id = m.video_id`)} where m.video_id is not null
      union ${former(sql`true`)} where m.video_id is null)`
}

/** `fresh` and `former` of a whole organization, or of one video; these are values. */
export function ofAll({ organizationId, videoId }: Omit<Whose, 'userId'>): SQL {
  const former = all([sql`c.organization_id = ${organizationId}`, videoId && sql`c.video_id = ${videoId}`])
  return sql`${freshOfAll({ organizationId, videoId })},
    former as materialized (select c.*, c.ctid as at from training_cells c where ${former})`
}

function freshOfAll(whose: Whose): SQL {
  const { organizationId } = whose
  return sql`fresh as materialized (select ${cell} from (${cellsBy(signs(whose))}) f
      where f.user_id in (select u.id from users u where u.organization_id = ${organizationId} and ${hasRow})
        and ${isColumn(organizationId)})`
}

const isColumn = (organizationId: SQL) =>
  sql`f.video_id in (select v.id from videos v where v.organization_id = ${organizationId} and ${hasColumn})`

/** The matrix of an organization as it is at this instant, in parts of a statement. */
export type Matrix = {
  /** People can be looked up in `cells`; else it is read as a whole. */
  isKept: boolean
  /** CTEs on which the others stand, each with a comma behind it; nearly always there are none. */
  given: SQL
  /** Table of (user_id, video_id, bits, late_at, waived_until). */
  cells: SQL
  /** Table of (user_id, bits, late_at, waived_until, n); rows of one kind add up, and may add up to nothing. */
  byPerson: SQL
  /** The same with `video_id`. */
  byVideo: SQL
}

/** When more cells than these wait to be counted, it is quicker to count everything. */
const mostCorrected = 5_000
/** What a mark stands for that names people and no video. */
export const weight = sql.raw('cardinality(user_ids) * case when video_id is null then 50 else 1 end')

/**
 * Sums and cells that are true at this instant. What is still to be counted is taken out as it was and put in as it is; where that is
 * much, or a whole organization, all is computed from the evidence.
 */
export async function matrixNow(tx: Tx, organizationId: string): Promise<Matrix> {
  const tests = sql`quizzes q join quiz_versions n on n.id = q.current_version_id where q.organization_id = ${organizationId} and ${hasToBePassed}`
  const found = await row<Waiting & { hasTests: boolean }>(
    tx,
    sql`select coalesce(sum(${weight}), 0)::int as n, coalesce(bool_or(user_ids is null), false) as "isWide", exists (select from ${tests}) as "hasTests"
      from training_marks where organization_id = ${organizationId}`,
  )
  const matrix = evidenceNow(organizationId, found)
  return found?.hasTests ? withFailures(matrix, organizationId) : matrix
}

/** The sums know nothing of who failed: it is looked up, and their cells are taken out of the sums and put in as what they are. */
function withFailures({ isKept, given, cells, byPerson, byVideo }: Matrix, organizationId: string): Matrix {
  const [failed, exhausted] = [sql.raw(String(bitOf('failed'))), sql.raw(String(bitOf('exhausted')))]
  const now = sql`(c.bits | coalesce(f.bits, 0))::smallint as bits, c.late_at, c.waived_until`
  const theirs = sql`failing f on f.user_id = c.user_id and f.video_id = c.video_id`
  const corrected = (subject: 'user_id' | 'video_id', sums: SQL) => {
    const column = sql.raw(subject)
    return sql`(select ${column}, ${kind}, n from ${sums} s union all select c.${column}, ${now}, 1 from ${cells} c join ${theirs}
      union all select c.${column}, c.bits, c.late_at, c.waived_until, -1 from ${cells} c join ${theirs})`
  }
  return {
    isKept,
    given: sql`${given}failing as materialized (select user_id, video_id, case when is_final then ${failed} | ${exhausted} else ${failed} end as bits
      from ${failures(sql`a.organization_id = ${organizationId} and a.user_id is not null`)} x), `,
    cells: sql`(select c.user_id, c.video_id, ${now} from ${cells} c left join ${theirs})`,
    byPerson: corrected('user_id', byPerson),
    byVideo: corrected('video_id', byVideo),
  }
}

type Waiting = { n: number; isWide: boolean }

function evidenceNow(organizationId: string, waiting: Waiting | undefined): Matrix {
  const own = sql`organization_id = ${organizationId}`
  const kept = (columns: string, table: string) =>
    sql`select ${sql.raw(columns)}, ${kind}, n from ${sql.raw(table)} where ${own}`
  if (!waiting || (waiting.n === 0 && !waiting.isWide))
    return {
      isKept: true,
      given: sql``,
      cells: sql`(select user_id, video_id, ${kind} from training_cells where ${own})`,
      byPerson: sql`(${kept('user_id', 'training_by_person')})`,
      byVideo: sql`(${kept('video_id', 'training_by_video')})`,
    }
  const counted = (column: string, table: string, n: number) =>
    sql`select ${sql.raw(column)}, ${kind}, ${sql.raw(String(n))}::bigint as n from ${sql.raw(table)}`
  if (waiting.isWide || waiting.n > mostCorrected)
    return {
      isKept: false,
      given: sql`${freshOfAll({ organizationId: sql`${organizationId}` })}, `,
      cells: sql`fresh`,
      byPerson: sql`(${counted('user_id', 'fresh', 1)})`,
      byVideo: sql`(${counted('video_id', 'fresh', 1)})`,
    }
  const corrected = (column: string, table: string) => sql`(${kept(column, table)}
    union all ${counted(column, 'fresh', 1)} union all ${counted(column, 'former', -1)})`
  return {
    isKept: true,
    given: sql`${ofMarked(sql`training_marks where ${own}`, sql`${organizationId}`)}, `,
    cells: sql`(select user_id, video_id, ${kind} from training_cells c where c.${own}
        and not exists (select from former f where f.user_id = c.user_id and f.video_id = c.video_id)
      union all select user_id, video_id, ${kind} from fresh)`,
    byPerson: corrected('user_id', 'training_by_person'),
    byVideo: corrected('video_id', 'training_by_video'),
  }
}

/** The end of a statement whose CTEs `fresh` and `former` say what to count: writes the difference, and gives what has become nothing. */
export const counting = sql`
  changed as materialized (select ${cell}, 1 as n from fresh union all select ${cell}, -1 from former),
  written as (insert into training_cells as c (${cell}) select ${cell} from fresh
    on conflict (organization_id, user_id, video_id) do update
      set bits = excluded.bits, late_at = excluded.late_at, waived_until = excluded.waived_until
      where (c.bits, c.late_at, c.waived_until) is distinct from (excluded.bits, excluded.late_at, excluded.waived_until)),
  lost as (delete from training_cells where ctid = any(array(select f.at from former f
    where not exists (select from fresh n where n.organization_id = f.organization_id and n.user_id = f.user_id and n.video_id = f.video_id)))),
  persons as (${added('training_by_person', 'user_id')}),
  watched as (${added('training_by_video', 'video_id')})
  select array(select at from persons where at is not null)::text as "byPerson", array(select at from watched where at is not null)::text as "byVideo"`

function added(table: string, subject: string): SQL {
  const key = sql`organization_id, ${sql.raw(subject)}, ${kind}`
  return sql`insert into ${sql.raw(table)} as s (${key}, n) select ${key}, sum(n) from changed group by ${key} having sum(n) <> 0
    on conflict (${key}) do update set n = s.n + excluded.n returning case when s.n = 0 then s.ctid end as at`
}
