import * as z from 'zod/mini'
import type { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { applyAllRules } from '../directory/people/rule-members.ts'
import { requireRow, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { thresholdOf } from '../transmissions/compose/approval.ts'
import { reached, requireKnown } from '../transmissions/compose/audience.ts'
import { requireVideo } from '../transmissions/compose/create.ts'
import { today } from '../directory/organizations/days.ts'
import { dueOf, nextReminder } from './days.ts'
import { begun, reachable } from './path.ts'

const Preview = z.object({
  people: z.number(),
  waiting: z.number(),
  never: z.number(),
  done: z.number(),
  withoutMail: z.number(),
  mailed: z.number(),
})

type AssignmentPreviewRequest = { orgId: string; body: ParsedBody<typeof previewAssignment> }

/** These conditions on `reached r` say who begins at once, and who can come to that. */
async function ways(
  tx: Tx,
  { orgId, body: { waitsForId } }: AssignmentPreviewRequest,
): Promise<{ begins: SQL; follows: SQL }> {
  if (waitsForId === null) return { begins: sql`true`, follows: sql`true` }
  const able = await reachable(tx, orgId, waitsForId)
  return {
    begins: sql`r.id in (${begun({ id: null, organizationId: orgId, waitsForId })})`,
    follows: sql`r.id in (${able})`,
  }
}

/**
 * Counts the people whom an assignment would reach. Whoever has seen enough of the video since the day that counts is done at once; without
 * such a day everybody begins anew.
 */
export async function preview(
  tx: Tx,
  { orgId, body }: AssignmentPreviewRequest,
): Promise<Reply<typeof previewAssignment>> {
  const { audience, videoId, requirement, statement, countsSince } = body
  await requireKnown(tx, { organizationId: orgId, audience })
  await requireVideo(tx, { organizationId: orgId, videoId })
  await applyAllRules(tx, orgId)
  const since = sql`(select ${countsSince}::date::timestamp at time zone z.time_zone from organizations z where z.id = ${orgId})`
  const isDone = sql`${statement === null} and exists (select from (select range_agg(p.coverage) as seen, max(p.theta * p.duration_ms) as needed from play_sessions p
      where p.user_id = r.id and p.video_id = ${videoId} and p.started_at >= ${since}
        and p.version_id = (select v.current_version_id from videos v where v.id = ${videoId})) s
      where (select sum(upper(x) - lower(x)) from unnest(s.seen) x) >= s.needed)
    and (${requirement} = 'watched' or exists (select from quiz_attempts q where q.user_id = r.id and q.video_id = ${videoId} and q.passed
      and q.completed_at >= ${since}))`
  const { begins, follows } = await ways(tx, { orgId, body })
  const counted = await requireRow(
    tx,
    Preview,
    sql`select count(*)::int as people, (count(*) filter (where not r.begins and r.follows))::int as waiting,
        (count(*) filter (where not r.begins and not r.follows))::int as never,
        (count(*) filter (where r.begins and ${isDone}))::int as done,
        (count(*) filter (where r.reason in ('no_address', 'suppressed')))::int as "withoutMail",
        (count(*) filter (where r.begins and coalesce(r.reason not in ('no_address', 'suppressed'), true)
          and not coalesce(${isDone}, false)))::int as mailed
      from (select r.*, ${begins} as begins, ${follows} as follows
        from (${reached({ organizationId: orgId, audience })}) r where r.reason is distinct from 'inactive') r`,
  )
  const overlaps = await overlapsOf(tx, { orgId, body })
  const threshold = await thresholdOf(tx, orgId)
  return {
    ...counted,
    needsApproval: threshold !== null && counted.mailed > threshold,
    overlaps,
    mails: await mailsOf(tx, { orgId, body }, counted.mailed),
  }
}

/** The preview names as many people as this of each assignment with the same video. */
const mostNames = 3
const mostOverlaps = 5

const Overlap = z.object({ id: z.string(), name: z.string(), people: z.number(), names: z.array(z.string()) })

function overlapsOf(tx: Tx, { orgId, body: { assignmentId, videoId, audience } }: AssignmentPreviewRequest) {
  return rows(
    tx,
    Overlap,
    sql`select a.id, a.name, count(*)::int as people, (array_agg(u.name order by u.called, u.id))[1:${mostNames}::int] as names
      from (${reached({ organizationId: orgId, audience })}) r join users u on u.id = r.id
        join obligations o on o.user_id = r.id and o.organization_id = ${orgId} and o.video_id = ${videoId} and o.state = 'open'
        join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id and a.state = 'active'
      where r.reason is distinct from 'inactive' and a.id is distinct from ${assignmentId}::uuid
      group by a.id order by people desc, a.id limit ${mostOverlaps}`,
  )
}

/** The preview looks ahead by this number of days, today among them. */
const ahead = 30

const Days = z.object({
  now: z.string(),
  today: z.string(),
  dueDay: z.nullable(z.string()),
})

/** Counts the mails of each day. The first message leaves at once, and then each reminder on its day, as the plan has it. */
async function mailsOf(
  tx: Tx,
  { orgId, body: { due, reminders } }: AssignmentPreviewRequest,
  people: number,
): Promise<Reply<typeof previewAssignment>['mails']> {
  if (!due || !reminders) return []
  const {
    now,
    today: begun,
    dueDay,
  } = await requireRow(
    tx,
    Days,
    sql`select (now() at time zone z.time_zone)::date::text as now, ${today}::text as today,
        (${dueOf(due, sql`now()`)} at time zone z.time_zone)::date::text as "dueDay" from organizations z where z.id = ${orgId}`,
  )
  const days = Array.from({ length: ahead }, (_, n) =>
    Temporal.PlainDate.from(now).add({ days: n }).toString(),
  )
  const last = days.at(-1) ?? now
  const counts = new Map([[now, people]])
  let day: string | null = begun
  for (let sent = 0; ; sent += 1) {
    day = nextReminder(reminders, { since: now, due: dueDay, reminders: sent }, day)
    if (day === null || day > last) break
    counts.set(day, (counts.get(day) ?? 0) + people)
  }
  return days.map((one) => ({ day: one, count: counts.get(one) ?? 0 }))
}
