import * as z from 'zod/mini'
import type { obligationMessages } from '#contract/assignments/assignments.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import { Reminders } from '#contract/duty/reminders.ts'
import { eachApart, isFree } from '../platform/aside.ts'
import { arrayOf, hasRow, row, rows, type Database, type Tx } from '../platform/db/client.ts'
import { tryLock } from '../platform/db/locks.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { sayIn } from '../platform/messages.ts'
import { isExcused } from '../duty/obligations.ts'
import { daysOf, today } from '../directory/organizations/days.ts'
import { sendOfAssignment } from '../transmissions/compose/of-assignment.ts'
import { isWatchable } from '../transmissions/sender/start.ts'
import { nextReminder } from './days.ts'
import { Alike, kindOf, togetherWith } from './together.ts'
import { isUnderWay } from '../deliveries.ts'

type Kind = (typeof obligationMessages)[number]

const Key = z.object({ id: z.string(), organizationId: z.string() })

const SenderRow = z.object({
  id: z.string(),
  organizationId: z.string(),
  reminders: Reminders,
  subject: z.string(),
  message: z.string(),
  /** Its messages go this way; null means by mail. */
  channel: z.nullable(z.literal('webhook')),
  videoId: z.string(),
  versionId: z.string(),
  authorId: z.string(),
  author: z.string(),
  today: z.string(),
  /** It is true when other assignments ask for the same video. */
  isOneOfMany: z.boolean(),
  language: z.enum(languages),
})
type Sender = z.infer<typeof SenderRow>

const OwedRow = z.object({
  id: z.string(),
  userId: z.string(),
  cycle: z.number(),
  messages: z.number(),
  since: z.string(),
  dueAt: z.nullable(z.string()),
  dueDay: z.nullable(z.string()),
  slot: z.string(),
  isSent: z.boolean(),
  /** On this day another assignment that is due earlier plans its next mail about the same video. */
  leadDay: z.nullable(z.string()),
  alike: z.array(Alike),
})
type Owed = z.infer<typeof OwedRow>

/** One transmission of an assignment goes to as many people as this. */
const batch = 5_000

/** Sends every planned message whose day has come: one transmission for each assignment, kind and due day. */
export async function sendDue(db: Database): Promise<void> {
  await eachApart(
    { db, loop: 'assignment_messages', nameOf: assignmentNamed },
    await withMessagesDue(db),
    (key) =>
      db.as({ organizationId: key.organizationId }, async (tx) => {
        const sender = await holdSender(tx, key)
        if (sender) await sendBatch(tx, sender)
      }),
  )
}

/** Finds active assignments with planned messages whose day has come, 100 at most. */
export function withMessagesDue(db: Database) {
  // The day of each is worked out first: under row level security an index answers for a plain value only, and this is asked every second.
  return rows(
    db.single,
    Key,
    sql`with active as materialized (select a.id, a.organization_id, ${today} as today from assignments a
        join organizations z on z.id = a.organization_id and z.state = 'active' and z.deleted_at is null
        join videos v on v.id = a.video_id and ${isWatchable}
        where a.state = 'active' and ${isFree('assignment_messages', sql`a.id::text`)})
      select a.id, a.organization_id as "organizationId" from active a
        cross join lateral (select from obligations o where o.assignment_id = a.id and o.state = 'open' and o.counted
          and o.next_message_on <= a.today and not ${isExcused} limit 1) due
      limit 100`,
  )
}

export const assignmentNamed = ({ id, organizationId }: z.infer<typeof Key>) => ({ item: id, organizationId })

/**
 * Holds the assignment until the transaction ends. Returns nothing while another process is at it or at another one of the same video, or
 * while its video cannot be sent. Its key stays free, because whoever counts viewing holds obligations and then looks whether their
 * assignment is there.
 */
export async function holdSender(
  tx: Tx,
  { id, organizationId }: z.infer<typeof Key>,
): Promise<Sender | undefined> {
  const sender = await row(
    tx,
    SenderRow,
    sql`select a.id, a.organization_id as "organizationId", a.reminders, a.subject, a.message, a.audience->>'channel' as channel, a.video_id as "videoId",
        v.current_version_id as "versionId", a.created_by as "authorId", a.created_by_name as author, ${today}::text as today,
        exists (select from assignments b where b.video_id = a.video_id and b.organization_id = a.organization_id and b.state = 'active'
          and b.id <> a.id) as "isOneOfMany", z.language
      from assignments a join organizations z on z.id = a.organization_id
        join videos v on v.id = a.video_id and ${isWatchable}
      where a.id = ${id} and a.organization_id = ${organizationId} and a.state = 'active' for no key update of a skip locked`,
  )
  const isAlone =
    sender && (await hasRow(tx, sql`select 1 where ${tryLock('assignmentMessages', sender.videoId)}`))
  return isAlone ? sender : undefined
}

