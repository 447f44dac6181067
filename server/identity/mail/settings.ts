import { sendWaitingNow } from '../../platform/jobs/mail.ts'
import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import type {
  mailEncryptions,
  MailServerInput,
  readMailServer,
  updateMailServer,
} from '#contract/identity/mail-server.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import type { Env } from '../../platform/env.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { sealMailSecret } from '../../platform/jobs/mail-secrets.ts'
import { currentMailServer, storedMailServer } from '../../platform/jobs/mail-server.ts'

type Settings = Reply<typeof readMailServer>
type Server = NonNullable<Settings['server']>

const MailState = z.object({ resting: z.number(), at: z.nullable(z.string()) })

export async function mailSettings(tx: Tx, services: Services): Promise<Settings> {
  const known = await row(
    tx,
    MailState,
    sql`select (select count(*) from mails where state = 'resting')::int as resting,
      (select ${isoText(sql`updated_at`)} from mail_server) as at`,
  )
  const mailState = { resting: known?.resting ?? 0, updatedAt: known?.at ?? new Date(0).toISOString() }
  const { env } = services
  if (env.smtpUrl !== undefined)
    return { setBy: 'operator', server: await operators(tx, services), ...mailState }
  const server = await consoles(tx)
  return { setBy: server ? 'console' : 'nobody', server, ...mailState }
}

async function consoles(tx: Tx): Promise<Server | null> {
  const stored = await storedMailServer(tx)
  if (!stored) return null
  const { sealed, mark: _mark, ...server } = stored
  return { ...server, hasPassword: sealed !== null }
}

/** What SMTP_URL and MAIL_FROM say, without the password. */
async function operators(tx: Tx, { env, keys }: Services): Promise<Server | null> {
  const setting = await currentMailServer(tx, { env, keys })
  if (!setting) return null
  const { host, port, secure, ignoreTLS, auth } = setting.options
  const encryption: (typeof mailEncryptions)[number] = secure ? 'tls' : ignoreTLS ? 'none' : 'starttls'
  return {
    host: host ?? '',
    port: port ?? (secure ? 465 : 587),
    encryption,
    user: auth?.user ?? null,
    hasPassword: Boolean(auth?.pass),
    ...senderOf(env),
  }
}

function senderOf({ mailFrom }: Env) {
  const [, name = '', address = mailFrom] = /^\s*(.*?)\s*<([^>]+)>/.exec(mailFrom) ?? []
  return { senderName: name.replaceAll('"', ''), senderAddress: address.trim() }
}

type MailServerChange = { services: Services; body: ParsedBody<typeof updateMailServer>; by: Requester }

export async function setMailServer(tx: Tx, { services, body, by }: MailServerChange): Promise<Settings> {
  const before = await lockForChange(tx, { services, by })
  const sealed = await passwordFor(tx, services, body)
  const { host, port, encryption, user, senderName, senderAddress } = body
  await tx.execute(
    sql`insert into mail_server (host, port, encryption, login, password_sealed, sender_name, sender_address)
      values (${host}, ${port}, ${encryption}, ${user}, ${sealed}, ${senderName}, ${senderAddress})
      on conflict (id) do update set host = excluded.host, port = excluded.port, encryption = excluded.encryption,
        login = excluded.login, password_sealed = excluded.password_sealed, sender_name = excluded.sender_name,
        sender_address = excluded.sender_address, updated_at = now()`,
  )
  const after = { host, port, encryption, user, senderName, senderAddress }
  const changed = body.password === undefined ? {} : { password: 'changed' }
  await audit(tx, by, {
    ...ofInstallation,
    action: 'mail_server.set',
    before,
    after: { ...after, ...changed },
  })
  await sendWaitingNow(tx, services)
  return mailSettings(tx, services)
}

export async function forgetMailServer(tx: Tx, change: Omit<MailServerChange, 'body'>): Promise<Settings> {
  const before = await lockForChange(tx, change)
  if (!before) return mailSettings(tx, change.services)
  await tx.execute(sql`delete from mail_server`)
  await audit(tx, change.by, { ...ofInstallation, action: 'mail_server.removed', before })
  await change.services.jobs.send(tx, 'mail.send', {})
  return mailSettings(tx, change.services)
}

/** Two at once: the second one waits, and then sees what the first one wrote. Answers what the log may tell of it. */
async function lockForChange(tx: Tx, { services, by }: Omit<MailServerChange, 'body'>) {
  if (services.env.smtpUrl !== undefined)
    throw refuse('conflict', { reason: { code: 'mail_server_of_operator' } })
  await tx.execute(sql`lock table mail_server in share row exclusive mode`)
  const { updatedAt, server } = await mailSettings(tx, services)
  requireUnchanged(by.request, new Date(updatedAt))
  if (!server) return undefined
  const { hasPassword: _secret, ...auditable } = server
  return auditable
}

/** Nobody sends the known password to another server, or for another login, than the one it was given for. */
async function passwordFor(tx: Tx, { keys }: Services, body: MailServerInput): Promise<Buffer | null> {
  const { host, port, user, password } = body
  if (user === null) return null
  if (password !== undefined) return sealMailSecret(keys, 'password', password)
  const stored = await storedMailServer(tx)
  const isSame = stored?.host === host && stored.port === port && stored.user === user
  if (isSame && stored.sealed && stored.encryption === body.encryption) return stored.sealed
  throw refuse('validation_failed', { fields: { password: ['required'] } })
}
