import * as z from 'zod/mini'
import type { Due } from '#contract/assignments/assignments.ts'
import { Reminders } from '#contract/duty/reminders.ts'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { arrayOf, hasRow, requireRow, rows, type Tx } from '../platform/db/client.ts'
import { insertedId } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { confirm } from '../duty/confirmations.ts'
import type { PlayClaims } from '../tracking/ingest/token.ts'
import { dueOf, nextReminder } from '../assignments/days.ts'
import { countNewcomers, planOne } from '../assignments/plan.ts'
import { aggregateAll } from './aggregate.ts'
import { browserOf } from './browsers.ts'
import { atEight, calendarOf, dayOf, instant, type Calendar } from './calendar.ts'
import { actor } from './decisions.ts'
import { noteAll, type Author } from './diary.ts'
import type { Pace, SampleDuties, SampleDuty } from './duties.ts'
import { keep, sat, type Sat } from './history.ts'
import { addLedger, type Assigned } from './ledger.ts'
import { arriveLater } from './people.ts'
import { answerEach, type AnswerAll } from './quizzes.ts'
import { replaceSample } from './replacement.ts'
import { findPlaying } from './videos.ts'

const minute = 60_000
const day = 86_400_000
/** A path of three, and who is asked again, need as many looks. */
const looks = 4

type Filling = { services: Services; organizationId: string; sender: Author }
type Begun = { id: string; duty: SampleDuty; video: string; paces: readonly [Pace, Pace] }

/**
 * Assignments that began long ago, as they would stand today: whom they oblige, what counts and until when is worked out by the product; what
 * the sample adds is when. A second run finds them.
 */
export async function addAssignments(filling: Filling, { duties, replacement }: SampleDuties): Promise<void> {
  const { services, organizationId } = filling
  const { db } = services
  const calendar = await db.as({ organizationId }, async (tx) => {
    const isThere = sql`select 1 from assignments where organization_id = ${organizationId} and message_id is null limit 1`
    return (await hasRow(tx, isThere)) ? undefined : calendarOf(tx, organizationId)
  })
  if (!calendar) return
  const begun = await db.as({ organizationId }, (tx) => beginAll(tx, { filling, calendar, duties }))
  for (let look = 0; look < looks; look += 1) {
    const answers: AnswerAll[] = []
    const sittings: Sat[] = []
    for (const one of begun.filter(({ duty }) => look === 0 || duty.ended === undefined)) {
      const watched = await db.as({ organizationId }, (tx) => oblige(tx, { filling, calendar, one }))
      sittings.push(...watched.flatMap(({ sat: what }) => what))
      answers.push(...watched.flatMap(({ answers: given }) => given))
    }
    await keep(services, sittings)
    await countNewcomers(db)
    await aggregateAll(services)
    await db.as({ organizationId }, async (tx) => {
      for (const one of answers.toSorted((a, b) => a.at.getTime() - b.at.getTime())) await answerEach(tx, one)
    })
    if (look === 0 && replacement)
      await replaceSample(filling, replacement, instant(calendar, replacement.daysAgo))
  }
  await db.as({ organizationId }, async (tx) => {
    for (const one of begun) await settle(tx, { filling, calendar, one })
  })
}

/** Those who came later than all others. */
export async function bringIn(
  tx: Tx,
  organizationId: string,
  newcomers: SampleDuties['newcomers'],
): Promise<void> {
  const calendar = await calendarOf(tx, organizationId)
  const came = newcomers.map(({ external, daysAgo }) => ({ external, at: iso(instant(calendar, daysAgo)) }))
  await arriveLater(tx, organizationId, came)
}

const iso = (ms: number) => new Date(ms).toISOString()

type Beginning = { filling: Filling; calendar: Calendar; duties: readonly SampleDuty[] }

async function beginAll(tx: Tx, { filling, calendar, duties }: Beginning): Promise<Begun[]> {
  const begun: Begun[] = []
  for (const duty of duties) {
    const audience = await audienceOf(tx, { filling, calendar, duty })
    const steps = [{ name: duty.name, video: duty.video, pace: duty.pace }, ...(duty.next ?? [])]
    let waitsForId: string | null = null
    for (const { name, video, pace } of steps) {
      const id = await insert(tx, { filling, calendar, duty: { ...duty, name, video }, audience, waitsForId })
      begun.push({ id, duty, video, paces: [pace, duty.paceAgain ?? []] })
      waitsForId = id
    }
  }
  return begun
}

