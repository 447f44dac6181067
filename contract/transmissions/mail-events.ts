import * as z from 'zod/mini'
import { asItComes, capability, endpoint, Instant, Nothing, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** These report what became of mails: in our own form, or as Postmark or Amazon SES (by SNS) do. */
export const mailEventSources = ['generic', 'postmark', 'ses'] as const
export type MailEventSource = (typeof mailEventSources)[number]
/** `mailbox` means that it came back as a mail. `reader` means that they said so by the link of the mail. */
export const deliveryEventSources = [...mailEventSources, 'mailbox', 'reader'] as const
export type DeliveryEventSource = (typeof deliveryEventSources)[number]

/** `returned` means that it came back, for now or for good. `complained` means that its reader called it unwanted. */
export const mailEventKinds = ['delivered', 'returned', 'complained', 'unsubscribed'] as const
export type MailEventKind = (typeof mailEventKinds)[number]

/** `reportMailEvents` takes this from `generic`, as JSON. */
export const MailEvents = z.strictObject({
  events: z
    .array(
      z.strictObject({
        /** An event that is told again with the same id is the same event. */
        id: z.string().check(z.minLength(1, 'required'), z.maxLength(200, 'too_long'), asItComes),
        /** It comes from the header `X-Delivery-Id` of the mail. */
        deliveryId: z.uuid().check(z.toLowerCase()),
        kind: z.enum(mailEventKinds),
        at: Instant,
        /** It is true for a return after which it is no use to try again. */
        permanent: z.optional(z.boolean()),
        /** This is the enhanced status code (RFC 3463). */
        status: z.optional(z.string().check(z.regex(/^[245]\.\d{1,3}\.\d{1,3}$/, 'invalid'))),
        /** These are the words of the receiver. */
        detail: z.optional(z.string().check(z.maxLength(500, 'too_long'), asItComes)),
      }),
    )
    .check(z.maxLength(1_000, 'too_long')),
})
export type MailEvents = z.infer<typeof MailEvents>

export const reportMailEvents = endpoint({
  name: 'reportMailEvents',
  method: 'POST',
  path: '/mail-events/:source',
  summary:
    'A mail provider reports what became of mails, as the JSON that it sends. `generic` signs with `X-Signature: t=<seconds>,v1=<HMAC-SHA-256 of "t.body", hex>`; the others log in (Basic)',
  access: capability,
  params: z.object({ source: z.enum(mailEventSources) }),
  /** The body stays as it came, because a signature is over its bytes. */
  body: z.string(),
  // Providers report more than is used here, and add to it as they like; our own form is refused where it is not as it has to be.
  dropsUnknown: true,
  reply: Nothing,
})

export const readMailEvents = endpoint({
  name: 'readMailEvents',
  method: 'GET',
  path: '/system/mail/events',
  summary: 'How mail providers report what became of mails: addresses, secret, and when they last did',
  access: only(superadminOnly, 'person'),
  whileImpersonating: false,
  reply: z.object({
    /** This signs what `generic` reports, and is the password of the others; the user is `sendreel`. */
    secret: z.string(),
    sources: z.array(
      z.object({
        source: z.enum(mailEventSources),
        url: z.string(),
        receivedAt: z.nullable(Instant),
        /** Open this address of Amazon SNS to confirm the subscription; null means that nothing waits for that. */
        confirmUrl: z.nullable(z.string()),
      }),
    ),
  }),
  cacheSeconds: 2,
})
