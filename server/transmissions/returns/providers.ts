import * as z from 'zod/mini'
import { refuse } from '../../platform/errors.ts'
import { fieldsOf } from '../../platform/http/faults.ts'
import { strict } from '../../platform/http/strict.ts'
import { meaningOf, type AnswerSubject } from '../../platform/jobs/answers.ts'
import { MailEvents, type MailEventKind, type MailEventSource } from '#contract/transmissions/mail-events.ts'
import { cut, inOneLine, isInTime, storableJson } from '#contract/platform/text/text.ts'

/** A provider reports this of one mail. */
export type MailEvent = {
  id: string
  deliveryId: string
  kind: MailEventKind
  /** This is an instant, in ISO 8601. */
  at: string
  permanent: boolean
  /** This is what a return is about; null where it does not say. */
  about: AnswerSubject | null
  status: string | null
  detail: string | null
}

/** Opening `confirmUrl` confirms a subscription of Amazon SNS. */
export type Reported = { events: MailEvent[]; confirmUrl?: string }

/** Shortens a text, because a report is worth more than the end of its words. */
const atMost = (most: number) =>
  z.pipe(
    z.string(),
    z.transform((text) => cut(text, most)),
  )
const Text = atMost(2_000)
/** A report is known again by this name, and an index takes no long ones. */
const Name = atMost(200)
/** Anything that is no status code counts as none. */
const Status = z.catch(z.optional(z.string().check(z.regex(/^[245]\.\d{1,3}\.\d{1,3}$/))), undefined)
const Uuid = z.uuid().check(z.toLowerCase())
const At = z.pipe(
  z.string(),
  z.transform((text) => {
    const at = new Date(text)
    return !Number.isNaN(at.getTime()) && isInTime(at.toISOString()) ? at : new Date()
  }),
)

export const line = (text: string | undefined) => cut(inOneLine(text ?? ''), 500) || null

/** Days are as the database takes them, and the text was made storable before. */
const exact = strict(MailEvents) as typeof MailEvents

/** An event says this where nothing more is known of it. */
export const plain = { permanent: false, about: null, status: null, detail: null }

/** These kinds of complaints (RFC 5965) mean that somebody did not want a mail. */
export const unwanted = new Set(['abuse', 'fraud', 'virus', 'other'])

type Return = {
  said: string | undefined
  status?: string | undefined
  permanent: boolean
  about?: AnswerSubject | undefined
}

/**
 * Reads an answer like any other answer of a mail server. `about` is what the provider calls it, for an answer that does not say so itself.
 */
function returned({ said, status, permanent, about }: Return) {
  const meaning = meaningOf({ text: `${said ?? ''} ${status ?? ''}` })
  return {
    kind: 'returned' as const,
    permanent,
    about: meaning.about ?? about ?? null,
    status: meaning.status ?? status ?? null,
    detail: line(said),
  }
}

/** The provider did not even try, because of a list that the account keeps there. This is no word of a reader or their mail server. */
const onTheirList = { ...plain, kind: 'returned' as const, permanent: true, detail: 'provider_suppressed' }

function fromGeneric(given: unknown): Reported {
  const parsed = exact.safeParse(given)
  if (!parsed.success) throw refuse('validation_failed', { fields: fieldsOf(parsed.error) })
  const { events } = parsed.data
  return {
    events: events.map(({ id, deliveryId, at, ...event }) =>
      Object.assign(toldByOwn(event), { id, deliveryId, at }),
    ),
  }
}

type Own = Omit<MailEvents['events'][number], 'id' | 'deliveryId' | 'at'>

function toldByOwn({ kind, permanent = false, status, detail }: Own): MailReport {
  if (kind === 'returned') return returned({ said: detail, status, permanent })
  return { ...plain, kind, detail: line(detail) }
}

const Metadata = z.object({ 'delivery-id': z.optional(Uuid) })
const Postmark = z.discriminatedUnion('RecordType', [
  z.object({
    RecordType: z.literal('Delivery'),
    MessageID: Name,
    Recipient: Name,
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
  z.object({
    RecordType: z.literal('SubscriptionChange'),
    MessageID: Name,
    ChangedAt: At,
    SuppressSending: z.boolean(),
    SuppressionReason: z.optional(z.nullable(Text)),
    Origin: Text,
    Metadata,
  }),
])
type Postmark = z.infer<typeof Postmark>

/** After these types of returns Postmark itself sends no more. Each has what it is about, for where its words do not say. */
const postmarkPermanent: Readonly<Record<string, AnswerSubject>> = {
  HardBounce: 'nobody',
  BadEmailAddress: 'nobody',
  AddressChange: 'mailbox',
  Blocked: 'policy',
  DMARCPolicy: 'sender',
}
/** These types of returns are another kind of report. */
const postmarkOthers: Readonly<Record<string, MailReport>> = {
  ManuallyDeactivated: onTheirList,
  Unsubscribe: { ...plain, kind: 'unsubscribed' },
  SpamComplaint: { ...plain, kind: 'complained' },
}

type MailReport = Omit<MailEvent, 'deliveryId' | 'id' | 'at'>
type Dated = MailReport & Pick<MailEvent, 'id'> & { at: Date }

function toldByPostmark(one: Postmark): Dated | undefined {
  if (one.RecordType === 'Delivery')
    return { ...plain, kind: 'delivered', id: `${one.MessageID}:${one.Recipient}`, at: one.DeliveredAt }
  if (one.RecordType === 'SpamComplaint')
    return { ...plain, kind: 'complained', id: `${one.ID}`, at: one.BouncedAt }
  if (one.RecordType === 'SubscriptionChange') {
    // Returns and complaints have reports of their own, and what an administrator of the account changes there says nothing of its reader.
    const isTheirWill = one.SuppressionReason === 'ManualSuppression' && one.Origin === 'Recipient'
    if (!one.SuppressSending || !isTheirWill) return undefined
    return {
      ...plain,
      kind: 'unsubscribed',
      id: `${one.MessageID}:${one.ChangedAt.toISOString()}`,
      at: one.ChangedAt,
    }
  }
  const about = postmarkPermanent[one.Type]
  const said = one.Details || one.Description
  const report = postmarkOthers[one.Type] ?? returned({ said, permanent: about !== undefined, about })
  return { ...report, id: `${one.ID}`, at: one.BouncedAt }
}

/**
 * Reads the webhooks of Postmark: https://postmarkapp.com/developer/webhooks/webhooks-overview. What else it reports (opens, clicks) is not
 * used.
 */
function fromPostmark(given: unknown): Reported {
  const one = Postmark.safeParse(given).data
  return eventsOf(one?.Metadata['delivery-id'], one && toldByPostmark(one))
}

function eventsOf(deliveryId: string | undefined, report: Dated | undefined): Reported {
  if (deliveryId === undefined || !report) return { events: [] }
  return { events: [{ ...report, deliveryId, at: report.at.toISOString() }] }
}

const Envelope = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Message: z.string() }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), SubscribeURL: Text }),
])
const ofAmazon = /^https:\/\/sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?\//

