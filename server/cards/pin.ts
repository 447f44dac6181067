import { fromRows, type Ending } from '../platform/endings.ts'
import { plural } from '#contract/platform/text/format.ts'
import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { pinLimits, takeTry } from '../identity/limit.ts'
import { arrayOf, row, type Database, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Keys } from '../platform/keys.ts'

const digits = 6

export const newPin = (): string => String(randomInt(10 ** digits)).padStart(digits, '0')

/** A PIN fits its own card only. The first is the one to store; a card from before the secret was changed has another. */
export function pinHashes(keys: Keys, deliveryId: string, pin: string): string[] {
  return keys
    .signatures('card-pin', `${deliveryId} ${pin}`)
    .map((signature) => Buffer.from(signature, 'base64url').toString('hex'))
}

type Trial = { keys: Keys; deliveryId: string; pin: string; ip: string }
const Tried = z.object({ right: z.boolean() })

/**
 * Whether this is the PIN of the card; undefined where the card opens nothing any more. A try is counted before it is made, and costs in the
 * statement that compares, so that no number of requests at once gets more; refuses whoever tries too often.
 */
export async function tryPin(
  db: Database,
  { keys, deliveryId, pin, ip }: Trial,
): Promise<boolean | undefined> {
  await db.as('system', (tx) => takeTry(tx, pinLimits(keys, { deliveryId, ip })))
  const fits = sql`(encode(pin_hash, 'hex') = any(${arrayOf(pinHashes(keys, deliveryId, pin), 'text')}))`
  const tried = await db.as('system', (tx: Tx) =>
    row(
      tx,
      Tried,
      sql`update cards set tries_left = case when ${fits} then 20 else tries_left - 1 end, devices_left = devices_left - (${fits})::int
        where delivery_id = ${deliveryId}::uuid and tries_left > 0 and devices_left > 0 returning ${fits} as right`,
    ),
  )
  return tried?.right
}

/** The PIN of a card can be checked only with the secret with which it was made. */
export const endingsOfCards: readonly Ending[] = [
  {
    name: 'cards',
    count: fromRows(sql`cards where tries_left > 0`),
    says: (n) => `The PINs of ${plural(n, 'card', 'cards')} fit no more: hand out new cards.`,
    ends: [sql`update cards set tries_left = 0`],
  },
]
