import * as z from 'zod/mini'
import { DayOrInstant, endpoint, Id, only } from './endpoint.ts'
import { adminRoles } from './roles.ts'

export const Mail = z.object({ from: z.string(), subject: z.string(), text: z.string(), html: z.string() })

/** What a mail is about, beside its words. */
export const Letter = z.object({
  videoId: Id,
  subject: z.optional(z.string().check(z.trim(), z.maxLength(200, 'too_long'))),
  /** By when they are asked to have watched; it lies ahead. */
  dueAt: z.optional(z.nullable(DayOrInstant)),
  /** When the personal links end; left out: as the organization says. */
  linksEndAt: z.optional(z.nullable(DayOrInstant)),
})

export const previewMail = endpoint({
  name: 'previewMail',
  method: 'POST',
  path: '/transmissions/preview',
  summary: 'The mail as a recipient will see it, with a link that leads nowhere',
  access: only(adminRoles),
  body: z.extend(Letter, { accountId: Id, body: z.string().check(z.maxLength(20_000, 'too_long')) }),
  reply: Mail,
})
