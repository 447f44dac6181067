import { sha256, type Keys } from '../platform/keys.ts'

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

/**
 * The link whose hash the ledger has: of a delivery that was prepared before the secret of the installation was changed, it is made
 * with the one before. Throws where neither fits.
 */
export function personalLink(
  keys: Keys,
  { publicUrl, videoId, deliveryId, linkHash: kept }: LinkParts,
): string {
  const secret = linkSecret(keys, deliveryId, kept)
  if (secret === undefined)
    throw new Error(`the link of delivery ${deliveryId} was made with a secret that is gone`)
  return `${publicUrl}/w/video/${videoId}?d=${secret}`
}
