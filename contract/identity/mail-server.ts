import * as z from 'zod/mini'
import { mailAddress } from './addresses.ts'
import { endpoint, Instant, Nothing, only, wholeBetween } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** `starttls`: plain until both sides have agreed on TLS, and never without it. `tls`: encrypted from the first byte. */
export const mailEncryptions = ['starttls', 'tls', 'none'] as const

const line = (most: number) => z.string().check(z.trim(), z.maxLength(most, 'too_long'))
const printable = z.regex(/^\P{Cc}*$/u, 'invalid')

export const MailServerInput = z.object({
  /** A name or an address; no URL. */
  host: line(253).check(z.minLength(1, 'required'), z.regex(/^[\w.:-]+$/, 'invalid')),
  port: wholeBetween(1, 65_535),
  encryption: z.enum(mailEncryptions),
  /** Null: it asks for no login. */
  user: z.nullable(line(320).check(z.minLength(1, 'required'), printable)),
  /** Written, never read. Left out: the one that is known stays, as long as it goes to the same server as the same user. */
  password: z.optional(
    z.string().check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'), printable),
  ),
  senderName: line(100).check(z.regex(/^[^\p{Cc}<>"]*$/u, 'invalid')),
  senderAddress: mailAddress(),
})
export type MailServerInput = z.infer<typeof MailServerInput>

export const MailSettings = z.object({
  /** `operator`: by the configuration of the installation, which wins over what is set in the console. */
  setBy: z.enum(['operator', 'console', 'nobody']),
  server: z.nullable(
    z.object({
      host: z.string(),
      port: z.number(),
      encryption: z.enum(mailEncryptions),
      user: z.nullable(z.string()),
      hasPassword: z.boolean(),
      senderName: z.string(),
      senderAddress: z.string(),
    }),
  ),
  /** Mails in the outbox. They stay there when a mail server comes. */
  resting: z.number(),
  updatedAt: Instant,
})

export const readMailServer = endpoint({
  name: 'readMailServer',
  method: 'GET',
  path: '/system/mail',
  summary: 'By which server mails leave; never its password',
  access: only(superadminOnly, 'settings'),
  reply: MailSettings,
  cacheSeconds: 2,
})

export const updateMailServer = endpoint({
  name: 'updateMailServer',
  method: 'PUT',
  path: '/system/mail',
  summary: 'Set the server by which mails leave, from the next mail on',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: MailServerInput,
  reply: MailSettings,
  ifMatch: true,
})

export const removeMailServer = endpoint({
  name: 'removeMailServer',
  method: 'DELETE',
  path: '/system/mail',
  summary: 'Forget the mail server that was set in the console: mails rest in the outbox from then on',
  access: only(superadminOnly, 'person'),
  fresh: true,
  reply: MailSettings,
  ifMatch: true,
})

/** How far a test mail came. */
export const mailTestResults = [
  'accepted',
  'no_server',
  'unknown_host',
  'no_connection',
  'timeout',
  'no_mail_server',
  'no_encryption',
  'certificate',
  'login_refused',
  'sender_refused',
  'recipient_refused',
  'mail_refused',
  'broken_off',
] as const
export type MailTestResult = (typeof mailTestResults)[number]

export const sendTestMail = endpoint({
  name: 'sendTestMail',
  method: 'POST',
  path: '/system/mail/test',
  summary: 'Send a mail to yourself by the mail server as it is set, and say how far it came',
  access: only(superadminOnly, 'person'),
  fresh: true,
  ownTransactions: true,
  body: Nothing,
  reply: z.object({
    result: z.enum(mailTestResults),
    to: z.string(),
    /** What the mail server answered, if it did; in its words. */
    answer: z.nullable(z.string()),
  }),
})
