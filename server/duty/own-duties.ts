import * as z from 'zod/mini'
import { requirements } from '#contract/assignments/assignments.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { dayOnly } from '../platform/db/search.ts'
import { hasRow, rows, type Tx } from '../platform/db/client.ts'
import { called, isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { hasCompleted } from '../tracking/completion.ts'
import { countsEver, stands } from './obligations.ts'
import { isUnconfirmed } from './unconfirmed.ts'
import { mayHaveArrived } from '../deliveries.ts'

type Of = { organizationId: string; userId: string }

const Duty = z.object({
  videoId: z.string(),
  title: z.string(),
  /** This is the name of its assignment; null means that a message asked for it. */
  name: z.nullable(z.string()),
  state: z.enum(['open', 'done', 'waived']),
  requirement: z.enum(requirements),
  dueAt: z.nullable(z.string()),
  isLate: z.boolean(),
  /** This is an instant. Where only completions are recorded, it is the first instant of the day (UTC), and `isDay` is true. */
  doneAt: z.nullable(z.string()),
  isDay: z.boolean(),
  validUntil: z.nullable(z.string()),
  waivedUntil: z.nullable(z.string()),
  /** This is a whole percentage, rounded down; it is null where it may not be told, or where nothing was seen. */
  share: z.nullable(z.number()),
  /** It is true when there is a completed viewing to be certified. */
  mayCertify: z.boolean(),
  /** This sentence is to be confirmed after that, once nothing else is left (`isReady`), or it was confirmed. */
  asked: z.nullable(z.object({ id: z.string(), statement: z.string(), isReady: z.boolean() })),
  /** This is the newest message that leads to its video. */
  link: z.nullable(z.object({ deliveryId: z.string(), linkHash: z.string() })),
})
export type Duty = z.infer<typeof Duty>

/** Nobody owes more than these at once; what is older is in the file of their data. */
const most = 200

/**
 * Finds what somebody owes and what they have done, because of assignments and of messages with a day by which they are to be watched. A
 * message without a day is owed by nobody, but it may be done. What is still to be done comes first, the most urgent on top.
 */
export function findDuties(tx: Tx, { organizationId, userId }: Of): Promise<Duty[]> {
  const completed = (videoId: SQL) =>
    hasCompleted({ organizationId: sql`${organizationId}`, userId: sql`${userId}`, videoId })
  return rows(
    tx,
    Duty,
    sql`with shown as materialized (select ${showsPersons(sql`${organizationId}::uuid`)} as shows),
      assigned as (select o.video_id, a.name, case when o.state = 'open' and x.id is not null then 'waived' else o.state end as state,
          a.requirement, o.due_at, o.done_at, o.valid_until, case when x.id is null then o.waived_until else x.until end as waived_until,
          100.0 * o.covered_ms / nullif(n.duration_ms, 0) as share,
          case when a.statement is not null then json_build_object('id', o.id, 'isReady', o.state = 'open' and ${isUnconfirmed('o')},
            'statement', coalesce((select c.statement from confirmations c where c.obligation_id = o.id), a.statement)) end as asked
        from obligations o join assignments a on a.id = o.assignment_id left join video_versions n on n.id = o.version_id
          left join training_waivers x on o.state = 'open' and ${stands} and x.organization_id = o.organization_id and x.user_id = o.user_id
            and x.video_id = o.video_id
        where o.organization_id = ${organizationId} and o.user_id = ${userId} and o.state in ('open', 'done', 'waived') and not ${countsEver('o')}),
      asked as (select distinct on (t.video_id) t.video_id, o.due_at,
          (select min(w.completed_at) from viewer_videos w where w.organization_id = ${organizationId} and w.user_id = ${userId}
            and w.video_id = t.video_id) as done_at, x.id is not null or o.state = 'waived' as is_waived, coalesce(x.until, o.waived_until) as until,
          (select max(100.0 * w.covered_ms / nullif(n.duration_ms, 0)) from viewer_videos w join video_versions n on n.id = w.version_id
            where w.version_id = t.version_id and w.organization_id = ${organizationId} and w.user_id = ${userId}) as share
        from deliveries d join transmissions t on t.id = d.transmission_id
          left join assignments m on m.message_id = t.id or m.id = t.assignment_id and m.message_id is not null
          left join obligations o on o.assignment_id = m.id and o.user_id = d.user_id and o.state <> 'ended'
          left join training_waivers x on x.organization_id = ${organizationId} and x.user_id = ${userId} and x.video_id = t.video_id
            and ${stands}
        where d.organization_id = ${organizationId} and d.user_id = ${userId} and ${mayHaveArrived('d')}
          and d.link_revoked_at is null and (t.assignment_id is null or m.id is not null)
          and (o.id is not null or ${completed(sql`t.video_id`)})
          and not exists (select from assigned a where a.video_id = t.video_id)
        order by t.video_id, o.state = 'waived', o.due_at desc nulls last),
      every_one as (select * from assigned
        union all select video_id, null, case when done_at is not null then 'done' when is_waived then 'waived' else 'open' end,
          'watched', due_at, done_at, null, until, share, null from asked)
      select v.id as "videoId", v.title, e.name, e.state, e.requirement, ${isoText(sql`e.due_at`)} as "dueAt",
        coalesce(e.state = 'open' and e.due_at < now(), false) as "isLate",
        ${isoText(sql`case when s.shows then e.done_at else ${dayOnly(sql`e.done_at`)} end`)} as "doneAt", not s.shows as "isDay",
        ${isoText(sql`e.valid_until`)} as "validUntil", ${isoText(sql`e.waived_until`)} as "waivedUntil",
        case when s.shows and e.share >= 1 then least(99, floor(e.share))::int end as share,
        e.state = 'done' and ${completed(sql`v.id`)} as "mayCertify",
        e.asked,
        (select json_build_object('deliveryId', d.id, 'linkHash', encode(d.link_hash, 'hex'))
          from deliveries d join transmissions t on t.id = d.transmission_id
          where d.organization_id = ${organizationId} and d.user_id = ${userId} and t.video_id = v.id and v.state <> 'archived'
            and ${mayHaveArrived('d')} and d.link_hash is not null and d.link_revoked_at is null
            and coalesce(t.links_end_at > now(), true) order by d.created_at desc, d.id desc limit 1) as link
      from every_one e join videos v on v.id = e.video_id and v.organization_id = ${organizationId} and v.deleted_at is null cross join shown s
      order by e.state <> 'open', case when e.state = 'open' then e.due_at end nulls last, e.done_at desc nulls last, ${called(sql`v.title`)}, v.id
      limit ${most}`,
  )
}

const Certified = z.object({
  id: z.string(),
  number: z.number(),
  issuedAt: z.string(),
  title: z.string(),
})
export type Certified = z.infer<typeof Certified>

/** Finds certificates, the newest first. It leaves out those whose text was erased. */
export function findOwnCertificates(tx: Tx, { organizationId, userId }: Of): Promise<Certified[]> {
  return rows(
    tx,
    Certified,
    sql`select c.id, c.number::int as number, ${isoText(sql`c.issued_at`)} as "issuedAt", v.title
      from certificates c join videos v on v.id = c.video_id
      where c.organization_id = ${organizationId} and c.user_id = ${userId} and c.body is not null
      order by c.number desc limit ${most}`,
  )
}

export function hasDone(tx: Tx, { organizationId, userId }: Of, videoId: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 where ${hasCompleted({ organizationId: sql`${organizationId}`, userId: sql`${userId}`, videoId: sql`${videoId}` })}`,
  )
}
