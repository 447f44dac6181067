import { parseConnectionUrl } from 'nodemailer/lib/shared'
import * as z from 'zod/mini'
import { MailServerInput } from '#contract/mail-server.ts'
import { hasRow, row, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import type { Keys } from '../keys.ts'

/** By what mails leave. */
export type MailSetting = {
  options: ReturnType<typeof parseConnectionUrl>
  /** The sender, with a name before the address. */
  from: string
  /** Another one when anything about it was changed. */
  mark: string
}

const StoredServer = z.extend(z.omit(MailServerInput, { password: true }), {
  sealed: z.nullable(z.instanceof(Buffer)),
  mark: z.string(),
})
type StoredServer = z.infer<typeof StoredServer>
type Installation = { env: Env; keys: Keys }

const sealedFor = { purpose: 'mail-password', owner: 'mail_server' }

export function sealPassword(keys: Keys, password: string): Buffer {
  return keys.seal(sealedFor.purpose, password, sealedFor.owner)
}

/** With another SECRET_KEY nobody can open it: the mail server then refuses the login, and says so in the test. */
function openPassword(keys: Keys, sealed: Buffer | null): string {
  if (sealed === null) return ''
  try {
    return keys.open(sealedFor.purpose, sealed, sealedFor.owner)
  } catch {
    return ''
  }
}

/** After the secret was changed: with the present one. */
export async function sealPasswordAnew(tx: Tx, keys: Keys): Promise<void> {
  const sealed = (await storedMailServer(tx))?.sealed ?? null
  const password = openPassword(keys, sealed)
  if (sealed === null || password === '' || keys.isSealedNow(sealedFor.purpose, sealed, sealedFor.owner))
    return
  await tx.execute(sql`update mail_server set password_sealed = ${sealPassword(keys, password)}`)
}

/** What a superadmin has set in the console. */
export function storedMailServer(tx: Tx): Promise<StoredServer | undefined> {
  return row(
    tx,
    StoredServer,
    sql`select host, port, encryption, login as user, password_sealed as sealed, sender_name as "senderName",
        sender_address as "senderAddress", xmin::text as mark from mail_server`,
  )
}

/** As it is at this moment: the configuration of the installation, else what was set in the console; undefined: none. */
export async function currentMailServer(
  tx: Tx,
  { env, keys }: Installation,
): Promise<MailSetting | undefined> {
  if (env.smtpUrl !== undefined)
    return { options: parseConnectionUrl(env.smtpUrl), from: env.mailFrom, mark: env.smtpUrl }
  const stored = await storedMailServer(tx)
  return stored && settingOf(keys, stored)
}

function settingOf(keys: Keys, stored: StoredServer): MailSetting {
  const { host, port, encryption, user, sealed, senderName, senderAddress, mark } = stored
  return {
    options: {
      host,
      port,
      secure: encryption === 'tls',
      requireTLS: encryption === 'starttls',
      ignoreTLS: encryption === 'none',
      ...(user === null ? {} : { auth: { user, pass: openPassword(keys, sealed) } }),
    },
    from: senderName === '' ? senderAddress : `${senderName} <${senderAddress}>`,
    mark,
  }
}

export async function hasMailServer(tx: Tx, env: Env): Promise<boolean> {
  return env.smtpUrl !== undefined || (await hasRow(tx, sql`select 1 from mail_server`))
}

/** As whom mails are written, whether they leave or not. */
export async function senderOf(tx: Tx, { env, keys }: Installation): Promise<string> {
  return (await currentMailServer(tx, { env, keys }))?.from ?? env.mailFrom
}
