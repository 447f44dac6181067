import { buffer } from 'node:stream/consumers'
import DKIM from 'nodemailer/lib/dkim'
import * as z from 'zod/mini'
import { row, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Keys } from '../keys.ts'
import { openMailSecret } from './mail-secrets.ts'

/** Mails are signed with this. */
export type Signing = { domain: string; selector: string; privateKey: string }

/** A signature covers these fields. Both fields by which a mail program unsubscribes are among them, as RFC 8058 asks. */
const covered =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Id:List-Unsubscribe:List-Unsubscribe-Post'

/** Returns a signature (DKIM, RSA with SHA-256) as the mailer wants to be told of it. */
export const signatureBy = ({ domain, selector, privateKey }: Signing) => ({
  domainName: domain,
  keySelector: selector,
  privateKey,
  headerFieldNames: covered,
})

/** Returns the mail with its signature before it. */
export const signed = (mail: Buffer, signing: Signing): Promise<Buffer> =>
  buffer(new DKIM(signatureBy(signing)).sign(mail))

const StoredSigning = z.object({
  domain: z.string(),
  selector: z.string(),
  sealed: z.instanceof(Buffer),
  mark: z.string(),
})

/**
 * Reads the signing key. Undefined means that mails leave without a signature of ours. `mark` is another one when anything about it was
 * changed.
 */
export async function currentSigning(
  tx: Tx,
  keys: Keys,
): Promise<{ signing: Signing; mark: string } | undefined> {
  const found = await row(
    tx,
    StoredSigning,
    sql`select domain, selector, key_sealed as sealed, xmin::text as mark from mail_signing where is_on`,
  )
  const privateKey = openMailSecret(keys, 'signing', found?.sealed ?? null)
  if (!found || privateKey === '') return undefined
  const { domain, selector, mark } = found
  return { signing: { domain, selector, privateKey }, mark }
}
