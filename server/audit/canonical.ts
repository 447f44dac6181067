import { createHash } from 'node:crypto'
import { canonical } from '#contract/canonical.ts'

/** What can be erased for a person's sake without breaking the chain. */
export type Details = {
  actorName: string | null
  before: unknown
  after: unknown
  ipPrefix: string | null
  userAgent: string | null
}

/** An entry as it is hashed and exported. `at` has milliseconds and Z, ids are in lower case. */
export type Entry = {
  id: string
  at: string
  organizationId: string | null
  actorId: string | null
  viewingAs: string | null
  action: string
  entity: string
  entityId: string | null
  requestId: string | null
  details: Details
  /** Hexadecimal; null once the details are erased. */
  salt: string | null
}

/** Hexadecimal. */
export type Hashes = { detailsHash: string; entryHash: string; hash: string }

/** What stands before the first link. */
export const origin = '0'.repeat(64)

function sha256(...parts: (Buffer | string)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/**
 * The hashes of a link, byte for byte:
 *
 *   detailsHash = SHA-256(salt ‖ canonical({actorName, before, after, ipPrefix, userAgent}))
 *   entryHash   = SHA-256(canonical({id, at, organizationId, actorId, viewingAs, action, entity, entityId, requestId, detailsHash}))
 *   hash        = SHA-256(hash of the link before ‖ entryHash); 32 zero bytes stand before the first
 *
 * where ‖ joins bytes, canonical (contract/canonical.ts) is UTF-8, and `detailsHash` inside the entry is lower-case hexadecimal.
 */
export function detailsHashOf({ details, salt }: Entry): string {
  const { actorName, before, after, ipPrefix, userAgent } = details
  return sha256(Buffer.from(salt ?? '', 'hex'), canonical({ actorName, before, after, ipPrefix, userAgent }))
}

export function entryHashOf(entry: Entry, detailsHash: string): string {
  const { details: _erasable, salt: _beside, ...lasting } = entry
  return sha256(canonical({ ...lasting, detailsHash }))
}

export function linkHashOf(previous: string, entryHash: string): string {
  return sha256(Buffer.from(previous, 'hex'), Buffer.from(entryHash, 'hex'))
}

export function hashesOf(previous: string, entry: Entry): Hashes {
  const detailsHash = detailsHashOf(entry)
  const entryHash = entryHashOf(entry, detailsHash)
  return { detailsHash, entryHash, hash: linkHashOf(previous, entryHash) }
}