/**
 * Returns what the mails of an assignment say. The assignment of a message says nothing of its own until somebody writes it: its author
 * wrote the message itself, and “before the end of next week” is no reminder.
 */
export const messageOf = ({ message, language }: { message: string; language: Language }): string =>
  message === '' ? sayIn(language, 'mail')('stillOwed') : message

/**
 * Finds the people to write to. People with the same address come one at a time: each gets a mail of their own, so the others are in the
 * next batch.
 */
function owedOf(tx: Tx, sender: Sender, which: SQL): Promise<Owed[]> {
  const { id, organizationId } = sender
  const { leadDay, alike } = togetherWith(sender)
  return rows(
    tx,
    OwedRow,
    sql`select o.id, o.user_id as "userId", o.cycle, o.messages, (o.since at time zone z.time_zone)::date::text as since,
        ${isoText(sql`o.due_at`)} as "dueAt", (o.due_at at time zone z.time_zone)::date::text as "dueDay",
        coalesce(o.next_message_on, ${today})::text as slot,
        exists (select from obligation_messages m where m.obligation_id = o.id and m.slot = o.next_message_on and m.kind =
          case when o.messages > 0 then 'reminder' when o.cycle > 1 then 'again' else 'first' end) as "isSent",
        ${leadDay}::text as "leadDay", ${alike} as alike
      from (select distinct on (lower(btrim(u.email))) o.* from obligations o join users u on u.id = o.user_id
          where o.assignment_id = ${id} and o.organization_id = ${organizationId} and o.state = 'open' and o.counted and not ${isExcused} and ${which}
          order by lower(btrim(u.email)), o.id limit ${batch}) o
        join organizations z on z.id = o.organization_id`,
  )
}

/** People with the same days have the same key, so that one transmission names these days. */
const daysKey = ({ dueAt, alike }: Owed): string =>
  JSON.stringify([dueAt, alike.map((one) => [one.assignmentId, one.dueAt])])

/**
 * Sends one batch of the plan. For somebody who owes the video by several assignments, the one that is due earliest plans the mails: a
 * reminder of this one moves to that day where it lies ahead, and is left to that mail where it leaves today. Nobody waits for the first
 * message.
 */
async function sendBatch(tx: Tx, sender: Sender): Promise<void> {
  const owed = await owedOf(tx, sender, sql`o.next_message_on <= ${sender.today}::date`)
  await hold(tx, owed)
  const inTurn = owed.filter(({ leadDay }) => leadDay === null || leadDay > sender.today)
  const { moved = [], due = [] } = Object.groupBy(inTurn, ({ leadDay, messages }) =>
    leadDay !== null && messages > 0 ? 'moved' : 'due',
  )
  const groups = Map.groupBy(
    due.filter(({ isSent }) => !isSent),
    (one) => `${kindOf(one)} ${daysKey(one)}`,
  )
  for (const group of groups.values()) {
    const [first] = group
    if (first) await transmit(tx, sender, { kind: kindOf(first), group })
  }
  await writePlan(tx, [
    ...due.flatMap((one) => planAfter(sender, one)),
    ...moved.map(({ id, leadDay }) => ({ id, next: leadDay, as: 'moved' as const })),
  ])
}

/** The rows are held in the order in which viewing is counted, so that the two never wait for each other. */
async function hold(tx: Tx, owed: readonly Owed[]): Promise<void> {
  const ids = owed.flatMap(({ id, alike }) => [id, ...alike.map((one) => one.id)])
  await tx.execute(
    sql`select from obligations where id = any(${arrayOf(ids, 'uuid')}) order by id for update`,
  )
}

/** This condition is about the message whose recipients they are. It holds only as long as the planner has not noted that they have it. */
const firstIs = (what: SQL): SQL =>
  sql`(o.messages = 0 and exists (select from assignments f join deliveries d on d.transmission_id = f.message_id and d.user_id = o.user_id
    where f.id = o.assignment_id and ${what}))`

/** This condition on `obligations o` holds when its person had a message about it within a day. */
export const hadOneToday = sql`(coalesce(o.last_message_at > now() - interval '1 day', false)
  or ${firstIs(sql`d.accepted_at > now() - interval '1 day'`)})`
const mayHaveOne = sql`not ${hadOneToday} and not ${firstIs(isUnderWay('d'))}`

type ByHand = {
  userIds: readonly string[]
  /**
   * These words replace those of the reminders, and nobody waits a day for them, because what people were sent before has not reached them.
   */
  instead?: { words: string | null }
}

