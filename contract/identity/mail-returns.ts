import * as z from 'zod/mini'
import { mailAddress } from './addresses.ts'
import { endpoint, Instant, Nothing, only, wholeBetween, asItComes } from '../endpoint.ts'
import { mailEncryptions } from './mail-server.ts'
import { superadminOnly } from '../roles.ts'

/** Why a mailbox cannot be read. */
export const mailReturnFaults = [
  'unknown_host',
  'no_connection',
  'timeout',
  'no_mailbox_server',
  'no_encryption',
  'certificate',
  'login_refused',
  'no_folder',
  'broken_off',
] as const
export type MailReturnFault = (typeof mailReturnFaults)[number]

const line = (most: number) =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'required'),
      z.maxLength(most, 'too_long'),
      z.regex(/^\P{Cc}*$/u, 'invalid'),
    )

export const MailReturnsInput = z.object({
  /** Its name before the @ has at most 15 characters, so that a sign of each mail fits behind it. */
  address: mailAddress(150).check(z.regex(/^[^@+]{1,15}@/, 'invalid')),
  host: line(253).check(z.regex(/^[\w.:-]+$/, 'invalid')),
  port: wholeBetween(1, 65_535),
  encryption: z.enum(mailEncryptions),
  user: line(320),
  /** Written, never read. Left out: the one that is known stays, as long as it goes to the same server as the same user. */
  password: z.optional(
    z.string().check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'), asItComes),
  ),
  folder: line(200),
})
export type MailReturnsInput = z.infer<typeof MailReturnsInput>

export const MailReturns = z.object({
  /** Null: mails come back to nobody who reads them. */
  mailbox: z.nullable(
    z.object({
      address: z.string(),
      host: z.string(),
      port: z.number(),
      encryption: z.enum(mailEncryptions),
      user: z.string(),
      hasPassword: z.boolean(),
      folder: z.string(),
      /** When it was read last without a fault. */
      readAt: z.nullable(Instant),
      fault: z.nullable(z.enum(mailReturnFaults)),
      /** Messages that said what became of a mail, and those that were left alone. */
      taken: z.number(),
      leftAlone: z.number(),
    }),
  ),
  updatedAt: Instant,
})

export const readMailReturns = endpoint({
  name: 'readMailReturns',
  method: 'GET',
  path: '/system/mail/returns',
  summary: 'The mailbox to which mails come back, and how reading it goes; never its password',
  access: only(superadminOnly, 'settings'),
  reply: MailReturns,
  cacheSeconds: 2,
})

export const updateMailReturns = endpoint({
  name: 'updateMailReturns',
  method: 'PUT',
  path: '/system/mail/returns',
  summary: 'Let mails of transmissions come back to a mailbox that is read from then on (IMAP)',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: MailReturnsInput,
  reply: MailReturns,
  ifMatch: true,
})

export const removeMailReturns = endpoint({
  name: 'removeMailReturns',
  method: 'DELETE',
  path: '/system/mail/returns',
  summary: 'Forget the mailbox: mails come back to the sender from then on',
  access: only(superadminOnly, 'person'),
  fresh: true,
  reply: MailReturns,
  ifMatch: true,
})

export const testMailReturns = endpoint({
  name: 'testMailReturns',
  method: 'POST',
  path: '/system/mail/returns/test',
  summary: 'Log in to the mailbox as it is set and open its folder; nothing in it is changed',
  access: only(superadminOnly, 'person'),
  fresh: true,
  ownTransactions: true,
  body: Nothing,
  reply: z.object({
    /** Null: it can be read. */
    fault: z.nullable(z.enum(mailReturnFaults)),
    /** In the folder; null: it was not reached. */
    messages: z.nullable(z.number()),
  }),
})
