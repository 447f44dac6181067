import * as z from 'zod/mini'
import { personDataParts, type PersonDataPart } from '#contract/evidence/privacy.ts'
import { arrayOf, type Database, rows, type Tx } from '#server/platform/db/client.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { viewerKeysOf } from '../../tracking/ingest/token.ts'
import type { PersonKey } from '../../tracking/forget.ts'
import { filledMessages } from './messages.ts'
import { reasonOf, stateOf } from '../../deliveries.ts'
import { personState } from '../../people.ts'

/** One statement reads this number of rows, and each piece of the file holds as many. */
const stretch = 200

/** A file is about a person with everything under their keys, or about a visit without a name. */
export type DataSubject = { organizationId: string; userId: string | null; viewerKeys: readonly string[] }

/**
 * Returns a person with all their keys, because somebody who came by a personal link and signed in is two viewers to the log, and one
 * person here.
 */
export function subjectOf({ organizationId, userId }: PersonKey): DataSubject {
  return { organizationId, userId, viewerKeys: viewerKeysOf(userId) }
}

type DataFile = {
  about: DataSubject
  parts: readonly PersonDataPart[]
  /** It is true when the file is for the person, and not for an administrator. */
  isOwn: boolean
}

const ownMeaning: Partial<Record<PersonDataPart, string>> = {
  quizzes:
    'Attempts at the questions of videos: every answer as it was given, and the result of each attempt that was completed. What would have been right is not in this file',
}
const withheldText = (whom: string) =>
  `This organization records only who completed a video, and on which day. What is kept for a while to find that out is not shown ${whom}.`

/** Yields one JSON object in pieces, a part of it at a time, each in transactions of its own. */
export async function* personData(db: Database, { about, parts, isOwn }: DataFile): AsyncGenerator<string> {
  const scope = { organizationId: about.organizationId }
  const privacy = await db.as(scope, (tx) => privacyOf(tx, about.organizationId))
  const isFull = privacy.showsPersons
  const withheld = isFull
    ? null
    : withheldText(isOwn ? 'to anybody and is deleted soon' : 'to its administrators')
  const meaning = Object.fromEntries(
    parts.map((part) => [part, (isOwn ? ownMeaning[part] : undefined) ?? personDataParts[part]]),
  )
  yield `{\n"exportedAt": ${JSON.stringify(new Date().toISOString())},\n"meaning": ${JSON.stringify(meaning)},\n`
  yield `"withheld": ${JSON.stringify(withheld)}`
  for (const part of parts) {
    const source = sourceOf(part, { about, isFull, isOwn })
    yield `,\n${JSON.stringify(part)}: [`
    let offset = 0
    for (let found = stretch; found === stretch; offset += found) {
      const from = offset
      const page = await db.as(scope, async (tx) => {
        const entries = await pageOf(tx, source, from)
        return part === 'messages' ? filledMessages(tx, about, entries) : entries
      })
      yield page.map((one, n) => `${offset + n === 0 ? '' : ','}\n${JSON.stringify(one)}`).join('')
      found = page.length
    }
    yield `${offset === 0 ? '' : '\n'}]`
  }
  yield '\n}\n'
}

type Telling = { about: DataSubject; isFull: boolean; isOwn: boolean }

function sourceOf(part: PersonDataPart, { about, isFull, isOwn }: Telling): SQL {
  if (isOwn && part === 'quizzes') return quizzesOf(about, true)
  return (isFull ? undefined : finer[part]?.(about)) ?? sources[part](about)
}

const EntryRow = z.object({ entry: z.unknown() })

async function pageOf(tx: Tx, source: SQL, offset: number): Promise<unknown[]> {
  const found = await rows(
    tx,
    EntryRow,
    sql`select to_jsonb(entry) as entry from (${source} offset ${offset} limit ${stretch}) entry`,
  )
  return found.map(({ entry }) => entry)
}

const among = ({ viewerKeys }: DataSubject) => sql`= any(${arrayOf(viewerKeys, 'text')})`

