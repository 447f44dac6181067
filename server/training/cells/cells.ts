import { sql, type SQL } from '../../platform/db/sql.ts'
import { all } from '../../platform/db/search.ts'
import { bitOf, type TrainingFact } from './state.ts'

/** Of which cells: values, or columns of what stands to the left of a `lateral`. Without a person or a video: of all of them. */
export type Whose = { organizationId: SQL; userId?: SQL | undefined; videoId?: SQL | undefined }

const bit = (fact: TrainingFact) => sql.raw(String(bitOf(fact)))
const never = sql`'infinity'::timestamptz`
const notAtAll = sql`'-infinity'::timestamptz`

/** Condition on `deliveries d`: it asks its person to watch. Who was left out from the start, or at the end, was not asked. */
const asks = sql`d.state not in ('skipped', 'cancelled')`
/** Condition on `training_waivers x`: it was not ended. It may have run out. */
const isGiven = sql`x.ended_at is null`
/** Condition on `training_waivers x`. */
export const stands = sql`${isGiven} and (x.until is null or x.until > now())`

const own = (alias: string, { organizationId, userId, videoId }: Whose) =>
  all([
    sql`${sql.raw(alias)}.organization_id = ${organizationId}`,
    userId && sql`${sql.raw(alias)}.user_id = ${userId}`,
    videoId && sql`${sql.raw(alias)}.video_id = ${videoId}`,
  ])

/** Messages with whom they ask. */
function asked({ organizationId, userId, videoId }: Whose): SQL {
  const wasSent = all([
    sql`t.organization_id = ${organizationId} and t.state <> 'draft'`,
    videoId && sql`t.video_id = ${videoId}`,
  ])
  const theirs = all([sql`d.organization_id = ${organizationId}`, userId && sql`d.user_id = ${userId}`, asks])
  return sql`transmissions t join deliveries d on d.transmission_id = t.id where ${wasSent} and ${theirs}`
}

/**
 * Every sign as (organization_id, user_id, video_id, bits, due_at, until), from the evidence itself, in a table for each kind of
 * evidence; a person and a video may have several.
 */
export function signs(whose: Whose): SQL[] {
  const none = sql`null::timestamptz`
  const whom = (alias: string) => sql.raw(`${alias}.organization_id, ${alias}.user_id, ${alias}.video_id`)
  return [
    sql`select d.organization_id, d.user_id, t.video_id,
        ${bit('assigned')} | case when d.state in ('accepted', 'delivered') then ${bit('delivered')} else 0 end as bits, t.due_at, ${none} as until
      from ${asked(whose)}`,
    sql`select ${whom('w')}, case when w.completed_at is not null then ${bit('completed')} else 0 end
        | case when w.plays > 0 or w.covered_ms > 0 then ${bit('started')} else 0 end, ${none}, ${none}
      from viewer_videos w where ${own('w', whose)} and w.user_id is not null`,
    sql`select ${whom('a')}, ${bit('passed')}, ${none}, ${none}
      from quiz_attempts a where ${own('a', whose)} and a.user_id is not null and a.passed and a.completed_at is not null`,
    sql`select ${whom('x')}, 0, ${none}, coalesce(x.until, ${never}) from training_waivers x where ${own('x', whose)} and ${isGiven}`,
  ]
}

/**
 * What cells are by these signs, as (organization_id, user_id, video_id, bits, due_at, late_at, waived_until); `trainingCells` in the
 * schema says how to read it. Of the days by which it was due the latest counts. For who has completed a video neither a day nor an
 * excuse matters any more, and for who is excused for good no day does: so the sums have few kinds of cells.
 */
export function cellsBy(tables: readonly SQL[]): SQL {
  const isDone = sql`bits & ${bit('completed')} <> 0`
  return sql`select organization_id, user_id, video_id, bits, due_at,
      case when ${isDone} or waived_until = ${never} then ${never} else coalesce(due_at, ${never}) end as late_at,
      case when ${isDone} then ${notAtAll} else waived_until end as waived_until
    from (select organization_id, user_id, video_id, bit_or(bits)::smallint as bits, max(due_at) as due_at,
        coalesce(max(until), ${notAtAll}) as waived_until
      from (${sql.join([...tables], sql` union all `)}) signs group by organization_id, user_id, video_id) known
    where bits <> 0 or waived_until <> ${notAtAll}`
}

/** Condition on `users u` and on `videos v`: they have a row, and a column. */
export const hasRow = sql`u.deleted_at is null and u.state <> 'disabled'`
export const hasColumn = sql`v.deleted_at is null`

/** What can be told of a single person where only completions may be shown. */
const discreet: readonly TrainingFact[] = ['assigned', 'delivered', 'completed']
const discreetBits = discreet.reduce((sum, fact) => sum | bitOf(fact), 0)

/**
 * What a cell or a kind of cells means at this instant, as a place in `combinations`: time alone makes it late, and ends an excuse.
 * `shows`: what single people watched may be told.
 */
export function bitsNow(alias: string, shows: boolean): SQL {
  const c = sql.raw(alias)
  const told = shows ? sql`${c}.bits` : sql`${c}.bits & ${sql.raw(String(discreetBits))}`
  return sql`(${told} | case when ${c}.late_at <= now() then ${bit('late')} else 0 end
    | case when ${c}.waived_until > now() then ${bit('waived')} else 0 end)::int`
}
