import * as z from 'zod/mini'
import { type obligationMessages, Reminders } from '#contract/assignments.ts'
import { eachApart, isFree } from '../../platform/aside.ts'
import { row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { insertedId } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import { isExcused } from '../../tracking/obligations.ts'
import { daysOf, today } from '../../transmissions/days.ts'
import { isWatchable } from '../../transmissions/start.ts'
import { nextReminder } from './days.ts'

type Kind = (typeof obligationMessages)[number]

const Key = z.object({ id: z.string(), organizationId: z.string() })

const SenderRow = z.object({
  id: z.string(),
  organizationId: z.string(),
  reminders: Reminders,
  subject: z.string(),
  message: z.string(),
  /** By which way its messages go; null: by mail. */
  channel: z.nullable(z.literal('webhook')),
  videoId: z.string(),
  versionId: z.string(),
  authorId: z.string(),
  author: z.string(),
  today: z.string(),
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
})
type Owed = z.infer<typeof OwedRow>

/** People in one transmission of an assignment. */
const batch = 5_000

/** Sends every planned message whose day has come: one transmission for each assignment, kind and due day. */
export async function sendDue(db: Database): Promise<void> {
  // The day of each is worked out first: under row level security an index answers for a plain value only, and this is asked every second.
  const waiting = await rows(
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
  await eachApart({ db, loop: 'assignment_messages', nameOf: assignmentNamed }, waiting, (key) =>
    db.as({ organizationId: key.organizationId }, async (tx) => {
      const sender = await holdSender(tx, key)
      if (sender) await sendBatch(tx, sender)
    }),
  )
}

export const assignmentNamed = ({ id, organizationId }: z.infer<typeof Key>) => ({ item: id, organizationId })

/** The assignment, held until the transaction ends; none while another process is at it, or while its video cannot be sent. */
export function holdSender(tx: Tx, { id, organizationId }: z.infer<typeof Key>) {
  return row(
    tx,
    SenderRow,
    sql`select a.id, a.organization_id as "organizationId", a.reminders, a.subject, a.message, a.audience->>'channel' as channel, a.video_id as "videoId",
        v.current_version_id as "versionId", a.created_by as "authorId", a.created_by_name as author, ${today}::text as today
      from assignments a join organizations z on z.id = a.organization_id
        join videos v on v.id = a.video_id and ${isWatchable}
      where a.id = ${id} and a.organization_id = ${organizationId} and a.state = 'active' for update of a skip locked`,
  )
}

/** Of people with the same address one at a time: each gets a mail of their own, so the others are the next batch. */
export function owedOf(tx: Tx, { id, organizationId }: Sender, which: SQL): Promise<Owed[]> {
  return rows(
    tx,
    OwedRow,
    sql`select o.id, o.user_id as "userId", o.cycle, o.messages, (o.since at time zone z.time_zone)::date::text as since,
        ${isoText(sql`o.due_at`)} as "dueAt", (o.due_at at time zone z.time_zone)::date::text as "dueDay",
        coalesce(o.next_message_on, ${today})::text as slot,
        exists (select from obligation_messages m where m.obligation_id = o.id and m.slot = o.next_message_on and m.kind =
          case when o.messages > 0 then 'reminder' when o.cycle > 1 then 'again' else 'first' end) as "isSent"
      from (select distinct on (lower(btrim(u.email))) o.* from obligations o join users u on u.id = o.user_id
          where o.assignment_id = ${id} and o.organization_id = ${organizationId} and o.state = 'open' and o.counted and not ${isExcused} and ${which}
          order by lower(btrim(u.email)), o.id limit ${batch}) o
        join organizations z on z.id = o.organization_id`,
  )
}

const kindOf = ({ messages, cycle }: Owed): Kind => {
  if (messages > 0) return 'reminder'
  return cycle > 1 ? 'again' : 'first'
}

async function sendBatch(tx: Tx, sender: Sender): Promise<void> {
  const owed = await owedOf(tx, sender, sql`o.next_message_on <= ${sender.today}::date`)
  const groups = Map.groupBy(
    owed.filter(({ isSent }) => !isSent),
    (one) => `${kindOf(one)} ${one.dueAt ?? ''}`,
  )
  for (const group of groups.values()) {
    const [first] = group
    if (first) await transmit(tx, sender, { kind: kindOf(first), group })
  }
  await advance(tx, sender, owed)
}

/** One message now, by hand; false where there is nobody to be reminded. */
export async function sendByHand(tx: Tx, sender: Sender, userId: string): Promise<boolean> {
  const owed = await owedOf(
    tx,
    sender,
    sql`o.user_id = ${userId} and (o.last_message_at is null or o.last_message_at < now() - interval '1 day')`,
  )
  const [one] = owed
  if (!one) return false
  await transmit(tx, sender, { kind: 'manual', group: [{ ...one, slot: sender.today }] })
  await tx.execute(sql`update obligations set last_message_at = now() where id = ${one.id}`)
  return true
}

/** In the transaction that notes the messages, so that no crash and no second planner makes it twice. */
export async function transmit(
  tx: Tx,
  sender: Sender,
  { kind, group }: { kind: Kind; group: Owed[] },
): Promise<void> {
  const { organizationId, subject, message } = sender
  const days = await daysOf(tx, organizationId, { dueAt: group[0]?.dueAt ?? null })
  const audience = {
    userIds: group.map(({ userId }) => userId),
    groupIds: [],
    everyone: false,
    exceptGroupIds: [],
    exceptUserIds: [],
    ...(sender.channel && { channel: sender.channel }),
  }
  const id = await insertedId(
    tx,
    sql`insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience,
        assignment_id, scheduled_at, released_at, due_at, links_end_at)
      values (${organizationId}, 'scheduled', ${subject}, ${message}, ${sender.videoId}, ${sender.versionId}, ${sender.authorId},
        ${sender.author}, ${JSON.stringify(audience)}::jsonb, ${sender.id}, now(), now(), ${days.dueAt}::timestamptz,
        ${days.linksEndAt}::timestamptz) returning id`,
  )
  const list = JSON.stringify(group.map((one) => ({ id: one.id, slot: one.slot })))
  await tx.execute(
    sql`insert into obligation_messages (organization_id, obligation_id, kind, slot, transmission_id)
      select ${organizationId}, g.id, ${kind}, g.slot, ${id} from jsonb_to_recordset(${list}::jsonb) as g(id uuid, slot date)`,
  )
  await audit(tx, 'system', {
    organizationId,
    action: 'transmission.create',
    entity: 'transmission',
    entityId: id,
    after: { subject, videoId: sender.videoId, assignmentId: sender.id, kind, dueAt: days.dueAt },
  })
}

async function advance(tx: Tx, { reminders, today: day }: Sender, owed: Owed[]): Promise<void> {
  const list = owed.map(({ id, since, dueDay, messages }) => ({
    id,
    next: nextReminder(reminders, { since, due: dueDay, reminders: messages }, day),
  }))
  await tx.execute(
    sql`update obligations o set next_message_on = g.next, messages = o.messages + 1, last_message_at = now(), updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as g(id uuid, next date) where o.id = g.id`,
  )
}
