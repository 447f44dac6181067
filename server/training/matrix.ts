import { mostTrainingVideos } from '#contract/training.ts'
import { arrayOf, row, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all } from '../db/search.ts'
import { seesUser, type Sight } from '../http/sight.ts'
import { wasSent } from '../plays/sent.ts'
import { matchingUsers } from '../people/filter.ts'
import { bitOf, combinations, type TrainingFact } from './state.ts'

export type TrainingFilter = {
  q?: string | undefined
  groupId?: string | undefined
  projectId?: string | undefined
  videos: 'assigned' | 'any'
}

/** What a matrix stands on. */
export type Ground = {
  sight: Sight
  filter: TrainingFilter
  /** What single persons watched may be shown; else only what they completed. */
  shows: boolean
}

const bit = (fact: TrainingFact) => sql.raw(String(bitOf(fact)))
const none = sql`null::timestamptz`

/** Condition on `users u`: the people of the rows. Nobody is asked to learn who is switched off. */
export function peopleOf({ sight, filter: { q, groupId } }: Ground): SQL {
  return sql`${matchingUsers(sight, { q, groupId })} and u.state <> 'disabled'`
}

/** Condition on `deliveries d`: it asks its person to watch. Who was left out from the start, or at the end, was not asked. */
const asks = sql`d.state not in ('skipped', 'cancelled')`
/** Condition on `training_waivers x`. */
export const stands = sql`x.ended_at is null and (x.until is null or x.until > now())`

/**
 * Every sign of a person and a video as (user_id, video_id, bits, due_at), of the people in a table `who`; a person and a video may
 * have several. `video`: a condition on a column with the video.
 */
function signs({ sight: { organizationId }, shows }: Ground, video: (column: SQL) => SQL): SQL {
  const own = (alias: SQL) => sql`${alias}.organization_id = ${organizationId}`
  const whose = (alias: SQL) => sql`${alias}.user_id in (select id from who)`
  const watched = sql`case when w.completed_at is not null then ${bit('completed')} else 0 end
    ${shows ? sql`| case when w.plays > 0 or w.covered_ms > 0 then ${bit('started')} else 0 end` : sql``}`
  const passed = sql`union all select a.user_id, a.video_id, ${bit('passed')}, ${none} from quiz_attempts a
    where ${own(sql`a`)} and ${whose(sql`a`)} and a.passed and a.completed_at is not null and ${video(sql`a.video_id`)}`
  return sql`select d.user_id, t.video_id,
        ${bit('assigned')} | case when d.state in ('accepted', 'delivered') then ${bit('delivered')} else 0 end as bits, t.due_at
      from transmissions t join deliveries d on d.transmission_id = t.id and ${own(sql`d`)}
      where ${own(sql`t`)} and t.state <> 'draft' and ${video(sql`t.video_id`)} and ${whose(sql`d`)} and ${asks}
    union all select w.user_id, w.video_id, ${watched}, ${none} from viewer_videos w
      where ${own(sql`w`)} and ${whose(sql`w`)} and ${video(sql`w.video_id`)}
    ${shows ? passed : sql``}
    union all select x.user_id, x.video_id, ${bit('waived')}, ${none} from training_waivers x
      where ${own(sql`x`)} and ${whose(sql`x`)} and ${stands} and ${video(sql`x.video_id`)}`
}

/** The columns: videos of which there is a sign with anybody in sight, whatever people the rows are narrowed to. */
export function videosOf({ sight, filter, shows }: Ground): SQL {
  const { organizationId } = sight
  const of = (alias: SQL) =>
    all([sql`${alias}.organization_id = ${organizationId}`, seesUser(sight, sql`${alias}.user_id`)])
  const sent = sight.groupIds
    ? sql`select t.video_id from deliveries d join transmissions t on t.id = d.transmission_id and t.state <> 'draft'
        where d.user_id in (select m.user_id from group_members m where m.group_id = any(${arrayOf(sight.groupIds, 'uuid')}))
          and d.organization_id = ${organizationId} and ${asks}`
    : sql`select t.video_id from transmissions t where t.organization_id = ${organizationId} and ${wasSent('t')}`
  const seen = shows
    ? sql`(w.plays > 0 or w.covered_ms > 0 or w.completed_at is not null)`
    : sql`w.completed_at is not null`
  const beside = sql`or v.id in (select w.video_id from viewer_videos w where ${of(sql`w`)} and w.user_id is not null and ${seen})
    or v.id in (select x.video_id from training_waivers x where ${of(sql`x`)} and ${stands})`
  return all([
    sql`v.organization_id = ${organizationId} and v.deleted_at is null`,
    filter.projectId && sql`v.project_id = ${filter.projectId}`,
    sql`(v.id in (${sent}) ${filter.videos === 'any' ? beside : sql``})`,
  ])
}

/** `columns` (id, title, created_at, n from 1, of all of them), at most as many as a matrix has. */
export function columnsOf(ground: Ground): SQL {
  return sql`columns as materialized (
    select v.id, v.title, v.created_at, row_number() over (order by lower(v.title), v.id)::int as n, count(*) over ()::int as total
    from videos v where ${videosOf(ground)} order by lower(v.title), v.id limit ${mostTrainingVideos})`
}

/**
 * `cells` (p, v, bits): of the people in a table `who` (id, n) and the videos in `columns`, each by its number. Numbers are a third of
 * two ids, and grouped in half the time.
 */
export function cellsOf(ground: Ground): SQL {
  const listed = (column: SQL) => sql`${column} in (select id from columns)`
  return sql`cells as materialized (
    select (pair / 1000)::int as p, (pair % 1000)::int as v, bit_or(bits) | case when max(due_at) <= now() then ${bit('late')} else 0 end as bits
    from (select w.n * 1000::bigint + k.n as pair, s.bits, s.due_at
      from (${signs(ground, listed)}) s join who w on w.id = s.user_id join columns k on k.id = s.video_id) numbered
    group by pair)`
}

/** Condition on `c.bits`: a cell of which this holds. */
export function means(wanted: (meaning: (typeof combinations)[number]) => boolean): SQL {
  const fitting = combinations.flatMap((meaning, bits) => (wanted(meaning) ? [bits] : []))
  return sql`c.bits = any(${arrayOf(fitting, 'int')})`
}

/**
 * For the rest of the transaction: planned for the organization at hand, because a plan for any would walk through all deliveries of a
 * person for each video; and with room for a fifth of a million cells.
 */
export async function makeRoom(tx: Tx): Promise<void> {
  await row(
    tx,
    sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true)`,
  )
}

/** The bits of one cell, with the latest day that was set. */
export function cellOf(ground: Ground, { userId, videoId }: { userId: string; videoId: string }): SQL {
  const only = (column: SQL) => sql`${column} = ${videoId}`
  return sql`with who as (select ${userId}::uuid as id)
    select coalesce(bit_or(bits), 0) | case when max(due_at) <= now() then ${bit('late')} else 0 end as bits, max(due_at) as due_at
    from (${signs(ground, only)}) signs`
}
