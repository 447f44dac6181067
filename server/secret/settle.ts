import * as z from 'zod/mini'
import { keepSigningKey } from '../evidence/certificates/signing-keys.ts'
import { openTotp, sealTotp, totpIsSealedNow } from '../identity/totp.ts'
import { rows, type Database, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { sealMailSecretsAnew } from '../platform/jobs/mail-secrets.ts'
import { sealWebhooksAnew } from '../webhooks/settings.ts'
import type { Keys } from '../platform/keys.ts'

const SealedFactor = z.object({ userId: z.string(), sealed: z.instanceof(Buffer) })
const step = 500

/**
 * At each start, before anything is served: whatever is sealed is sealed by the present secret, so that the one before can go, and the
 * key that signs certificates is known. What neither secret opens stays as it is.
 */
export async function settleSecret(db: Database, keys: Keys): Promise<void> {
  await db.as('system', async (tx) => {
    await keepSigningKey(tx, keys)
    await sealMailSecretsAnew(tx, keys)
    await sealWebhooksAnew(tx, keys)
  })
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const from: string = after
    after = await db.as('system', (tx) => sealFactors(tx, keys, from))
  }
}

/** The next of them after a person; answers the last one, or undefined when there are no more. */
async function sealFactors(tx: Tx, keys: Keys, after: string): Promise<string | undefined> {
  const found = await rows(
    tx,
    SealedFactor,
    sql`select user_id as "userId", secret_sealed as sealed from totp_factors where user_id > ${after}
      order by user_id limit ${step} for update`,
  )
  for (const { userId, sealed } of found) {
    if (totpIsSealedNow(keys, sealed, userId)) continue
    const secret = opened(() => openTotp(keys, sealed, userId))
    if (secret === undefined) continue
    await tx.execute(
      sql`update totp_factors set secret_sealed = ${sealTotp(keys, secret, userId)} where user_id = ${userId}`,
    )
  }
  return found.at(-1)?.userId
}

function opened(open: () => string): string | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
