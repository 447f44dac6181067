import { parseConnectionUrl } from 'nodemailer/lib/shared'
import * as z from 'zod/mini'
import { MailServerInput } from '#contract/identity/mail-server.ts'
import { hasRow, row, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import type { Keys } from '../keys.ts'
import { openMailSecret } from './mail-secrets.ts'
import { currentSigning, type Signing } from './signing.ts'

/** Mails leave by this. */
export type MailSetting = {
  options: ReturnType<typeof parseConnectionUrl>
  /** This is the sender, with a name before the address. */
  from: string
  /** Undefined means that mails have no signature of ours. */
  signing: Signing | undefined
  /** It is another one when anything about it was changed. */
  mark: string
}

const StoredServer = z.extend(z.omit(MailServerInput, { password: true }), {
  sealed: z.nullable(z.instanceof(Buffer)),
  mark: z.string(),
})
type StoredServer = z.infer<typeof StoredServer>
type Installation = { env: Env; keys: Keys }

/** Reads what a superadmin has set in the console. */
export function storedMailServer(tx: Tx): Promise<StoredServer | undefined> {
  return row(
    tx,
    StoredServer,
    sql`select host, port, encryption, login as user, password_sealed as sealed, sender_name as "senderName",
        sender_address as "senderAddress", xmin::text as mark from mail_server`,
  )
}

/**
 * Reads the setting as it is at this moment: the configuration of the installation, else what was set in the console; undefined where there
 * is none.
 */
export async function currentMailServer(
  tx: Tx,
  { env, keys }: Installation,
): Promise<MailSetting | undefined> {
  const setting = await unsigned(tx, { env, keys })
  if (!setting) return undefined
  const known = await currentSigning(tx, keys)
  return { ...setting, signing: known?.signing, mark: `${setting.mark} ${known?.mark ?? ''}` }
}

type Unsigned = Omit<MailSetting, 'signing'>

async function unsigned(tx: Tx, { env, keys }: Installation): Promise<Unsigned | undefined> {
  if (env.smtpUrl !== undefined)
    return { options: parseConnectionUrl(env.smtpUrl), from: env.mailFrom, mark: env.smtpUrl }
  const stored = await storedMailServer(tx)
  return stored && settingOf(keys, stored)
}

function settingOf(keys: Keys, stored: StoredServer): Unsigned {
  const { host, port, encryption, user, sealed, senderName, senderAddress, mark } = stored
  return {
    options: {
      host,
      port,
      secure: encryption === 'tls',
      requireTLS: encryption === 'starttls',
      ignoreTLS: encryption === 'none',
      ...(user === null ? {} : { auth: { user, pass: openMailSecret(keys, 'password', sealed) } }),
    },
    from: senderName === '' ? senderAddress : `${senderName} <${senderAddress}>`,
    mark,
  }
}

export async function hasMailServer(tx: Tx, env: Env): Promise<boolean> {
  return env.smtpUrl !== undefined || (await hasRow(tx, sql`select 1 from mail_server`))
}

/** Returns the sender in whose name mails are written, whether they leave or not. */
export async function senderOf(tx: Tx, { env, keys }: Installation): Promise<string> {
  return (await unsigned(tx, { env, keys }))?.from ?? env.mailFrom
}