/**
 * Sends a message now, by hand, to those of these people who owe it and had none within a day. Returns who gets one. People with the same
 * address are in the next round, as in the plan. Nobody gets one where another process is just sending it, or where its video cannot be
 * sent.
 */
export async function sendByHand(
  tx: Tx,
  key: z.infer<typeof Key>,
  { userIds, instead }: ByHand,
): Promise<string[]> {
  const held = await holdSender(tx, key)
  if (!held) return []
  const sender = instead?.words ? { ...held, message: instead.words } : held
  const reminded: string[] = []
  for (;;) {
    const unreminded = userIds.filter((id) => !reminded.includes(id))
    const which = sql`o.user_id = any(${arrayOf(unreminded, 'uuid')}) and ${instead ? sql`true` : mayHaveOne}`
    const owed = await owedOf(tx, sender, which)
    if (owed.length === 0) return reminded
    await remind(tx, sender, owed)
    reminded.push(...owed.map(({ userId }) => userId))
  }
}

/** Sends by hand, beside the plan: people with the same days get one transmission. */
async function remind(tx: Tx, sender: Sender, owed: readonly Owed[]): Promise<void> {
  await hold(tx, owed)
  const slotted = owed.map((one) => ({ ...one, slot: sender.today }))
  for (const group of Map.groupBy(slotted, daysKey).values())
    await transmit(tx, sender, { kind: 'manual', group })
  const ids = owed.flatMap(({ id, alike }) => [id, ...alike.map((one) => one.id)])
  await tx.execute(
    sql`update obligations set last_message_at = now() where id = any(${arrayOf(ids, 'uuid')})`,
  )
}

/**
 * Writes one transmission in the transaction that notes the messages, so that no crash and no second planner makes it twice. The group has
 * the same days. Whatever else its people owe of the video is noted as well.
 */
async function transmit(
  tx: Tx,
  sender: Sender,
  { kind, group }: { kind: Kind; group: Owed[] },
): Promise<void> {
  const { organizationId, subject } = sender
  const message = messageOf(sender)
  const [first] = group
  const days = await daysOf(tx, organizationId, { dueAt: first?.dueAt ?? null })
  const also = (first?.alike ?? []).map(({ assignmentId, dueAt }) => ({ assignmentId, dueAt }))
  const { channel, videoId, versionId, authorId, author } = sender
  const id = await sendOfAssignment(tx, {
    organizationId,
    assignmentId: sender.id,
    subject,
    body: message,
    videoId,
    versionId,
    author: { id: authorId, name: author },
    userIds: group.map(({ userId }) => userId),
    channel,
    days,
    also,
    by: 'system',
    kind,
  })
  const own = group.map((one) => ({ id: one.id, kind, slot: one.slot }))
  const named = group.flatMap(({ slot, alike }) =>
    alike.map((one) => ({ id: one.id, kind: kind === 'manual' ? kind : kindOf(one), slot })),
  )
  const noted = (list: readonly object[]) =>
    sql`insert into obligation_messages (organization_id, obligation_id, kind, slot, transmission_id)
      select ${organizationId}, g.id, g.kind, g.slot, ${id} from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as g(id uuid, kind text, slot date)`
  await tx.execute(noted(own))
  // A duty that had a message of its own for this day is named all the same, and not noted twice.
  await tx.execute(sql`${noted(named)} on conflict do nothing`)
}

/** `named` means that the mail of another assignment names this duty, which counts as none of its own reminders. */
type Planned = { id: string; next: string | null; as: 'sent' | 'named' | 'moved' }

function planAfter({ reminders, today: day }: Sender, one: Owed): Planned[] {
  const { id, since, dueDay, messages, isSent } = one
  const named = isSent ? [] : one.alike
  return [
    { id, next: nextReminder(reminders, { since, due: dueDay, reminders: messages }, day), as: 'sent' },
    ...named.map(({ id, since, dueDay, messages, reminders }) => {
      const anchor = { since, due: dueDay, reminders: Math.max(0, messages - 1) }
      return { id, next: nextReminder(reminders, anchor, day), as: 'named' as const }
    }),
  ]
}

async function writePlan(tx: Tx, list: readonly Planned[]): Promise<void> {
  await tx.execute(
    sql`update obligations o set next_message_on = g.next, updated_at = now(),
        messages = case g.as when 'sent' then o.messages + 1 when 'named' then greatest(o.messages, 1) else o.messages end,
        last_message_at = case g.as when 'moved' then o.last_message_at else now() end
      from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as g(id uuid, next date, "as" text) where o.id = g.id and o.state = 'open'`,
  )
}