const SesMail = z.object({
  messageId: Name,
  headers: z.optional(z.array(z.object({ name: Text, value: z.string() }))),
})
/** A configuration set sends `eventType`, and an identity sends `notificationType`. */
const kindOf = (kind: string) => ({
  eventType: z.optional(z.literal(kind)),
  notificationType: z.optional(z.literal(kind)),
})
const SesBounce = z.object({
  bounceType: Text,
  bounceSubType: z.optional(Text),
  timestamp: At,
  feedbackId: Name,
  bouncedRecipients: z.array(z.object({ status: z.optional(Status), diagnosticCode: z.optional(Text) })),
})
type SesBounce = z.infer<typeof SesBounce>
const Ses = z.union([
  z.object({
    ...kindOf('Delivery'),
    mail: SesMail,
    delivery: z.object({ timestamp: At, smtpResponse: z.optional(Text) }),
  }),
  z.object({ ...kindOf('Bounce'), mail: SesMail, bounce: SesBounce }),
  z.object({
    ...kindOf('Complaint'),
    mail: SesMail,
    complaint: z.object({
      timestamp: At,
      feedbackId: Name,
      complaintSubType: z.optional(z.nullable(Text)),
      complaintFeedbackType: z.optional(z.nullable(Text)),
    }),
  }),
  z.object({
    ...kindOf('Subscription'),
    mail: SesMail,
    subscription: z.object({
      timestamp: At,
      newTopicPreferences: z.object({ unsubscribeAll: z.boolean() }),
    }),
  }),
])
type Ses = z.infer<typeof Ses>
const sesOwnList = 'OnAccountSuppressionList'
const sesNobody = new Set(['NoEmail', 'Suppressed'])

function toldBySes(one: Ses): Dated | undefined {
  const { messageId } = one.mail
  if ('delivery' in one)
    return { ...plain, kind: 'delivered', id: `${messageId}:delivery`, at: one.delivery.timestamp }
  if ('subscription' in one) {
    const { timestamp, newTopicPreferences } = one.subscription
    if (!newTopicPreferences.unsubscribeAll) return undefined
    return { ...plain, kind: 'unsubscribed', id: `${messageId}:${timestamp.toISOString()}`, at: timestamp }
  }
  if ('complaint' in one) {
    const { feedbackId, timestamp, complaintSubType, complaintFeedbackType } = one.complaint
    const dated = { id: feedbackId, at: timestamp }
    if (complaintSubType === sesOwnList) return { ...onTheirList, ...dated }
    if (complaintFeedbackType && !unwanted.has(complaintFeedbackType.toLowerCase())) return undefined
    return { ...plain, kind: 'complained', ...dated }
  }
  return { ...sesReturn(one.bounce), id: one.bounce.feedbackId, at: one.bounce.timestamp }
}

function sesReturn({ bounceType, bounceSubType = '', bouncedRecipients: [first] }: SesBounce): MailReport {
  if (bounceSubType === sesOwnList) return onTheirList
  if (bounceSubType === 'UnsubscribedRecipient') return { ...plain, kind: 'unsubscribed' }
  const about = sesNobody.has(bounceSubType) ? 'nobody' : undefined
  return returned({
    said: first?.diagnosticCode,
    status: first?.status,
    permanent: bounceType === 'Permanent',
    about,
  })
}

/**
 * Reads what Amazon SES sends by SNS: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html. It finds the mail by its
 * original headers, which have to be switched on there.
 */
function fromSes(given: unknown): Reported {
  const envelope = Envelope.safeParse(given).data
  if (envelope?.Type === 'SubscriptionConfirmation')
    return { events: [], ...(ofAmazon.test(envelope.SubscribeURL) && { confirmUrl: envelope.SubscribeURL }) }
  const one = Ses.safeParse(jsonOf(envelope?.Message ?? '')).data
  const header = one?.mail.headers?.find(({ name }) => name.toLowerCase() === 'x-delivery-id')
  const deliveryId = Uuid.safeParse(header?.value).data
  return eventsOf(deliveryId, one && toldBySes(one))
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
 * Reads what a body says. In our own form, mistakes are refused (`validation_failed`). What is not understood of a provider's report is
 * left out, as a provider reports things that nobody here asks for, and would tell them again and again.
 */
export const reportedBy = (source: MailEventSource, body: string): Reported => readers[source](jsonOf(body))