const Found = z.object({
  userIds: z.array(z.string()),
  groupIds: z.array(z.string()),
  exceptUserIds: z.array(z.string()),
})

/** Whoever came after it had ended was never asked. */
async function audienceOf(
  tx: Tx,
  { filling, calendar, duty }: Omit<Beginning, 'duties'> & { duty: SampleDuty },
): Promise<Audience> {
  const { organizationId } = filling
  const { groups, people, ended } = duty
  const endedAt = ended === undefined ? null : iso(instant(calendar, ended))
  const found = await requireRow(
    tx,
    Found,
    sql`select array(select id from users where organization_id = ${organizationId}
          and external_id = any(${arrayOf(
            (people ?? []).map((n) => `P-${n}`),
            'text',
          )}) order by id) as "userIds",
        array(select id from groups where organization_id = ${organizationId} and name = any(${arrayOf(groups ?? [], 'text')}) order by id) as "groupIds",
        array(select id from users where organization_id = ${organizationId} and created_at > ${endedAt}::timestamptz order by id) as "exceptUserIds"`,
  )
  return Audience.parse({ ...found, everyone: !groups && !people })
}

type Inserting = Omit<Beginning, 'duties'> & {
  duty: SampleDuty
  audience: Audience
  waitsForId: string | null
}

async function insert(tx: Tx, { filling, calendar, duty, audience, waitsForId }: Inserting): Promise<string> {
  const { organizationId, sender } = filling
  const { videoId } = await findPlaying(tx, { organizationId, title: duty.video })
  const begun = instant(calendar, duty.begun)
  const id = await insertedId(
    tx,
    sql`insert into assignments (organization_id, name, state, planned_at, created_at, started_at, updated_at, video_id, audience, requirement, statement, due,
        validity, waits_for, reminders, escalation, subject, message, created_by, created_by_name)
      values (${organizationId}, ${duty.name}, 'active', 'infinity', ${iso(begun - 20 * minute)}, ${iso(begun)}, ${iso(begun)}, ${videoId},
        ${JSON.stringify(audience)}::jsonb, ${duty.requirement ?? 'watched'}, ${duty.statement ?? null}, ${JSON.stringify(dueIn(calendar, duty))}::jsonb,
        ${json(duty.validity)}, ${waitsForId}, ${JSON.stringify(duty.reminders)}::jsonb, ${json(duty.escalation)},
        ${duty.subject}, ${duty.message}, ${sender.id}, ${sender.name}) returning id`,
  )
  const about = { organizationId, entity: 'assignment', entityId: id, by: sender }
  const { name } = duty
  await noteAll(tx, [
    {
      ...about,
      action: 'assignment.created',
      at: new Date(begun - 20 * minute),
      after: { name, videoId, waitsForId },
    },
    { ...about, action: 'assignment.started', at: new Date(begun), after: { name } },
  ])
  return id
}

const json = (value: unknown): SQL =>
  value === undefined || value === null ? sql`null` : sql`${JSON.stringify(value)}::jsonb`

const dueIn = (calendar: Calendar, { due }: SampleDuty): Due =>
  due.kind === 'day' ? { ...due, day: dayOf(calendar, -due.day).toString() } : due

type Obliging = { filling: Filling; calendar: Calendar; one: Begun }

const AskedRow = z.object({
  id: z.string(),
  userId: z.string(),
  cycle: z.number(),
  nth: z.number(),
  since: z.string(),
  slot: z.string(),
  dueAt: z.nullable(z.string()),
  isChanged: z.boolean(),
})
type ObligedPerson = z.infer<typeof AskedRow>