/** These are told in the place of a part where only completions are recorded. */
const finer: Partial<Record<PersonDataPart, (about: DataSubject) => SQL>> = {
  videos: (about) =>
    sql`select v.title, w.version_id as version, (w.completed_at at time zone 'UTC')::date as "completedOn"
      from viewer_videos w join videos v on v.id = w.video_id
      where w.organization_id = ${about.organizationId} and w.viewer_key ${among(about)} and w.completed_at is not null order by w.completed_at`,
  sessions: () => sql`select null where false`,
  messages: (about) =>
    sql`select d.id, t.subject, t.body, v.title as video, t.sender_name as sender, t.due_at as "dueAt", d.address, ${stateOf('d')}, ${reasonOf('d')},
        d.accepted_at as "sentAt", (w.completed_at at time zone 'UTC')::date as "completedOn"
      ${messagesOf(about)}`,
}

/** An answer as people read it: choices by their texts, in the order in which they were given. */
const inWords = sql`case jsonb_typeof(g.answer) when 'array' then
  (select jsonb_agg(o ->> 'text' order by given.n) from jsonb_array_elements_text(g.answer) with ordinality given(id, n)
    join jsonb_array_elements(i.question -> 'options') o on o ->> 'id' = given.id) else g.answer end`

/**
 * Selects attempts at questions. The person gets no word on single answers, from which the key could be told, and of the result what they
 * were told at the end.
 */
const quizzesOf = (about: DataSubject, isOwn: boolean) =>
  sql`select v.title as video, a.number, a.started_at as "startedAt", a.completed_at as "completedAt",
      ${isOwn ? sql`case when a.completed_at is not null then a.score end` : sql`a.score`} as score, a.max_score as "maxScore",
      ${isOwn ? sql`case when a.completed_at is not null then a.passed end` : sql`a.passed`} as passed,
      coalesce((select json_agg(json_build_object('question', i.question->>'prompt', 'try', g.try, 'answer', ${inWords},
          ${isOwn ? sql`` : sql`'score', g.score, 'correct', g.correct, `}'answeredAt', g.answered_at) order by g.answered_at)
        from quiz_answers g join quiz_items i on i.id = g.item_id where g.attempt_id = a.id), '[]') as answers
    from quiz_attempts a join videos v on v.id = a.video_id
    where a.organization_id = ${about.organizationId} and a.viewer_key ${among(about)} order by a.started_at, a.id`

const messagesOf = ({ organizationId, userId }: DataSubject) =>
  sql`from deliveries d join transmissions t on t.id = d.transmission_id join videos v on v.id = t.video_id
    left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
    where d.organization_id = ${organizationId} and d.user_id = ${userId} order by d.created_at, d.id`

type Subject = { organizationId: string; userId: string | null }

