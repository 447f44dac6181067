import { keepSigningKey } from '../evidence/certificates/signing-keys.ts'
import type { Database, Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Keys } from '../platform/keys.ts'
import { openedBy, sealedIn, type Sealed, type SealedColumn } from './sealed.ts'

/**
 * At each start, before anything is served: whatever is sealed is sealed by the present secret, so that the one before can go, and the
 * key that signs certificates is known. What neither secret opens stays as it is.
 */
export async function settleSecret(db: Database, keys: Keys): Promise<void> {
  await db.as('system', (tx) => keepSigningKey(tx, keys))
  for await (const { place, found } of sealedIn((work) => db.as('system', work)))
    await db.as('system', async (tx) => {
      for (const sealed of found) await sealAnew(tx, keys, { place, sealed })
    })
}

type Kept = { place: SealedColumn; sealed: Sealed }

/** What somebody has changed meanwhile was sealed by the present secret. */
async function sealAnew(tx: Tx, keys: Keys, { place, sealed: { owner, bytes } }: Kept): Promise<void> {
  if (keys.isSealedNow(place.purpose, bytes, owner)) return
  const text = openedBy(keys, place, { owner, bytes })
  if (text === undefined) return
  const column = sql.raw(place.column)
  await tx.execute(
    sql`update ${sql.raw(place.table)} set ${column} = ${keys.seal(place.purpose, text, owner)}
      where ${place.owner} = ${owner} and ${column} = ${bytes}`,
  )
}