/** Lets the product oblige whoever is to be, moves that to when it would have been, and sends them their first message. */
async function oblige(tx: Tx, obliging: Obliging) {
  const { filling, one } = obliging
  const { organizationId } = filling
  await planOne(tx, { id: one.id, organizationId })
  // Nobody else looks at it before all of its past is there.
  await tx.execute(sql`update assignments set planned_at = 'infinity' where id = ${one.id}`)
  const asked = await backdate(tx, obliging)
  const watched = []
  for (const group of Map.groupBy(asked, ({ since, dueAt }) => `${since} ${dueAt}`).values()) {
    const [first] = group
    if (!first) continue
    const sent = await send(tx, obliging, {
      kind: first.cycle > 1 ? 'again' : 'first',
      at: new Date(Date.parse(first.since) + minute),
      group,
    })
    for (const delivery of sent.arrived) {
      const person = group.find(({ userId }) => userId === delivery.userId)
      if (person) watched.push(await watchedBy(tx, obliging, { person, delivery, sent }))
    }
  }
  return watched
}

/**
 * They were obliged when the assignment began or they came, when they had done what comes before, when the video was replaced, or so many days
 * before the end of the last time.
 */
function backdate(tx: Tx, { filling, one, calendar }: Obliging): Promise<ObligedPerson[]> {
  const { organizationId } = filling
  const { duty, id } = one
  const due = dueIn(calendar, duty)
  const begun = iso(instant(calendar, duty.begun))
  const renewDays = duty.validity?.renewDays ?? 0
  return rows(
    tx,
    AskedRow,
    sql`with fresh as (select o.id, case when o.cycle > 1 and o.owed_parts is not null then o.counts_from
            when o.cycle > 1 then (date_trunc('day', p.valid_until at time zone z.time_zone) - make_interval(days => ${renewDays - 1}::int)
              + interval '8 hours 5 minutes') at time zone z.time_zone
            else greatest(${begun}::timestamptz, u.created_at, e.done_at) end as at,
          coalesce(p.valid_until > now(), false) as "isEarly"
        from obligations o join users u on u.id = o.user_id join assignments a on a.id = o.assignment_id join organizations z on z.id = o.organization_id
          left join obligations p on p.assignment_id = o.assignment_id and p.user_id = o.user_id and p.cycle = o.cycle - 1
          left join lateral (select max(x.done_at) as done_at from obligations x where x.assignment_id = a.waits_for and x.user_id = o.user_id) e on true
        where o.organization_id = ${organizationId} and o.assignment_id = ${id} and o.state = 'open' and o.messages = 0),
      moved as (update obligations o set since = f.at, counts_from = case when o.owed_parts is not null and o.cycle > 1 then o.counts_from else f.at end,
          due_at = case when o.cycle = 1 or o.owed_parts is not null then ${dueOf(due, sql`f.at`)} else o.due_at end
        from fresh f, organizations z where o.id = f.id and z.id = o.organization_id returning o.*)
      select m.id, m.user_id as "userId", m.cycle, (row_number() over (partition by m.cycle order by u.external_id nulls last, u.id))::int - 1 as nth,
        ${isoText(sql`m.since`)} as since, ((m.since at time zone z.time_zone) - interval '8 hours')::date::text as slot,
        ${isoText(sql`m.due_at`)} as "dueAt", m.cycle > 1 and m.owed_parts is not null as "isChanged"
      from moved m join users u on u.id = m.user_id join organizations z on z.id = m.organization_id order by m.since, u.external_id nulls last, u.id`,
  )
}

type AssignmentSending = Pick<Assigned, 'kind' | 'at'> & {
  group: readonly Pick<ObligedPerson, 'id' | 'userId' | 'slot' | 'dueAt'>[]
}

/** One message of the assignment to people with the same day, as the ledger and the obligations would have kept it. */
async function send(tx: Tx, { filling, one }: Obliging, { kind, at, group }: AssignmentSending) {
  const { services, organizationId, sender } = filling
  const { duty, id: assignmentId } = one
  const video = await findPlaying(tx, { organizationId, title: one.video, at })
  const sent = await addLedger(services, tx, {
    organizationId,
    sender,
    video,
    groupId: null,
    daysAgo: 0,
    subject: duty.subject,
    message: duty.message,
    seed: 0,
    assigned: {
      assignmentId,
      kind,
      userIds: group.map(({ userId }) => userId),
      at,
      dueAt: group[0]?.dueAt ?? null,
    },
  })
  const noted = JSON.stringify(group.map(({ id, slot }) => ({ id, slot })))
  await tx.execute(
    sql`with noted as (insert into obligation_messages (organization_id, obligation_id, kind, slot, transmission_id)
        select ${organizationId}, g.id, ${kind}, g.slot, ${sent.transmissionId} from jsonb_to_recordset(${noted}::jsonb) as g(id uuid, slot date) returning obligation_id)
      update obligations o set messages = o.messages + 1, last_message_at = ${iso(at.getTime())}, next_message_on = null from noted
      where o.id = noted.obligation_id`,
  )
  return { ...sent, video }
}