/** These are kept about somebody because they use the console. There is nothing for somebody who only receives. */
const consoleSources = {
  signIns: ({ userId }: Subject): SQL =>
    sql`select s.created_at as "startedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.revoked_at as "endedAt",
        s.end_reason as "endReason", s.amr as proofs, s.user_agent as browser, s.ip_prefix as network
      from sessions s where s.user_id = ${userId} order by s.created_at, s.id`,
  devices: ({ userId }: Subject): SQL =>
    sql`select d.user_agent as browser, d.created_at as "firstAt", d.last_seen_at as "lastSeenAt" from devices d
      where d.user_id = ${userId} order by d.created_at, d.id`,
  connections: ({ userId }: Subject): SQL =>
    sql`select c.name as connection, c.issuer, p.subject, p.claims, p.first_at as "firstAt", p.last_at as "lastAt"
      from connection_people p join sign_in_connections c on c.id = p.connection_id where p.user_id = ${userId} order by p.first_at, p.id`,
  factors: ({ userId }: Subject): SQL =>
    sql`select * from (
        select 'passkey' as kind, k.name, k.created_at as "createdAt", k.last_used_at as "lastUsedAt" from passkeys k where k.user_id = ${userId}
        union all select 'authenticator', null, t.created_at, t.last_used_at from totp_factors t where t.user_id = ${userId}
        union all select 'recovery code', null, r.created_at, r.used_at from recovery_codes r where r.user_id = ${userId}
      ) f order by f."createdAt", f.kind, f.name, f."lastUsedAt"`,
  views: ({ organizationId, userId }: Subject): SQL =>
    sql`select w.list, w.name, w.search, w.shared, w.created_at as "createdAt", w.updated_at as "updatedAt" from saved_views w
      where w.organization_id = ${organizationId} and w.owner_id = ${userId} order by w.created_at, w.id`,
  reportSchedules: ({ organizationId, userId }: Subject): SQL =>
    sql`select r.report, r.view, r.period, r.rhythm, r.weekday, r.month_day as "monthDay", r.hour, r.time_zone as "timeZone", r.formats,
        r.state, r.created_at as "createdAt", r.last_sent_at as "lastSentAt", r.next_at as "nextAt",
        array(select a.address from report_addresses a where a.schedule_id = r.id order by a.id) as addresses from report_schedules r
      where r.organization_id = ${organizationId} and r.owner_id = ${userId} order by r.created_at, r.id`,
  notifications: ({ organizationId, userId }: Subject): SQL =>
    sql`select n.kind, n.params, n.created_at as at, n.read_at as "readAt" from notifications n
      where n.organization_id = ${organizationId} and n.user_id = ${userId} order by n.created_at, n.id`,
  hiddenAlerts: ({ organizationId, userId }: Subject): SQL =>
    sql`select h.kind, h.created_at as at, h.until from hidden_attention h
      where h.organization_id = ${organizationId} and h.owner_id = ${userId} order by h.created_at, h.id`,
  barred: ({ organizationId, userId }: Subject): SQL =>
    sql`select b.address, b.reason, b.created_at as since, b.expires_at as until
      from users u join suppressions b on b.organization_id = u.organization_id and b.address = u.email
      where u.organization_id = ${organizationId} and u.id = ${userId}
      union all select w.address, 'unsubscribed', w.created_at, null from unsubscriptions w
      where w.organization_id = ${organizationId} and w.user_id = ${userId} order by since, reason`,
  actions: ({ organizationId, userId }: Subject): SQL =>
    sql`select a.at, a.action, a.entity, a.entity_id as "entityId", a.ip_prefix as network, a.user_agent as browser from audit a
      where a.organization_id = ${organizationId} and a.actor_id = ${userId} order by a.at, a.id`,
}

