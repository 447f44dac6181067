import * as z from 'zod/mini'
import { endpoint, Instant, Nothing, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** `other`: there is a record, with another key than ours. */
export const dkimStates = ['there', 'missing', 'other'] as const
export type DkimState = (typeof dkimStates)[number]
/** `double`: several records, of which receivers believe none. `open`: it lets everybody send in the name of the domain. */
export const spfStates = ['there', 'missing', 'double', 'open'] as const
export type SpfState = (typeof spfStates)[number]
export const dmarcStates = ['there', 'missing'] as const
export type DmarcState = (typeof dmarcStates)[number]

/** A line of the DNS, of the type TXT. */
export const DnsRecord = z.object({ name: z.string(), value: z.string() })
export type DnsRecord = z.infer<typeof DnsRecord>

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

export const MailSigningInput = z.object({
  /** In whose name mails are signed: the domain of the sender, or one above it. */
  domain: z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.minLength(1, 'required'),
      z.maxLength(200, 'too_long'),
      z.regex(new RegExp(`^(${label}\\.)+${label}$`), 'invalid'),
    ),
  /** Names the key among those of a domain. Another selector is another key. */
  selector: z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.minLength(1, 'required'),
      z.maxLength(63, 'too_long'),
      z.regex(new RegExp(`^${label}$`), 'invalid'),
    ),
  isOn: z.boolean(),
})
export type MailSigningInput = z.infer<typeof MailSigningInput>

export const MailSigning = z.object({
  /** Null: no key has been made yet. */
  signing: z.nullable(
    z.object({ domain: z.string(), selector: z.string(), isOn: z.boolean(), record: DnsRecord }),
  ),
  updatedAt: Instant,
})

export const readMailSigning = endpoint({
  name: 'readMailSigning',
  method: 'GET',
  path: '/system/mail/signing',
  summary: 'Whether mails are signed (DKIM), and the record that belongs into the DNS; never the key',
  access: only(superadminOnly, 'settings'),
  reply: MailSigning,
  cacheSeconds: 2,
})

export const updateMailSigning = endpoint({
  name: 'updateMailSigning',
  method: 'PUT',
  path: '/system/mail/signing',
  summary: 'Sign mails, or stop signing; the first time, and for another selector, a key is made',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: MailSigningInput,
  reply: MailSigning,
  ifMatch: true,
})

export const checkMailSigning = endpoint({
  name: 'checkMailSigning',
  method: 'POST',
  path: '/system/mail/signing/check',
  summary: 'Ask the DNS now whether the record of the key is there',
  access: only(superadminOnly, 'settings'),
  ownTransactions: true,
  body: Nothing,
  reply: z.object({
    /** Null: the DNS did not answer, or there is no key yet. */
    dkim: z.nullable(z.enum(dkimStates)),
    checkedAt: Instant,
  }),
})