type SentMessages = Awaited<ReturnType<typeof send>>
type Watching = { person: ObligedPerson; delivery: SentMessages['arrived'][number]; sent: SentMessages }

/** What somebody does with the link of their first message. */
async function watchedBy(
  tx: Tx,
  { filling, one, calendar }: Obliging,
  { person, delivery, sent }: Watching,
): Promise<{ sat: Sat[]; answers: AnswerAll[] }> {
  const { services, organizationId } = filling
  const pace = one.paces[person.cycle > 1 ? 1 : 0]
  const did = pace[person.nth % pace.length]
  const none = { sat: [], answers: [] }
  if (!did) return none
  const rounds = did.rounds ?? (one.duty.requirement === 'passed' ? (['passed'] as const) : [])
  const sittings: Sat[] = []
  const answers: AnswerAll[] = []
  for (let n = 0; n < Math.max(1, rounds.length); n += 1) {
    const openedAt = Math.round(sent.sentAt.getTime() + (did.after + n) * day)
    if (openedAt > instant(calendar, 0) - 2 * 3_600_000) break
    const video = await findPlaying(tx, { organizationId, title: one.video, at: new Date(openedAt) })
    const whole = [0, Math.round(video.durationMs * (did.part ?? 1))] as const
    const opened = { organizationId, video, transmissionId: sent.transmissionId, delivery, openedAt }
    const userAgent = browserOf(delivery.number, () => 0)
    const seen = sat(services, opened, { parts: [person.isChanged ? changedPart : whole], userAgent })
    sittings.push(seen)
    const claims: PlayClaims | undefined = seen.entries[0]?.claims
    const round = did.part === undefined ? rounds[n] : undefined
    if (claims && round)
      answers.push({
        claims,
        isRight: round === 'passed',
        at: new Date(openedAt + video.durationMs + minute),
      })
  }
  return { sat: sittings, answers }
}
const changedPart = [23_000, 37_000] as const

const OwingRow = z.object({
  id: z.string(),
  userId: z.string(),
  since: z.string(),
  slot: z.string(),
  dueAt: z.nullable(z.string()),
  dueDay: z.nullable(z.string()),
  messages: z.number(),
  isOpen: z.boolean(),
  /** Until when they were reminded; null: they still are. */
  overAt: z.nullable(z.string()),
})