const sources: Record<PersonDataPart, (about: DataSubject) => SQL> = {
  ...consoleSources,
  profile: ({ organizationId, userId }) =>
    sql`select u.id, u.name, u.email, u.phone, u.external_id as "externalId", u.role, ${personState('u')}, u.language, u.time_zone as "timeZone", u.manager,
        u.custom_fields as "customFields", u.avatar is not null as "hasPicture",
        (select 'data:' || p.type || ';base64,' || translate(encode(p.data, 'base64'), E'\\n', '') from pictures p
          where p.organization_id = u.organization_id and p.key = u.avatar) as picture, u.last_seen_at as "lastSeenAt", u.delete_after as "deleteAfter",
        u.created_at as "createdAt", u.updated_at as "updatedAt"
      from users u where u.organization_id = ${organizationId} and u.id = ${userId} order by u.id`,
  memberships: ({ organizationId, userId }) =>
    sql`select g.name as "group", l.change, l.cause, l.created_at as at from membership_log l join groups g on g.id = l.group_id
      where l.organization_id = ${organizationId} and l.user_id = ${userId} order by l.created_at, l.id`,
  messages: (about) =>
    sql`select d.id, t.subject, t.body, v.title as video, t.sender_name as sender, t.due_at as "dueAt", d.address, ${stateOf('d')}, ${reasonOf('d')},
        d.accepted_at as "sentAt", w.opened_at as "openedAt", w.first_play_at as "firstPlayAt", w.completed_at as "completedAt"
      ${messagesOf(about)}`,
  invitations: ({ organizationId, userId }) =>
    sql`select i.email, i.name, i.role, i.state, i.created_at as "sentAt", i.expires_at as "expiresAt" from invitations i
      where i.organization_id = ${organizationId} and i.user_id = ${userId} order by i.created_at, i.id`,
  videos: (about) =>
    sql`select v.title, w.version_id as version, w.coverage::text as coverage, w.covered_ms as "coveredMs", w.watch_ms as "watchMs",
        w.plays, w.position as "positionMs", w.first_at as "firstAt", w.last_at as "lastAt", w.covered_at as "coveredAt",
        w.completed_at as "completedAt"
      from viewer_videos w join videos v on v.id = w.video_id
      where w.organization_id = ${about.organizationId} and w.viewer_key ${among(about)} order by w.first_at, w.version_id`,
  sessions: (about) =>
    sql`select p.id, v.title, p.version_id as version, p.started_at as "startedAt", p.last_at as "lastAt", p.watch_ms as "watchMs",
        p.wall_ms as "wallMs", p.coverage::text as coverage, p.position as "positionMs", p.flags, p.user_agent as browser, p.network, p.said_by as "saidBy",
        p.signed_in_by as "signedInBy",
        coalesce((select json_agg(json_build_object('startMs', s.start_ms, 'endMs', s.end_ms, 'wallMs', s.wall_ms, 'rate', s.rate,
          'flags', s.flags, 'refused', s.refused) order by s.i) from play_spans s where s.session_id = p.id), '[]') as spans,
        coalesce((select json_agg(json_build_object('type', e.type, 'atMs', e.at_ms, 'positionMs', e.position_ms, 'data', e.data)
          order by e.n) from play_events e where e.session_id = p.id), '[]') as events,
        (select d.parts::text from served_parts d where d.session_id = p.id) as served,
        (select w.reason from viewing_decisions w where w.session_id = p.id) as "countsBecause"
      from play_sessions p join videos v on v.id = p.video_id
      where p.organization_id = ${about.organizationId} and p.viewer_key ${among(about)} order by p.started_at, p.id`,
  quizzes: (about) => quizzesOf(about, false),
  waivers: ({ organizationId, userId }) =>
    sql`select v.title as video, x.reason, x.given_by_name as "by", x.given_at as at, x.until, x.ended_at as "endedAt",
        x.ended_by_name as "endedBy"
      from training_waivers x join videos v on v.id = x.video_id
      where x.organization_id = ${organizationId} and x.user_id = ${userId} order by x.given_at, x.id`,
  obligations: ({ organizationId, userId }) =>
    sql`select a.name as assignment, v.title as video, o.cycle, o.state, o.reason, o.ending, o.since, o.due_at as "dueAt",
        o.waived_until as "waivedUntil", o.done_at as "doneAt", o.valid_until as "validUntil", o.covered_ms as "coveredMs",
        o.coverage::text as coverage, o.last_message_at as "lastMessageAt",
        (select jsonb_agg(jsonb_build_object('action', c.action, 'reason', c.reason, 'until', c.until, 'by', c.by_name, 'at', c.at)
          order by c.at, c.id) from obligation_changes c where c.assignment_id = o.assignment_id and c.user_id = o.user_id) as decisions,
        (select jsonb_build_object('statement', c.statement, 'at', c.confirmed_at) from confirmations c where c.obligation_id = o.id) as confirmed
      from obligations o join assignments a on a.id = o.assignment_id join videos v on v.id = o.video_id
      where o.organization_id = ${organizationId} and o.user_id = ${userId} order by o.since, o.id`,
  certificates: ({ organizationId, userId }) =>
    sql`select c.number, c.issued_at as "issuedAt", c.body from certificates c
      where c.organization_id = ${organizationId} and c.user_id = ${userId} order by c.number`,
  consents: (about) =>
    sql`select t.text, c.first_at::date as "firstOn" from consents c join consent_texts t using (organization_id, hash)
      where c.organization_id = ${about.organizationId} and c.viewer_key ${among(about)} order by c.first_at, c.hash`,
  log: ({ organizationId, userId }) =>
    sql`select a.at, a.action, a.actor_name as "by", a.before, a.after, a.ip_prefix as network, a.user_agent as browser from audit a
      where a.organization_id = ${organizationId} and a.entity_id = ${userId} and a.entity in ('user', 'member') order by a.at, a.id`,
}
