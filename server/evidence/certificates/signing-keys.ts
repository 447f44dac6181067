import * as z from 'zod/mini'
import { rows, type Database, type Tx } from '#server/platform/db/client.ts'
import type { Keys } from '#server/platform/keys.ts'
import { sql } from '../../platform/db/sql.ts'
import { certificateSigner } from './issue.ts'

const SigningKey = z.object({ keyId: z.string(), publicKey: z.string() })

/** Reads every public key with which certificates of this installation were signed, the newest first, in base64url. */
export async function signingKeys(db: Database): Promise<z.infer<typeof SigningKey>[]> {
  return db.as('system', (tx) =>
    rows(
      tx,
      SigningKey,
      sql`select key_id as "keyId", rtrim(translate(encode(public_key, 'base64'), '+/', '-_'), '=') as "publicKey"
        from signing_keys order by since desc, key_id`,
    ),
  )
}

/** Keeps the present key, so that what is signed with it can be verified when the secret is another one. */
export async function keepSigningKey(tx: Tx, keys: Keys): Promise<void> {
  const { id, publicKey } = certificateSigner(keys)
  await tx.execute(
    sql`insert into signing_keys (key_id, public_key) values (${id}, ${publicKey}) on conflict do nothing`,
  )
}
