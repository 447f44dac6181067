import * as z from 'zod/mini'
import { Due, Validity } from '#contract/assignments/assignments.ts'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { applyAllRules } from '../directory/people/rule-members.ts'
import { eachApart, isFree } from '../platform/aside.ts'
import { toTheEnd } from '../platform/failures.ts'
import { arrayOf, row, rows, type Database, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { startLoop, type Loop } from '../platform/loop.ts'
import { viewerKeysOf } from '../tracking/ingest/token.ts'
import { holdVideo, lookAgain } from '../tracking/aggregate.ts'
import { versionsOf, type Version } from '../duty/carried.ts'
import { followViewing } from '../duty/completions.ts'
import { settleCompleted, settleObligations } from '../duty/obligations.ts'
import { carry, lengthIn } from '../duty/replaced.ts'
import { answersFrom } from '../duty/unconfirmed.ts'
import { belonging } from '../transmissions/compose/audience.ts'
import { today } from '../directory/organizations/days.ts'
import { planAnew } from './anew.ts'
import { backInPlan, dueOf } from './days.ts'
import { escalatingEachMinute } from './escalation.ts'
import { assignmentNamed, sendDue } from './messages.ts'
import { obligedBy } from './path.ts'
import { wasTried } from '../deliveries.ts'

const Key = z.object({ id: z.string(), organizationId: z.string() })
type Key = z.infer<typeof Key>

const PlannedRow = z.extend(Key, {
  videoId: z.string(),
  audience: Audience,
  due: Due,
  validity: Validity,
  waitsForId: z.nullable(z.string()),
  /** The recipients of this message owe it; null means that its audience does. */
  messageId: z.nullable(z.string()),
  grows: z.boolean(),
})
type Planned = z.infer<typeof PlannedRow>

/** The planner looks at the same audience again only after this time. */
const restedFor = sql`interval '1 minute'`
const idleMs = 1_000

/**
 * Brings the obligations of every active assignment up to date and sends what is due. Each assignment is one transaction that holds its
 * row, so any number of processes may do this, and be killed anywhere.
 */
export async function planAssignments({ db }: Pick<Services, 'db'>): Promise<void> {
  const waiting = await rows(
    db.single,
    Key,
    sql`select a.id, a.organization_id as "organizationId" from assignments a
      join organizations o on o.id = a.organization_id and o.state = 'active' and o.deleted_at is null
      where a.state = 'active' and coalesce(a.planned_at, '-infinity') < now() - ${restedFor} and ${isFree('assignments', sql`a.id::text`)}
      order by a.planned_at nulls first limit 100`,
  )
  await toTheEnd([
    () =>
      eachApart({ db, loop: 'assignments', nameOf: assignmentNamed }, waiting, (key) =>
        db.as({ organizationId: key.organizationId }, (tx) => planOne(tx, key)),
      ),
    () => countNewcomers(db),
    () => sendDue(db),
  ])
}

/**
 * One look lets in and out at most this number of people, and one statement writes as many rows. What is left follows at the next look,
 * which then comes at once.
 */
const most = 20_000
/** The sessions of as many people of one video as this are judged anew at once. */
const mostWatchers = 500

/** Brings the obligations of one assignment up to date, and sends nothing. */
export async function planOne(tx: Tx, { id, organizationId }: Key): Promise<void> {
  const planned = await row(
    tx,
    PlannedRow,
    sql`select id, organization_id as "organizationId", video_id as "videoId", audience, due, validity, waits_for as "waitsForId", message_id as "messageId", grows from assignments
      where id = ${id} and organization_id = ${organizationId} and state = 'active' for no key update skip locked`,
  )
  if (!planned) return
  await applyAllRules(tx, organizationId)
  // The video is held, so that nothing is reported unseen between looking for what was watched and writing who owes it.
  if (!(await holdVideo(tx, planned.videoId))) return
  if (planned.messageId !== null) return planRecipients(tx, planned)
  const members = sql`(${obligedBy(planned)})`
  const moves = await movesOf(tx, planned, members)
  await takeIn(tx, planned, moves)
  await endForLeavers(tx, planned, moves)
  await takeBack(tx, planned, moves)
  const asked = await askAgain(tx, planned, members)
  const renewed = await renew(tx, planned, members)
  const ended = await endWaivers(tx, planned)
  const isWhole = Math.max(moves.length, asked, renewed, ended) < most
  await tx.execute(
    sql`update assignments set planned_at = ${isWhole ? sql`now()` : sql`null`} where id = ${id} and organization_id = ${organizationId}`,
  )
}

/**
 * Plans for the recipients of a message. Its ledger obliges them, and lets them go. What is left is to plan the first reminder of whoever
 * has had the message, to end waivers, and, where its author wants that, to let in whoever has come into its audience since; nobody stops
 * owing it by leaving that audience. Once nothing is left nobody looks again, until something changes.
 */
async function planRecipients(tx: Tx, planned: Planned): Promise<void> {
  const { id, organizationId, grows } = planned
  const joined = grows ? await takeInJoined(tx, planned) : 0
  const reached = await noteReached(tx, planned)
  const ended = await endWaivers(tx, planned)
  const isWhole = Math.max(joined, reached, ended) < most
  const goesOn = sql`(${grows} or exists (select from obligations o where ${ofPlanned(planned)}
    and (o.state = 'open' and o.messages = 0 or o.state = 'waived' and (o.messages = 0 or o.waived_until is not null))))`
  await tx.execute(
    sql`update assignments set planned_at = ${isWhole ? sql`case when ${goesOn} then now() else 'infinity' end` : sql`null`}
      where id = ${id} and organization_id = ${organizationId}`,
  )
}

/** Obliges whoever has come into the audience of the message since its recipients were listed. */
async function takeInJoined(tx: Tx, { id, organizationId, audience }: Planned): Promise<number> {
  const { rowCount } = await tx.execute(
    sql`insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, next_message_on, counted, state, done_at)
      select a.organization_id, a.id, m.user_id, a.video_id, '-infinity', t.due_at, case when w.at is null then ${today} end, true,
        case when w.at is null then 'open' else 'done' end, w.at
      from assignments a join organizations z on z.id = a.organization_id join transmissions t on t.id = a.message_id and t.prepared_at is not null
        cross join (${belonging({ organizationId, audience })}) m
        cross join lateral first_completed(a.organization_id, m.user_id, a.video_id) as w (at)
      where a.id = ${id} and a.organization_id = ${organizationId}
        and not exists (select from deliveries d where d.transmission_id = t.id and d.user_id = m.user_id)
        and not exists (select from obligations o where o.assignment_id = a.id and o.user_id = m.user_id)
      limit ${most} on conflict on constraint obligations_once do nothing`,
  )
  return rowCount ?? 0
}

/** Plans the reminders from now on for whoever has had the message, or to whom it cannot be brought. */
async function noteReached(tx: Tx, planned: Planned): Promise<number> {
  const place = { orgId: planned.organizationId, assignmentId: planned.id }
  const { rowCount } = await tx.execute(
    sql`update obligations o set messages = 1, last_message_at = greatest(o.last_message_at, d.accepted_at), updated_at = now()
      from deliveries d where ${ofPlanned(planned)} and o.id in (select o.id from obligations o join deliveries d
          on d.transmission_id = ${planned.messageId} and d.user_id = o.user_id and ${wasTried('d')}
        where ${ofPlanned(planned)} and o.state in ('open', 'waived') and o.messages = 0 order by o.id limit ${most} for update of o)
        and d.transmission_id = ${planned.messageId} and d.user_id = o.user_id`,
  )
  if (rowCount) await planAnew(tx, place, { whom: sql`o.messages = 1 and o.next_message_on is null` })
  return rowCount ?? 0
}

const ofPlanned = ({ id, organizationId }: Planned): SQL =>
  sql`o.assignment_id = ${id} and o.organization_id = ${organizationId}`

const Move = z.object({ userId: z.string(), move: z.enum(['in', 'out', 'back']) })
type Move = z.infer<typeof Move>

/** Finds how the audience differs from the people who are obliged. */
function movesOf(tx: Tx, planned: Planned, members: SQL): Promise<Move[]> {
  return rows(
    tx,
    Move,
    sql`select coalesce(m.user_id, o.user_id) as "userId", case when o.user_id is null then 'in' when m.user_id is null then 'out' else 'back' end as move
      from ${members} m full join (select o.user_id, o.state, o.ending from obligations o where ${ofPlanned(planned)}) o
        on o.user_id = m.user_id
      where o.user_id is null or (m.user_id is null and o.state in ('open', 'waived'))
        or (m.user_id is not null and o.state = 'ended' and o.ending = 'left')
      limit ${most}`,
  )
}

const theseOf = (moves: readonly Move[], which: Move['move']): string[] =>
  moves.flatMap(({ userId, move }) => (move === which ? [userId] : []))

/**
 * This condition holds when something of the video was reported. Most people never reported anything, and what they report from now on
 * finds their obligation.
 */
const hasWatched = (videoId: SQL, userId: SQL): SQL =>
  sql`exists (select from viewer_videos w where w.video_id = ${videoId} and w.user_id = ${userId})`

/** Obliges whoever is in the audience and was never obliged. */
async function takeIn(tx: Tx, { id, organizationId, due }: Planned, moves: readonly Move[]): Promise<void> {
  const userIds = theseOf(moves, 'in')
  if (userIds.length === 0) return
  await tx.execute(
    sql`insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, next_message_on, counted)
      select a.organization_id, a.id, m.user_id, a.video_id, coalesce(a.counts_since::timestamp at time zone z.time_zone, now()),
        ${dueOf(due, sql`now()`)}, ${today}, not ${hasWatched(sql`a.video_id`, sql`m.user_id`)}
      from assignments a join organizations z on z.id = a.organization_id cross join unnest(${arrayOf(userIds, 'uuid')}) m(user_id)
      where a.id = ${id} and a.organization_id = ${organizationId}
      on conflict on constraint obligations_once do nothing`,
  )
}

/** Ends the obligation of whoever has left the audience; the row stays. */
async function endForLeavers(tx: Tx, planned: Planned, moves: readonly Move[]): Promise<void> {
  const userIds = theseOf(moves, 'out')
  if (userIds.length === 0) return
  await tx.execute(
    sql`update obligations o set state = 'ended', ending = 'left', reason = null, waived_until = null, next_message_on = null, updated_at = now()
      where ${ofPlanned(planned)} and o.state in ('open', 'waived') and o.user_id = any(${arrayOf(userIds, 'uuid')})`,
  )
}

/**
 * Obliges whoever comes back, with a day of their own, and keeps what they have watched. Where nothing was ever watched there is nothing to
 * count, and their message need not wait until thousands of others have been looked at.
 */
async function takeBack(tx: Tx, planned: Planned, moves: readonly Move[]): Promise<void> {
  const userIds = theseOf(moves, 'back')
  if (userIds.length === 0) return
  await tx.execute(
    sql`update obligations o set state = 'open', ending = null, since = now(), due_is_own = false,
        due_at = ${dueOf(planned.due, sql`now()`)}, next_message_on = ${today}, messages = 0,
        counted = o.covered_at is null and not ${hasWatched(sql`o.video_id`, sql`o.user_id`)}, updated_at = now()
      from organizations z where z.id = o.organization_id and ${ofPlanned(planned)} and o.state = 'ended' and o.ending = 'left'
        and o.user_id = any(${arrayOf(userIds, 'uuid')})`,
  )
}

/**
 * Asks whoever is done to watch what a new version of the video has changed, where its author wanted that. The next versions may be there
 * already.
 */
async function askAgain(tx: Tx, planned: Planned, members: SQL): Promise<number> {
  const versions = await versionsOf(tx, planned.videoId)
  let asked = 0
  for (const [index, { id, change }] of versions.entries()) {
    if (change === null || change.matters === 'nothing' || !change.alsoDone) continue
    const newer = await askFor(tx, { planned, members }, id)
    if (newer > 0) await moveOn(tx, planned, versions.slice(index))
    asked += newer
  }
  return asked
}

type Asking = { planned: Planned; members: SQL }

/**
 * Begins a cycle for the changed stretches alone: whoever passed the questions for the cycle before need not do so again. Its validity ends
 * when that of the cycle before did. A due day that has passed is dropped.
 */
async function askFor(tx: Tx, { planned, members }: Asking, versionId: string): Promise<number> {
  const due = dueOf(planned.due, sql`now()`)
  const unchangedParts = sql`int4multirange(int4range(0, x.duration_ms)) - x.owed_parts`
  const { rowCount } = await tx.execute(
    sql`with asked as (insert into obligations (organization_id, assignment_id, user_id, video_id, cycle, counts_from, answers_from, due_at, next_message_on,
          version_id, coverage, covered_ms, owed_parts, valid_at_most)
        select o.organization_id, o.assignment_id, o.user_id, o.video_id, o.cycle + 1, x.ready_at, ${answersFrom('o')}, case when ${due} > now() then ${due} end,
          ${today}, x.id, ${unchangedParts}, ${lengthIn(unchangedParts)}, x.owed_parts, o.valid_until
        from obligations o join organizations z on z.id = o.organization_id join video_versions w on w.id = o.version_id
          join video_versions x on x.id = ${versionId} and x.video_id = o.video_id and x.number > w.number and x.owed_parts <> '{}'
        where ${ofPlanned(planned)} and o.state = 'done' and coalesce(o.valid_until > now(), true)
          and exists (select from ${members} m where m.user_id = o.user_id)
          and not exists (select from obligations n where n.assignment_id = o.assignment_id and n.user_id = o.user_id and n.cycle > o.cycle)
        limit ${most} on conflict on constraint obligations_once do nothing returning user_id, cycle)
      update obligations o set followed = true, updated_at = now() from asked a
      where ${ofPlanned(planned)} and o.user_id = a.user_id and o.cycle = a.cycle - 1`,
  )
  return rowCount ?? 0
}

/** Moves those who were asked for the first of these versions on to the one that plays. */
async function moveOn(tx: Tx, { id, organizationId }: Planned, versions: Version[]): Promise<void> {
  for (const [index, after] of versions.entries()) {
    const before = versions[index - 1]
    if (!before || after.change === null) continue
    const which = sql`p.organization_id = ${organizationId} and p.assignment_id = ${id} and p.version_id = ${before.id}
      and p.state = 'open' and not p.counted`
    await carry(tx, which, { change: after.change, before, after })
  }
}

/** Begins the next cycle the given number of days before the end of the validity, which is the day by which it is due. */
async function renew(tx: Tx, planned: Planned, members: SQL): Promise<number> {
  const { validity } = planned
  if (validity === null) return 0
  const begins = sql`(o.valid_until at time zone z.time_zone - make_interval(days => ${validity.renewDays}::int)) at time zone z.time_zone`
  const { rowCount } = await tx.execute(
    sql`insert into obligations (organization_id, assignment_id, user_id, video_id, cycle, counts_from, due_at, next_message_on)
      select o.organization_id, o.assignment_id, o.user_id, o.video_id, o.cycle + 1, now(), o.valid_until, ${today}
      from obligations o join organizations z on z.id = o.organization_id
      where ${ofPlanned(planned)} and o.state = 'done' and ${begins} <= now()
        and exists (select from ${members} m where m.user_id = o.user_id)
        and not exists (select from obligations n where n.assignment_id = o.assignment_id and n.user_id = o.user_id and n.cycle > o.cycle)
      limit ${most} on conflict on constraint obligations_once do nothing`,
  )
  return rowCount ?? 0
}

async function endWaivers(tx: Tx, planned: Planned): Promise<number> {
  const { rowCount } = await tx.execute(
    sql`update obligations o set state = 'open', reason = null, waived_until = null, next_message_on = ${backInPlan}, updated_at = now()
      from assignments a join organizations z on z.id = a.organization_id
      where a.id = o.assignment_id and o.id in (select o.id from obligations o where ${ofPlanned(planned)} and o.state = 'waived'
        and o.waived_until <= now() limit ${most})`,
  )
  return rowCount ?? 0
}

const Video = z.object({ videoId: z.string() })
const Watcher = z.object({ userId: z.string() })

/** Adds to new obligations what was watched before they were written, also while they were; until then nothing is sent. */
export async function countNewcomers(db: Database): Promise<void> {
  const waiting = await rows(
    db.single,
    Video,
    sql`select distinct video_id as "videoId" from obligations where not counted`,
  )
  const nameOf = ({ videoId }: z.infer<typeof Video>) => ({ item: videoId })
  await eachApart({ db, loop: 'newcomers', nameOf }, waiting, ({ videoId }) =>
    db.as('system', (tx) => count(tx, videoId)),
  )
}

async function count(tx: Tx, videoId: string): Promise<void> {
  if (!(await holdVideo(tx, videoId))) return
  const watchers = await rows(
    tx,
    Watcher,
    sql`select distinct user_id as "userId" from (select user_id from obligations
      where video_id = ${videoId} and not counted limit ${mostWatchers}) w`,
  )
  const userIds = watchers.map(({ userId }) => userId)
  if (userIds.length === 0) return
  const viewerKeys = userIds.flatMap(viewerKeysOf)
  await lookAgain(tx, { videoId, viewerKeys, follow: followViewing })
  await settleObligations(tx, videoId, userIds)
  await settleCompleted(tx, videoId, userIds)
  await tx.execute(
    sql`update obligations set counted = true where video_id = ${videoId} and user_id = any(${arrayOf(userIds, 'uuid')}) and not counted`,
  )
}

/** Plans for as long as the process runs. */
export function startAssignments(services: Services): Pick<Loop, 'stop'> {
  const { db, log } = services
  const escalate = escalatingEachMinute(services)
  return startLoop({ log, failure: 'planning assignments failed; it will be tried again' }, async () => {
    await toTheEnd([() => planAssignments({ db }), escalate])
    return idleMs
  })
}
