import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { CustomFields } from '#contract/directory/fields.ts'
import { InboxMessage, type listInbox, type readInboxState, type readOwed } from '#contract/inbox.ts'
import { languages, localeOf } from '#contract/platform/text/languages.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { findNamedFields, knownNames, valuesOf, type NamedField } from '../directory/people/variables.ts'
import { openSlots } from '../documents/mail/filling.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { all, isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { readList } from '../platform/http/lists/list.ts'
import { findDuties } from '../duty/own-duties.ts'
import { markRead } from '../transmissions/recipients/read.ts'
import { mayHaveArrived } from '../deliveries.ts'

/** Condition on `deliveries d`: the caller was sent it. A superadmin belongs to no organization, and is sent nothing. */
const mine = ({ userId, organizationId }: Caller): SQL =>
  sql`d.user_id = ${userId} and d.organization_id = ${organizationId} and ${mayHaveArrived('d')}`

const isRead = sql`(d.read_at is not null or w.opened_at is not null)`
const viewed = sql`left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id`
const sentAt = sql`coalesce(d.accepted_at, d.updated_at)`

/** With what its subject may name. */
const MessageRow = z.extend(InboxMessage, {
  name: z.string(),
  address: z.string(),
  fields: CustomFields,
  organization: z.string(),
  timeZone: z.string(),
  language: z.enum(languages),
})
type MessageRow = z.infer<typeof MessageRow>

const columns = sql`d.id, t.subject, coalesce(o.policies->>'senderName', t.sender_name) as sender, v.title as video,
  ${isoText(sentAt)} as "sentAt", ${isoText(sql`t.due_at`)} as "dueAt", ${isRead} as "isRead",
  u.name, lower(btrim(u.email)) as address, u.custom_fields as fields, o.name as organization, o.time_zone as "timeZone",
  coalesce(u.language, o.language) as language`

/** As it was written to them. */
function written(named: readonly NamedField[]) {
  return (found: MessageRow): InboxMessage => {
    const { name, address, fields, organization, timeZone, language, ...message } = found
    const { sender, video, dueAt } = message
    const slots = openSlots(knownNames(named))
    const due = dueAt === null ? '' : dueText(dueAt, timeZone, localeOf[language])
    const values = { ...valuesOf({ name, address, fields }, named), organization, video, sender, due }
    const { subject } = slots.filled({ subject: slots.mark(message.subject), text: '', html: '' }, values)
    return { ...message, subject }
  }
}

type InboxRequest = { caller: Caller; query: ParsedQuery<typeof listInbox>; request: FastifyRequest }

export async function findMessages(
  tx: Tx,
  { caller, query, request }: InboxRequest,
): Promise<Reply<typeof listInbox>> {
  const page = await readList(tx, {
    query,
    request,
    Row: MessageRow,
    columns,
    from: sql`deliveries d join transmissions t on t.id = d.transmission_id join videos v on v.id = t.video_id
      join organizations o on o.id = d.organization_id join users u on u.id = d.user_id ${viewed}`,
    where: all([mine(caller), query.show === 'unread' && sql`not ${isRead}`]),
    order: { by: sentAt, id: sql`d.id`, type: 'timestamptz', descending: true },
  })
  const named = caller.organizationId === null ? [] : await findNamedFields(tx, caller.organizationId)
  return { ...page, items: page.items.map(written(named)) }
}

const State = z.object({ unread: z.number(), hasAny: z.boolean() })

export async function inboxState(tx: Tx, caller: Caller): Promise<Reply<typeof readInboxState>> {
  const found = await row(
    tx,
    State,
    sql`select count(*) filter (where not ${isRead})::int as unread, count(*) > 0 as "hasAny" from deliveries d ${viewed} where ${mine(caller)}`,
  )
  return found ?? { unread: 0, hasAny: false }
}

export async function owedBy(tx: Tx, { userId, organizationId }: Caller): Promise<Reply<typeof readOwed>> {
  if (organizationId === null) return { items: [] }
  const duties = await findDuties(tx, { organizationId, userId })
  const items = duties
    .filter(({ state }) => state === 'open')
    .map(({ videoId, title, name, dueAt, isLate, share, link }) => ({
      videoId,
      title,
      name,
      dueAt,
      isLate,
      share,
      messageId: link?.deliveryId ?? null,
    }))
  return { items }
}

/** Marks it as read. Answers by what its link is made. */
export const openOne = (tx: Tx, caller: Caller, deliveryId: string) =>
  markRead(tx, sql`d.id = ${deliveryId} and ${mine(caller)}`)
