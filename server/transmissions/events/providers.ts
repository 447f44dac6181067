import * as z from 'zod/mini'
import { refuse } from '../../platform/errors.ts'
import { fieldsOf } from '../../platform/http/faults.ts'
import { strict } from '../../platform/http/strict.ts'
import { MailEvents, type MailEventKind, type MailEventSource } from '#contract/mail-events.ts'
import { cut, inOneLine, isInTime, storableJson } from '#contract/text.ts'

/** What a provider reports of one mail. */
export type MailEvent = {
  id: string
  deliveryId: string
  kind: MailEventKind
  /** Instant, ISO 8601. */
  at: string
  permanent: boolean
  /** Nobody is at this address. */
  noMailbox: boolean
  status: string | null
  detail: string | null
}

/** `confirmUrl`: opening it confirms a subscription of Amazon SNS. */
export type Reported = { events: MailEvent[]; confirmUrl?: string }

const Text = z.string().check(z.maxLength(2_000))
const Uuid = z.uuid().check(z.toLowerCase())
const At = z
  .pipe(
    Text,
    z.transform((text) => new Date(text)),
  )
  .check(z.refine((date) => !Number.isNaN(date.getTime()) && isInTime(date.toISOString())))

export const statusIn = (text: string | null) => /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(text ?? '')?.[0] ?? null
export const line = (text: string | undefined) => cut(inOneLine(text ?? ''), 500) || null

/** With days as the database takes them; text was made storable before. */
const exact = strict(MailEvents) as typeof MailEvents

function fromGeneric(given: unknown): Reported {
  const parsed = exact.safeParse(given)
  if (!parsed.success) throw refuse('validation_failed', { fields: fieldsOf(parsed.error) })
  const { events } = parsed.data
  return {
    events: events.map(({ id, deliveryId, kind, at, permanent = false, status = null, detail }) => ({
      id,
      deliveryId,
      kind,
      at,
      permanent,
      status,
      detail: line(detail),
      noMailbox: permanent && (status?.startsWith('5.1.') ?? false),
    })),
  }
}

const Metadata = z.object({ 'delivery-id': z.optional(Uuid) })
const Postmark = z.discriminatedUnion('RecordType', [
  z.object({
    RecordType: z.literal('Delivery'),
    MessageID: Text,
    Recipient: Text,
    DeliveredAt: At,
    Details: z.optional(Text),
    Metadata,
  }),
  z.object({
    RecordType: z.literal('Bounce'),
    ID: z.number(),
    Type: Text,
    BouncedAt: At,
    Description: z.optional(Text),
    Details: z.optional(Text),
    Metadata,
  }),
  z.object({ RecordType: z.literal('SpamComplaint'), ID: z.number(), BouncedAt: At, Metadata }),
])
/** Types of returns after which Postmark itself sends no more. */
const postmarkPermanent = new Set([
  'HardBounce',
  'BadEmailAddress',
  'ManuallyDeactivated',
  'Unsubscribe',
  'AddressChange',
])
const postmarkNobody = new Set(['HardBounce', 'BadEmailAddress'])

/** Postmark's webhooks: https://postmarkapp.com/developer/webhooks/webhooks-overview. What else it reports (opens, clicks) is not used. */
function fromPostmark(given: unknown): Reported {
  const one = Postmark.safeParse(given).data
  const deliveryId = one?.Metadata['delivery-id']
  if (!one || deliveryId === undefined) return { events: [] }
  const plain = { deliveryId, permanent: false, noMailbox: false, status: null, detail: null }
  if (one.RecordType === 'Delivery')
    return {
      events: [
        {
          ...plain,
          id: `${one.MessageID}:${one.Recipient}`,
          kind: 'delivered',
          at: one.DeliveredAt.toISOString(),
        },
      ],
    }
  const at = one.BouncedAt.toISOString()
  if (one.RecordType === 'SpamComplaint')
    return { events: [{ ...plain, id: `${one.ID}`, kind: 'complained', at }] }
  const detail = line(one.Details) ?? line(one.Description)
  const noMailbox = postmarkNobody.has(one.Type)
  const permanent = postmarkPermanent.has(one.Type)
  return {
    events: [
      {
        ...plain,
        id: `${one.ID}`,
        kind: 'returned',
        at,
        permanent,
        noMailbox,
        detail,
        status: statusIn(detail),
      },
    ],
  }
}