/** The reminders until today, of each person until they had done it, and the next one. */
async function settle(tx: Tx, obliging: Obliging): Promise<void> {
  const { filling, one, calendar } = obliging
  const { organizationId, sender } = filling
  const { duty, id } = one
  const endedAt = duty.ended === undefined ? null : iso(instant(calendar, duty.ended))
  if (duty.statement !== undefined) await confirmSome(tx, { organizationId, assignmentId: id })
  const owing = await rows(
    tx,
    OwingRow,
    sql`select o.id, o.user_id as "userId", (o.since at time zone z.time_zone)::date::text as since,
        (select max(m.slot) from obligation_messages m where m.obligation_id = o.id)::text as slot,
        ${isoText(sql`o.due_at`)} as "dueAt", (o.due_at at time zone z.time_zone)::date::text as "dueDay", o.messages, o.state = 'open' as "isOpen",
        ${isoText(sql`coalesce(o.done_at, ${endedAt}::timestamptz)`)} as "overAt"
      from obligations o join organizations z on z.id = o.organization_id
      where o.organization_id = ${organizationId} and o.assignment_id = ${id} order by o.id`,
  )
  const due: (AssignmentSending['group'][number] & { at: number })[] = []
  const next: { id: string; day: string | null }[] = []
  for (const { id: obligationId, userId, since, slot, dueAt, dueDay, messages, isOpen, overAt } of owing) {
    const planned = remindersOf(duty.reminders, { since, dueDay, slot, messages }, calendar)
    const over = overAt === null ? Infinity : Date.parse(overAt)
    for (const one of planned.past) {
      const sentAt = atEight(calendar, one)
      if (sentAt < over) due.push({ id: obligationId, userId, slot: one, dueAt, at: sentAt })
    }
    if (isOpen && endedAt === null) next.push({ id: obligationId, day: planned.next })
  }
  for (const group of Map.groupBy(
    due.toSorted((a, b) => a.at - b.at),
    ({ slot, dueAt }) => `${slot} ${dueAt}`,
  ).values())
    await send(tx, obliging, { kind: 'reminder', at: new Date(group[0]?.at ?? 0), group })
  await tx.execute(
    sql`update obligations o set next_message_on = g.day from jsonb_to_recordset(${JSON.stringify(next)}::jsonb) as g(id uuid, day date)
      where o.id = g.id`,
  )
  await tx.execute(sql`update assignments set planned_at = now() where id = ${id}`)
  if (endedAt !== null) await end(tx, { organizationId, id, name: duty.name, by: sender, at: endedAt })
}

type Anchor = { since: string; dueDay: string | null; slot: string; messages: number }

function remindersOf(
  plan: Reminders,
  { since, dueDay, slot, messages }: Anchor,
  { today: now }: Calendar,
): { past: string[]; next: string | null } {
  const past: string[] = []
  let last = slot
  for (;;) {
    const reminders = messages - 1 + past.length
    const next = nextReminder(plan, { since, due: dueDay, reminders }, last)
    if (next === null || next > now) return { past, next }
    past.push(next)
    last = next
  }
}

type Ending = { organizationId: string; id: string; name: string; by: Author; at: string }

async function end(tx: Tx, { organizationId, id, name, by, at }: Ending): Promise<void> {
  await tx.execute(
    sql`update assignments set state = 'ended', version = version + 1, updated_at = ${at} where id = ${id} and organization_id = ${organizationId}`,
  )
  await tx.execute(
    sql`update obligations set state = 'ended', ending = 'assignment_ended', next_message_on = null, updated_at = ${at}
      where organization_id = ${organizationId} and assignment_id = ${id} and state in ('open', 'waived')`,
  )
  const entry = { organizationId, entity: 'assignment', entityId: id, action: 'assignment.ended' } as const
  await noteAll(tx, [{ ...entry, by, at: new Date(at), after: { name } }])
}

const ConfirmableRow = z.object({
  obligationId: z.string(),
  userId: z.string(),
  deliveryId: z.string(),
  name: z.string(),
  at: z.string(),
})

/** Whoever has watched confirms it a few minutes later, but for every fourth. */
async function confirmSome(
  tx: Tx,
  { organizationId, assignmentId }: { organizationId: string; assignmentId: string },
): Promise<void> {
  const found = await rows(
    tx,
    ConfirmableRow,
    sql`select o.id as "obligationId", o.user_id as "userId", u.name, ${isoText(sql`(o.covered_at + interval '3 minutes')`)} as at,
        (select d.id from obligation_messages m join deliveries d on d.transmission_id = m.transmission_id and d.user_id = o.user_id
          where m.obligation_id = o.id and m.kind = 'first') as "deliveryId"
      from obligations o join users u on u.id = o.user_id
      where o.organization_id = ${organizationId} and o.assignment_id = ${assignmentId} and o.state = 'open' and o.covered_at is not null
      order by o.covered_at, o.user_id`,
  )
  for (const { obligationId, userId, deliveryId, name, at } of found.filter((_one, n) => n % 4 !== 3)) {
    await confirm(tx, actor({ id: userId, name }), {
      organizationId,
      userId,
      obligationId,
      deliveryId,
      videoId: null,
    })
    await tx.execute(
      sql`with c as (update confirmations set confirmed_at = ${at} where obligation_id = ${obligationId})
        update obligations set done_at = ${at}, updated_at = ${at} where id = ${obligationId} and state = 'done'`,
    )
  }
}
