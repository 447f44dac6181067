import { sha256, type Keys } from '../platform/keys.ts'

/** 256 bits that only this installation can make again, so that no secret has to be stored. */
function linkSecret(keys: Keys, deliveryId: string): string {
  return keys.sign('link', deliveryId)
}

/** What the ledger keeps of the secret. */
export function linkHash(keys: Keys, deliveryId: string): Buffer {
  return sha256(linkSecret(keys, deliveryId))
}

type LinkParts = { publicUrl: string; videoId: string; deliveryId: string }

export function personalLink(keys: Keys, { publicUrl, videoId, deliveryId }: LinkParts): string {
  return `${publicUrl}/w/video/${videoId}?d=${linkSecret(keys, deliveryId)}`
}
