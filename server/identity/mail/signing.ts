import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import type { checkMailSigning, readMailSigning, updateMailSigning } from '#contract/identity/mail-signing.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { audit, ofInstallation, type Actor } from '../../platform/http/audit.ts'
import type { FastifyRequest } from 'fastify'
import { requireUnchanged } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { sealMailSecret } from '../../platform/jobs/mail-secrets.ts'
import { dkimOf, dkimRecord, dnsOf } from './dns.ts'

const SigningRow = z.object({
  domain: z.string(),
  selector: z.string(),
  publicKey: z.string(),
  isOn: z.boolean(),
  updatedAt: z.string(),
})
type SigningRow = z.infer<typeof SigningRow>

/** The key of the installation, whose public half belongs into the DNS of each domain in whose name it signs. */
export function signingKey(tx: Tx): Promise<SigningRow | undefined> {
  return row(
    tx,
    SigningRow,
    sql`select domain, selector, public_key as "publicKey", is_on as "isOn", ${isoText(sql`updated_at`)} as "updatedAt" from mail_signing`,
  )
}

export async function mailSigning(tx: Tx): Promise<Reply<typeof readMailSigning>> {
  const found = await signingKey(tx)
  if (!found) return { signing: null, updatedAt: new Date(0).toISOString() }
  const { domain, selector, isOn, updatedAt } = found
  return { signing: { domain, selector, isOn, record: dkimRecord(domain, found) }, updatedAt }
}

type SigningChange = {
  services: Services
  body: ParsedBody<typeof updateMailSigning>
  by: Exclude<Actor, 'system'> & { request: FastifyRequest }
}

export async function setMailSigning(tx: Tx, change: SigningChange): Promise<Reply<typeof readMailSigning>> {
  const { domain, selector, isOn } = change.body
  await tx.execute(sql`lock table mail_signing in share row exclusive mode`)
  const before = await signingKey(tx)
  requireUnchanged(change.by.request, new Date(before?.updatedAt ?? 0))
  if (before?.selector === selector)
    await tx.execute(sql`update mail_signing set domain = ${domain}, is_on = ${isOn}, updated_at = now()`)
  else await makeKey(tx, change)
  const audited = before && { domain: before.domain, selector: before.selector, isOn: before.isOn }
  await audit(tx, change.by, {
    ...ofInstallation,
    action: 'mail_signing.set',
    ...(audited ? { before: audited } : {}),
    after: { domain, selector, isOn },
  })
  return mailSigning(tx)
}

async function makeKey(tx: Tx, { services, body: { domain, selector, isOn } }: SigningChange): Promise<void> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const sealed = sealMailSecret(services.keys, 'signing', privateKey)
  await tx.execute(
    sql`insert into mail_signing (domain, selector, public_key, key_sealed, is_on)
      values (${domain}, ${selector}, ${publicKey.toString('base64')}, ${sealed}, ${isOn})
      on conflict (id) do update set domain = excluded.domain, selector = excluded.selector, public_key = excluded.public_key,
        key_sealed = excluded.key_sealed, is_on = excluded.is_on, updated_at = now()`,
  )
  // Their domains have the key before, if any; a check says when they have the new one.
  await tx.execute(sql`update mail_senders set dkim = null where dkim is not null`)
}

export async function checkSigning(services: Services): Promise<Reply<typeof checkMailSigning>> {
  const found = await services.db.as('system', signingKey)
  const asked = found && dkimOf(dnsOf(services.env), dkimRecord(found.domain, found))
  const dkim = (await asked?.catch(() => null)) ?? null
  return { dkim, checkedAt: new Date().toISOString() }
}
