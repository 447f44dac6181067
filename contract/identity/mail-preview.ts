import * as z from 'zod/mini'
import { DayOrInstant, endpoint, Id, only, lines } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'

export const Mail = z.object({
  from: z.string(),
  /** The address of the organization at which nobody has proved yet to read: nothing is sent until then; null: nothing is in the way. */
  unverified: z.nullable(z.string()),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
})

/** What a mail is about, beside its words. */
export const Letter = z.object({
  videoId: Id,
  subject: z.optional(z.string().check(z.trim(), z.maxLength(200, 'too_long'))),
  /** By when they are asked to have watched; it lies ahead. */
  dueAt: z.optional(z.nullable(DayOrInstant)),
  /** When the personal links end; left out: as the organization says. */
  linksEndAt: z.optional(z.nullable(DayOrInstant)),
})

/** A mail as it stands in the composer. */
export const WrittenMail = z.extend(Letter, {
  accountId: Id,
  body: z.string().check(z.maxLength(20_000, 'too_long'), lines),
  /** Whose mail it is; left out: what the author would get. */
  recipientId: z.optional(Id),
  /** They owe it also without a day, so that they do not unsubscribe from it. */
  isDuty: z._default(z.boolean(), false),
})

export const previewMail = endpoint({
  name: 'previewMail',
  method: 'POST',
  path: '/transmissions/preview',
  summary: 'The mail as this recipient will get it, but for a link that leads nowhere',
  access: only(adminRoles, 'send'),
  body: WrittenMail,
  reply: Mail,
})

export const testTransmission = endpoint({
  name: 'testTransmission',
  method: 'POST',
  path: '/transmissions/test',
  summary:
    'Send the mail to oneself. It is counted nowhere; its subject says that it is a test, and its link leads to the video in the console',
  access: only(adminRoles, 'person'),
  body: WrittenMail,
  reply: z.object({ address: z.string() }),
  idempotent: true,
})
