import { keepSigningKey } from '../evidence/certificates/signing-keys.ts'
import { sealedFactors } from '../identity/factors/totp.ts'
import type { Database } from '../platform/db/client.ts'
import { sealedMailSecrets } from '../platform/jobs/mail-secrets.ts'
import type { Keys } from '../platform/keys.ts'
import { sealAnew, sealedIn, type SealedColumn } from '../platform/sealed.ts'
import { sealedEventSecrets } from '../events/addresses.ts'
import { sealedConnections } from '../identity/sso/connections.ts'
import { sealedWebhooks } from '../webhooks/settings.ts'

/** Every column that keeps something sealed; a test holds the list complete. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedFactors,
  ...sealedMailSecrets,
  ...sealedWebhooks,
  ...sealedEventSecrets,
  sealedConnections,
]

/**
 * At each start, before anything is served: whatever is sealed is sealed by the present secret, so that the one before can go, and the
 * key that signs certificates is known. What neither secret opens stays as it is.
 */
export async function settleSecret(db: Database, keys: Keys): Promise<void> {
  await db.as('system', (tx) => keepSigningKey(tx, keys))
  for await (const { place, found } of sealedIn(sealedColumns, (work) => db.as('system', work)))
    await db.as('system', async (tx) => {
      for (const sealed of found) await sealAnew(tx, keys, { place, sealed })
    })
}
