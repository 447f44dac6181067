import * as z from 'zod/mini'
import { hasArrived } from '../../deliveries.ts'
import { sql } from '../../platform/db/sql.ts'
import { Id } from '../../platform/db/rows.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { fromRows, type Ending } from '../../platform/endings.ts'
import { plural } from '#contract/platform/text/format.ts'
import { sha256, type Keys } from '../../platform/keys.ts'
import { linkLost } from './unwritten.ts'

/**
 * Returns the hash that the ledger keeps of the secret of a link. The secret has 256 bits that only this installation can make again, so
 * that it has to be stored nowhere.
 */
export function linkHash(keys: Keys, deliveryId: string): Buffer {
  return sha256(keys.sign('link', deliveryId))
}

/** Returns the secret whose hash the ledger has; undefined where it was made with a secret of the installation that is gone. */
export function linkSecret(keys: Keys, deliveryId: string, storedHash: string): string | undefined {
  return keys.signatures('link', deliveryId).find((one) => sha256(one).toString('hex') === storedHash)
}

type LinkParts = { publicUrl: string; videoId: string; deliveryId: string; linkHash: string }

/**
 * Returns the secret of a link. A delivery that was prepared before the secret of the installation was changed has one made with the former
 * secret. Throws where neither fits.
 */
function secretOf(
  keys: Keys,
  { deliveryId, linkHash: storedHash }: Pick<LinkParts, 'deliveryId' | 'linkHash'>,
) {
  const secret = linkSecret(keys, deliveryId, storedHash)
  if (secret === undefined)
    throw linkLost(`the link of delivery ${deliveryId} was made with a secret that is gone`)
  return secret
}

/** Returns the link whose hash the ledger has. */
export const personalLink = (keys: Keys, { publicUrl, videoId, ...delivery }: LinkParts): string =>
  `${publicUrl}/w/video/${videoId}?d=${secretOf(keys, delivery)}`

/** Returns the link by which its reader unsubscribes. */
export const unsubscribeLink = (keys: Keys, { publicUrl, ...delivery }: Omit<LinkParts, 'videoId'>): string =>
  `${publicUrl}/w/unsubscribe?d=${secretOf(keys, delivery)}`

/**
 * These say what ends for links when the secret of the installation is lost, because personal links follow from it, and only their hashes
 * are kept.
 */
export const endingsOfLinks: readonly Ending[] = [
  {
    name: 'sentLinks',
    count: fromRows(sql`deliveries d where ${hasArrived('d')} and d.link_hash is not null`),
    says: (n) =>
      `${plural(n, 'message that was', 'messages that were')} sent open by the link in the mail as before, and no longer from the inbox or from “Your training” of another message.`,
  },
  {
    name: 'uncertainLinks',
    count: fromRows(sql`deliveries where state in ('sending', 'unknown') and link_hash is not null`),
    says: (n) =>
      `${plural(n, 'message', 'messages')} of which nobody knows whether ${n === 1 ? 'it' : 'they'} arrived: the links in them lead nowhere now. Send them again.`,
  },
]

const step = 5_000

/**
 * Gives new links to messages that wait, or that may be sent again, because nobody can write the links of their hashes any more. Returns
 * how many it gave.
 */
export async function linkAnew(tx: Tx, keys: Keys): Promise<number> {
  let linked = 0
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const waiting: z.infer<typeof Id>[] = await rows(
      tx,
      Id,
      sql`select id from deliveries where state in ('queued', 'deferred', 'sending', 'unknown') and link_hash is not null
        and id > ${after} order by id limit ${step}`,
    )
    const anew = waiting.map(({ id }) => ({ id, hash: linkHash(keys, id).toString('hex') }))
    await tx.execute(
      sql`update deliveries d set link_hash = decode(w.hash, 'hex')
        from jsonb_to_recordset(${JSON.stringify(anew)}::jsonb) as w(id uuid, hash text) where d.id = w.id`,
    )
    linked += waiting.length
    after = waiting.at(-1)?.id
  }
  return linked
}
