import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { canonical } from '#contract/platform/text/canonical.ts'

/** What can be erased for a person's sake without breaking the chain. */
export const Details = z.object({
  actorName: z.nullable(z.string()),
  before: z.unknown(),
  after: z.unknown(),
  ipPrefix: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
})
export type Details = z.infer<typeof Details>

/** An entry as it is hashed and exported. `at` has milliseconds and Z, ids are in lower case. */
export const ChainEntry = z.object({
  id: z.string(),
  at: z.string(),
  organizationId: z.nullable(z.string()),
  actorId: z.nullable(z.string()),
  viewingAs: z.nullable(z.string()),
  /** The key by which the actor, its owner, acted; files of earlier releases have none. */
  keyId: z.optional(z.nullable(z.string())),
  action: z.string(),
  entity: z.string(),
  entityId: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  details: Details,
  /** Hexadecimal; null once the details are erased. */
  salt: z.nullable(z.string()),
})
export type ChainEntry = z.infer<typeof ChainEntry>

/** Hexadecimal. */
export const Hashes = z.object({ detailsHash: z.string(), entryHash: z.string(), hash: z.string() })
export type Hashes = z.infer<typeof Hashes>

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
 *   entryHash   = SHA-256(canonical({id, at, organizationId, actorId, viewingAs, action, entity, entityId, requestId, detailsHash}));
 *                 what a key did has its keyId beside these
 *   hash        = SHA-256(hash of the link before ‖ entryHash); 32 zero bytes stand before the first
 *
 * where ‖ joins bytes, canonical (contract/platform/text/canonical.ts) is UTF-8, and `detailsHash` inside the entry is lower-case hexadecimal.
 */
export function detailsHashOf({ details, salt }: ChainEntry): string {
  const { actorName, before, after, ipPrefix, userAgent } = details
  return sha256(Buffer.from(salt ?? '', 'hex'), canonical({ actorName, before, after, ipPrefix, userAgent }))
}

export function entryHashOf(entry: ChainEntry, detailsHash: string): string {
  const { details: _erasable, salt: _beside, keyId, ...lasting } = entry
  return sha256(canonical({ ...lasting, ...(keyId ? { keyId } : {}), detailsHash }))
}

export function linkHashOf(previous: string, entryHash: string): string {
  return sha256(Buffer.from(previous, 'hex'), Buffer.from(entryHash, 'hex'))
}

export function hashesOf(previous: string, entry: ChainEntry): Hashes {
  const detailsHash = detailsHashOf(entry)
  const entryHash = entryHashOf(entry, detailsHash)
  return { detailsHash, entryHash, hash: linkHashOf(previous, entryHash) }
}
