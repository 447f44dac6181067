import type { PersonKey } from '../tracking/forget.ts'
import * as z from 'zod/mini'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { parseRanges } from '../platform/db/multirange.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { carriedThrough, versionsOf, type Version } from './carried.ts'
import type { Viewed } from '../tracking/aggregate.ts'
import { lengthOf } from '../tracking/credit.ts'
import { listed, selected } from '../tracking/lists.ts'
import type { Founded } from '../tracking/results.ts'
import { countingPieces } from '../tracking/results.ts'
import { counts } from '../tracking/sums.ts'
import { answersFrom, passedAt } from './unconfirmed.ts'

/**
 * This condition on obligations holds when whatever their person ever completed of the video counts, as for the recipients of a message
 * with a day. Such obligations keep no viewing of their own, and end with the completion that everything else knows as well.
 */
export const countsEver = (alias: 'o' | 'n' | 'p' | 'obligations'): SQL =>
  sql.raw(`${alias}.counts_from = '-infinity'`)

type Viewing = Omit<Viewed, 'covered'>

const owedTypes = {
  id: 'uuid',
  userId: 'uuid',
  countsFrom: 'ms',
  answersFrom: 'ms',
  versionId: 'uuid',
  coverage: 'int4multirange',
  owedParts: 'int4multirange',
} as const
const Owed = z.object({
  id: z.string(),
  userId: z.string(),
  countsFrom: z.number(),
  answersFrom: z.nullable(z.number()),
  versionId: z.nullable(z.string()),
  coverage: z.string(),
  owedParts: z.nullable(z.string()),
})
type Owed = z.infer<typeof Owed>

const coveredTypes = {
  id: 'uuid',
  versionId: 'uuid',
  coverage: 'int4multirange',
  coveredMs: 'int',
  coveredAt: 'ms',
} as const

/**
 * Adds what these sessions are worth to whatever their viewers owe of the video, and writes down who has done it with that. It runs in the
 * transaction of the aggregation, so that no reminder is planned or leaves in between.
 */
export async function countTowardsObligations(tx: Tx, { videoId, founded, least }: Viewing): Promise<void> {
  const counting = founded.filter(({ session, after }) => session.userId !== null && counts(after))
  const byUser = Map.groupBy(counting, ({ session }) => session.userId)
  const userIds = [...byUser.keys()].filter((id) => id !== null)
  if (userIds.length === 0) return
  const owed = await rows(
    tx,
    Owed,
    sql`select ${selected(owedTypes)} from obligations where video_id = ${videoId} and not ${countsEver('obligations')} and state in ('open', 'waived')
      and user_id = any(${arrayOf(userIds, 'uuid')}) order by id for update`,
  )
  if (owed.length === 0) return
  const versions = await versionsOf(tx, videoId)
  const covered = owed.flatMap((one) => coveredOf(one, byUser.get(one.userId) ?? [], { least, versions }))
  if (covered.length === 0) return
  await tx.execute(
    sql`update obligations o set version_id = g.version_id, coverage = g.coverage, covered_ms = g.covered_ms,
        covered_at = coalesce(o.covered_at, g.covered_at), updated_at = now()
      from ${listed(covered, coveredTypes)} g where o.id = g.id`,
  )
  await settleObligations(tx, videoId, userIds)
}

type Judged = Pick<Viewing, 'least'> & { versions: readonly Version[] }

/**
 * Works out what an obligation has with the sessions that belong to it. It keeps what it had of the version that plays, whatever became of
 * those sessions. Nothing counts that is played of an old version once a newer one is ready.
 */
function coveredOf(
  { id, countsFrom, answersFrom, versionId, ...had }: Owed,
  all: Founded[],
  { least, versions }: Judged,
) {
  const own = all.filter(({ session }) => session.startedAt >= countsFrom)
  const [first, ...others] = own.map(({ session }) => session)
  const present = versions.at(-1)
  if (!first || !present) return []
  const { theta } = others.reduce((a, b) => (b.startedAt > a.startedAt ? b : a), first)
  const ofVersion = Map.groupBy(own, ({ session }) => session.versionId)
  const pieces = new Map(
    [...ofVersion].map(([version, some]) => [version, some.flatMap((one) => countingPieces(one, least))]),
  )
  const owed = had.owedParts === null ? null : parseRanges(had.owedParts)
  const stored = versionId === null ? null : { versionId, coverage: parseRanges(had.coverage), owed }
  const { coverage, coveredAt } = carriedThrough(versions, {
    countsFrom,
    isAgain: answersFrom !== null,
    theta,
    pieces,
    stored,
  })
  return [{ id, versionId: present.id, coverage, coveredMs: lengthOf(coverage), coveredAt }]
}

/** This expression gives the instant at which the last of all that is required was there. */
const lastOf = sql`greatest(p.covered_at, passed.at, c.confirmed_at)`

/**
 * Writes down which obligations are done. An obligation is done when the video is covered and, where the assignment requires it, its
 * questions are passed since it counts and its sentence is confirmed. It stays done; where only completions are recorded, nothing is kept
 * of it but the day. It is valid to the end of a day, in the zone of the organization, which is counted from the end of the last time where
 * that has not run out and the assignment says so.
 */