const Envelope = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Message: z.string() }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), SubscribeURL: Text }),
])
const ofAmazon = /^https:\/\/sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?\//

const SesMail = z.object({
  messageId: Text,
  headers: z.optional(z.array(z.object({ name: Text, value: z.string() }))),
})
/** `eventType`: by a configuration set; `notificationType`: by an identity. */
const kindOf = (kind: string) => ({
  eventType: z.optional(z.literal(kind)),
  notificationType: z.optional(z.literal(kind)),
})
const Ses = z.union([
  z.object({
    ...kindOf('Delivery'),
    mail: SesMail,
    delivery: z.object({ timestamp: At, smtpResponse: z.optional(Text) }),
  }),
  z.object({
    ...kindOf('Bounce'),
    mail: SesMail,
    bounce: z.object({
      bounceType: Text,
      bounceSubType: z.optional(Text),
      timestamp: At,
      feedbackId: Text,
      bouncedRecipients: z.array(z.object({ status: z.optional(Text), diagnosticCode: z.optional(Text) })),
    }),
  }),
  z.object({
    ...kindOf('Complaint'),
    mail: SesMail,
    complaint: z.object({ timestamp: At, feedbackId: Text }),
  }),
])
const sesNobody = new Set(['NoEmail', 'Suppressed', 'OnAccountSuppressionList'])

/**
 * Amazon SES by SNS: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html. It finds the mail by its original headers,
 * which have to be switched on there.
 */
function fromSes(given: unknown): Reported {
  const envelope = Envelope.safeParse(given).data
  if (envelope?.Type === 'SubscriptionConfirmation')
    return { events: [], ...(ofAmazon.test(envelope.SubscribeURL) && { confirmUrl: envelope.SubscribeURL }) }
  const one = Ses.safeParse(jsonOf(envelope?.Message ?? '')).data
  const header = one?.mail.headers?.find(({ name }) => name.toLowerCase() === 'x-delivery-id')
  const deliveryId = Uuid.safeParse(header?.value).data
  if (!one || deliveryId === undefined) return { events: [] }
  const plain = { deliveryId, permanent: false, noMailbox: false, status: null, detail: null }
  if ('delivery' in one)
    return {
      events: [
        {
          ...plain,
          id: `${one.mail.messageId}:delivery`,
          kind: 'delivered',
          at: one.delivery.timestamp.toISOString(),
        },
      ],
    }
  if ('complaint' in one)
    return {
      events: [
        {
          ...plain,
          id: one.complaint.feedbackId,
          kind: 'complained',
          at: one.complaint.timestamp.toISOString(),
        },
      ],
    }
  const { bounceType, bounceSubType = '', timestamp, feedbackId, bouncedRecipients } = one.bounce
  const [first] = bouncedRecipients
  const detail = line(first?.diagnosticCode)
  const status = statusIn(first?.status ?? null) ?? statusIn(detail)
  const permanent = bounceType === 'Permanent'
  const noMailbox = permanent && (sesNobody.has(bounceSubType) || (status?.startsWith('5.1.') ?? false))
  return {
    events: [
      {
        ...plain,
        id: feedbackId,
        kind: 'returned',
        at: timestamp.toISOString(),
        permanent,
        noMailbox,
        status,
        detail,
      },
    ],
  }
}

function jsonOf(text: string): unknown {
  try {
    return storableJson(text)
  } catch {
    return null
  }
}

const readers: Record<MailEventSource, (given: unknown) => Reported> = {
  generic: fromGeneric,
  postmark: fromPostmark,
  ses: fromSes,
}

/**
 * What a body says. In our own form what is wrong is refused (`validation_failed`); of a provider's what is not understood is left, as it
 * reports things that nobody here asks for, and would tell them again and again.
 */
export const reportedBy = (source: MailEventSource, body: string): Reported => readers[source](jsonOf(body))
