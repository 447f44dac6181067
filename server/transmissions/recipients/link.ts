import { sha256, type Keys } from '../../platform/keys.ts'
import { linkLost } from './unwritten.ts'

/**
 * What the ledger keeps of the secret of a link: 256 bits that only this installation can make again, so that they have to be stored
 * nowhere.
 */
export function linkHash(keys: Keys, deliveryId: string): Buffer {
  return sha256(keys.sign('link', deliveryId))
}

/** The secret whose hash the ledger has; undefined where it was made with a secret of the installation that is gone. */
export function linkSecret(keys: Keys, deliveryId: string, kept: string): string | undefined {
  return keys.signatures('link', deliveryId).find((one) => sha256(one).toString('hex') === kept)
}

type LinkParts = { publicUrl: string; videoId: string; deliveryId: string; linkHash: string }

/** Of a delivery that was prepared before the secret of the installation was changed, with the one before. Throws where neither fits. */
function secretOf(keys: Keys, { deliveryId, linkHash: kept }: Pick<LinkParts, 'deliveryId' | 'linkHash'>) {
  const secret = linkSecret(keys, deliveryId, kept)
  if (secret === undefined)
    throw linkLost(`the link of delivery ${deliveryId} was made with a secret that is gone`)
  return secret
}

/** The link whose hash the ledger has. */
export const personalLink = (keys: Keys, { publicUrl, videoId, ...delivery }: LinkParts): string =>
  `${publicUrl}/w/video/${videoId}?d=${secretOf(keys, delivery)}`

/** By which its reader unsubscribes. */
export const unsubscribeLink = (keys: Keys, { publicUrl, ...delivery }: Omit<LinkParts, 'videoId'>): string =>
  `${publicUrl}/w/unsubscribe?d=${secretOf(keys, delivery)}`