export async function settleObligations(tx: Tx, videoId: string, userIds: readonly string[]): Promise<void> {
  await tx.execute(
    sql`update obligations o set state = 'done', done_at = case when f.shows then f.at else date_trunc('day', f.at, 'UTC') end,
        covered_at = case when f.shows then o.covered_at else date_trunc('day', o.covered_at, 'UTC') end,
        coverage = case when f.shows then o.coverage else '{}' end, covered_ms = case when f.shows then o.covered_ms else 0 end, reason = null, waived_until = null, next_message_on = null, updated_at = now(),
        valid_until = least(f.valid_until, f.valid_at_most), valid_day = f.valid_day
      from (select p.id, ${showsPersons(sql`p.organization_id`)} as shows, ${lastOf} as at, counted.day_of_month as valid_day,
          valid_end(counted.after, (a.validity ->> 'months')::int, counted.day_of_month, z.time_zone) as valid_until, p.valid_at_most
        from obligations p join assignments a on a.id = p.assignment_id and a.state in ('active', 'paused')
          join organizations z on z.id = p.organization_id
          left join lateral (select ${passedAt('p')} as at) passed on a.requirement = 'passed'
          left join confirmations c on c.obligation_id = p.id
          left join obligations l on l.assignment_id = p.assignment_id and l.user_id = p.user_id and l.cycle = p.cycle - 1
            and l.state = 'done' and a.validity ->> 'from' = 'last_end' and l.valid_until >= ${lastOf}
          cross join lateral (select (coalesce(l.valid_until, ${lastOf}) at time zone z.time_zone)::date as after) d
          cross join lateral (select d.after, coalesce(l.valid_day, extract(day from d.after)::int) as day_of_month) counted
        where p.video_id = ${videoId} and p.user_id = any(${arrayOf([...userIds], 'uuid')}) and p.state in ('open', 'waived')
          and p.covered_at is not null and (a.requirement = 'watched' or passed.at is not null)
          and (a.statement is null or c.confirmed_at is not null)) f
      where o.id = f.id and o.state in ('open', 'waived')`,
  )
}

/** Does the same for the obligations towards which whatever was completed counts, whenever that was. */
export async function settleCompleted(tx: Tx, videoId: string, userIds: readonly string[]): Promise<void> {
  await tx.execute(
    sql`update obligations o set state = 'done', done_at = f.at, reason = null, waived_until = null, next_message_on = null, updated_at = now()
      from obligations p cross join lateral first_completed(p.organization_id, p.user_id, p.video_id) as f (at)
      where o.id = p.id and p.video_id = ${videoId} and p.user_id = any(${arrayOf([...userIds], 'uuid')}) and ${countsEver('p')}
        and p.state in ('open', 'waived') and o.state in ('open', 'waived') and f.at is not null`,
  )
}

/** This condition on `training_waivers x` holds while a waiver is in force: nobody took it back, and it has not run out. */
export const stands = sql`x.ended_at is null and (x.until is null or x.until > now())`

/** This condition on `obligations o` holds when somebody decided that this person need not watch this video, whoever asks for it. */
export const isExcused = sql`exists (select from training_waivers x where x.organization_id = o.organization_id and x.user_id = o.user_id
  and x.video_id = o.video_id and ${stands})`

/**
 * This condition on `obligations o`, which is not done, holds when somebody decided that this person need not do it, for now or for good.
 */
export const isWaived = sql`((o.state = 'waived' and coalesce(o.waived_until > now(), true)) or ${isExcused})`

/**
 * This condition on `obligations o` of `assignments y`, which is not done, holds when this person does not owe it, though others do. Once
 * the assignment has ended nobody is asked for anything, and nobody is excused from it either.
 */
export const isLetOff = sql`(y.state <> 'ended' and (o.state = 'ended' or ${isWaived}))`

/**
 * This expression gives the instant since which this person owes to pass the questions of a video anew, or -infinity where they do not.
 * Whoever passed before, or used up their attempts, is asked again.
 */
export const passingOwedSince = (userId: SQL, videoId: SQL): SQL =>
  sql`(select coalesce(max(${answersFrom('o')}), '-infinity') from obligations o join assignments d on d.id = o.assignment_id
    where o.user_id = ${userId} and o.video_id = ${videoId} and o.state = 'open' and d.requirement = 'passed'
      and d.state in ('active', 'paused'))`

/** Whoever owes these `obligations` has just been told of them, so that nobody is reminded by hand a moment later. */
export async function noteMessage(tx: Tx, which: SQL): Promise<void> {
  await tx.execute(sql`update obligations set last_message_at = now(), updated_at = now() where ${which}`)
}

/**
 * Forgets what a person has seen. That something was owed, and that it is not owed any more, are decisions, so these stay when the evidence
 * of a person goes.
 */
export async function forgetWhatWasSeen(tx: Tx, { organizationId, userId }: PersonKey): Promise<void> {
  await tx.execute(
    sql`update obligations set version_id = null, coverage = '{}', covered_ms = 0, covered_at = null, done_at = null, owed_parts = null
      where organization_id = ${organizationId} and user_id = ${userId}`,
  )
  await tx.execute(
    sql`delete from confirmations where organization_id = ${organizationId} and user_id = ${userId}`,
  )
}
