import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import {
  mailReturnFaults,
  MailReturnsInput,
  type readMailReturns,
  type testMailReturns,
  type updateMailReturns,
} from '#contract/identity/mail-returns.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { openMailSecret, sealMailSecret } from '../../platform/jobs/mail-secrets.ts'
import type { Keys } from '../../platform/keys.ts'
import { takeTry, testMailLimits } from '../limit.ts'
import { withMailbox, type Mailbox } from './imap.ts'

const Stored = z.extend(z.omit(MailReturnsInput, { password: true }), {
  sealed: z.instanceof(Buffer),
  uidValidity: z.nullable(z.string()),
  lastUid: z.number(),
  readAt: z.nullable(z.string()),
  fault: z.nullable(z.enum(mailReturnFaults)),
  taken: z.number(),
  leftAlone: z.number(),
  updatedAt: z.string(),
})
type Stored = z.infer<typeof Stored>

function stored(tx: Tx): Promise<Stored | undefined> {
  return row(
    tx,
    Stored,
    sql`select address, host, port, encryption, login as user, password_sealed as sealed, folder, uid_validity as "uidValidity",
        last_uid::float8 as "lastUid", ${isoText(sql`read_at`)} as "readAt", fault, taken::float8 as taken, left_alone::float8 as "leftAlone",
        ${isoText(sql`updated_at`)} as "updatedAt" from mail_returns`,
  )
}

/** The mailbox as it is set, with its password and how far it was read. */
export async function returnsMailbox(tx: Tx, keys: Keys): Promise<(Stored & Mailbox) | undefined> {
  const found = await stored(tx)
  return found && { ...found, password: openMailSecret(keys, 'returns', found.sealed) }
}

const Address = z.object({ address: z.string() })

/** To which address mails come back; undefined: to that of their sender. */
export async function returnsAddress(tx: Tx): Promise<string | undefined> {
  return (await row(tx, Address, sql`select address from mail_returns`))?.address
}

export async function mailReturns(tx: Tx): Promise<Reply<typeof readMailReturns>> {
  const found = await stored(tx)
  if (!found) return { mailbox: null, updatedAt: new Date(0).toISOString() }
  const { sealed, uidValidity: _validity, lastUid: _uid, updatedAt, ...mailbox } = found
  return { mailbox: { ...mailbox, hasPassword: sealed.length > 0 }, updatedAt }
}

type MailReturnsChange = { services: Services; body: ParsedBody<typeof updateMailReturns>; by: Requester }

export async function setMailReturns(
  tx: Tx,
  { services, body, by }: MailReturnsChange,
): Promise<Reply<typeof readMailReturns>> {
  const before = await lockForChange(tx, by)
  const sealed = sealedFor(services.keys, body, before)
  const { address, host, port, encryption, user, folder } = body
  const isSameFolder = before?.host === host && before.user === user && before.folder === folder
  await tx.execute(
    sql`insert into mail_returns (address, host, port, encryption, login, password_sealed, folder)
      values (${address}, ${host}, ${port}, ${encryption}, ${user}, ${sealed}, ${folder})
      on conflict (id) do update set address = excluded.address, host = excluded.host, port = excluded.port,
        encryption = excluded.encryption, login = excluded.login, password_sealed = excluded.password_sealed, folder = excluded.folder,
        uid_validity = case when ${isSameFolder} then mail_returns.uid_validity end,
        last_uid = case when ${isSameFolder} then mail_returns.last_uid else 0 end, fault = null, failing_since = null, updated_at = now()`,
  )
  const changed = body.password === undefined ? {} : { login: 'changed' }
  await audit(tx, by, {
    ...ofInstallation,
    action: 'mail_returns.set',
    ...(before ? { before: toldOf(before) } : {}),
    after: { address, host, port, encryption, user, folder, ...changed },
  })
  await services.jobs.send(tx, 'mail.returns', {})
  return mailReturns(tx)
}

export async function forgetMailReturns(tx: Tx, by: Requester): Promise<Reply<typeof readMailReturns>> {
  const before = await lockForChange(tx, by)
  if (!before) return mailReturns(tx)
  await tx.execute(sql`delete from mail_returns`)
  await audit(tx, by, { ...ofInstallation, action: 'mail_returns.removed', before: toldOf(before) })
  return mailReturns(tx)
}

async function lockForChange(tx: Tx, { request }: Requester): Promise<Stored | undefined> {
  await tx.execute(sql`lock table mail_returns in share row exclusive mode`)
  const before = await stored(tx)
  requireUnchanged(request, new Date(before?.updatedAt ?? 0))
  return before
}

const toldOf = ({ address, host, port, encryption, user, folder }: Stored) => ({
  address,
  host,
  port,
  encryption,
  user,
  folder,
})

/** Nobody sends the known password to another server, or for another login, than the one it was given for. */
function sealedFor(keys: Keys, body: MailReturnsInput, before: Stored | undefined): Buffer {
  const { host, port, encryption, user, password } = body
  if (password !== undefined) return sealMailSecret(keys, 'returns', password)
  const isSame = before?.host === host && before.port === port && before.user === user
  if (isSame && before.encryption === encryption && before.sealed.length > 0) return before.sealed
  throw refuse('validation_failed', { fields: { password: ['required'] } })
}

/** Opens the folder and changes nothing in it. */
export async function tryMailReturns(
  services: Services,
  by: Requester,
): Promise<Reply<typeof testMailReturns>> {
  const { db, keys } = services
  const mailbox = await db.as('system', async (tx) => {
    await takeTry(tx, testMailLimits(keys, by.caller.userId))
    return returnsMailbox(tx, keys)
  })
  if (!mailbox) throw refuse('conflict', { reason: { code: 'no_returns_mailbox' } })
  const { found, fault } = await withMailbox(mailbox, async (client) => {
    const { exists } = await client.mailboxOpen(mailbox.folder, { readOnly: true })
    return exists
  })
  const after = { host: mailbox.host, result: fault ?? 'read' }
  await db.as('system', (tx) => audit(tx, by, { ...ofInstallation, action: 'mail_returns.tested', after }))
  return { fault, messages: found }
}

type AsRead = { updatedAt: string }

/** What became of looking into the mailbox (null: nothing is wrong), unless another one was named meanwhile. */
export const noteVisit = (tx: Tx, { updatedAt }: AsRead, fault: string | null) =>
  tx.execute(sql`update mail_returns set fault = ${fault},
      failing_since = case when ${fault}::text is not null then coalesce(failing_since, now()) end,
      read_at = case when ${fault}::text is null then now() else read_at end
    where updated_at = ${updatedAt}`)

export type NotedMessage = { validity: string; uid: number; isTaken: boolean }

/** How far it was read, likewise. */
export const noteMessage = (tx: Tx, { updatedAt }: AsRead, { validity, uid, isTaken }: NotedMessage) =>
  tx.execute(sql`update mail_returns set uid_validity = ${validity}, last_uid = ${uid},
      taken = taken + ${isTaken ? 1 : 0}, left_alone = left_alone + ${isTaken ? 0 : 1}
    where updated_at = ${updatedAt} and (uid_validity is distinct from ${validity} or last_uid < ${uid})`)
