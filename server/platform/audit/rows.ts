import * as z from 'zod/mini'
import { sql } from '../db/sql.ts'
import { isoText } from '../db/search.ts'
import { Details, ChainEntry } from './canonical.ts'

/** Columns of `audit a` that make an entry. */
export const entryColumns = sql`a.id, ${isoText(sql`a.at`)} as at, a.organization_id as "organizationId", a.actor_id as "actorId",
  a.viewing_as as "viewingAs", a.key_id as "keyId", a.action, a.entity, a.entity_id as "entityId", a.request_id as "requestId",
  a.actor_name as "actorName", a.before, a.after, a.ip_prefix::text as "ipPrefix", a.user_agent as "userAgent",
  encode(a.salt, 'hex') as salt`

/** Columns of `audit_chain c` that make a link; `before` is the link before it. */
export const linkColumns = sql`c.seq::int8 as seq, encode(c.details_hash, 'hex') as "detailsHash",
  encode(c.entry_hash, 'hex') as "entryHash", encode(c.hash, 'hex') as hash, ${isoText(sql`c.sealed_at`)} as "sealedAt"`

export const EntryRow = z.extend(z.omit(ChainEntry, { details: true, keyId: true }), {
  ...Details.shape,
  keyId: z.nullable(z.string()),
})
export type EntryRow = z.infer<typeof EntryRow>

export function toEntry(row: EntryRow): ChainEntry {
  const { id, at, organizationId, actorId, viewingAs, keyId, action, entity, entityId, requestId, salt } = row
  const { actorName, before, after, ipPrefix, userAgent } = row
  const lasting = { id, at, organizationId, actorId, viewingAs, keyId, action, entity, entityId, requestId }
  return { ...lasting, details: { actorName, before, after, ipPrefix, userAgent }, salt }
}
