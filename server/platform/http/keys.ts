import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { keyScopes } from '#contract/scopes.ts'
import { row, type Database } from '../db/client.ts'
import { isoText } from '../db/search.ts'
import { sql, type SQL } from '../db/sql.ts'
import { refuse } from '../errors.ts'
import { sha256 } from '../keys.ts'
import { addressOf } from './address.ts'
import { enters } from './entering.ts'

/** With this a token of a key begins, and nothing else does: sessions begin with `sr_`. */
export const keyPrefix = 'srk_'

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  organizationId: z.nullable(z.string()),
  organizationName: z.nullable(z.string()),
  userId: z.string(),
  userName: z.string(),
  email: z.string(),
  expiresAt: z.string(),
})

/**
 * Condition on `service_accounts a`, its organization `o`, its owner `u` and the owner's organization `w`: the owner may sign in and
 * administers what the key is for. A key never outlives the right of whoever answers for it.
 */
export const isAnswered: SQL = sql`coalesce(${sql.raw(enters('u', 'w'))}
    and (a.organization_id is null or (o.state = 'active' and o.deleted_at is null))
    and (u.role = 'superadmin' or (u.role = 'admin' and u.organization_id = a.organization_id)), false)`

/** Condition on `service_tokens t`. */
const isValid = sql`t.expires_at > now() and (t.replaced_until is null or t.replaced_until > now())`

const lookUp = (
  hash: Buffer,
  address: string,
) => sql`select a.id, a.name, a.scopes, a.organization_id as "organizationId", o.name as "organizationName",
      u.id as "userId", u.name as "userName", u.email, ${isoText(sql`t.expires_at`)} as "expiresAt"
    from service_tokens t join service_accounts a on a.id = t.account_id and a.revoked_at is null
    join users u on u.id = a.owner_id left join organizations w on w.id = u.organization_id
    left join organizations o on o.id = a.organization_id
    where t.token_hash = ${hash} and ${isValid} and ${isAnswered}
      and (cardinality(a.networks) = 0 or ${address}::inet <<= any(a.networks))`

/** IPv4 is IPv4, also where it comes over a socket for IPv6. */
const plainOf = (request: FastifyRequest) => addressOf(request).replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * Who calls by this token. Whatever is wrong with it is refused alike, after the same look into the database: whoever tries tokens learns
 * nothing about them. A key of an organization acts as its administrator, one of the installation as a superadmin, each within its scopes.
 */
export async function callerByKey(db: Database, request: FastifyRequest, token: string) {
  const found = await row(db.single, KeyRow, lookUp(sha256(token), plainOf(request)))
  if (!found) throw refuse('invalid_key')
  const { id, name, scopes, organizationId, organizationName, userId, userName, email } = found
  const expiresAt = new Date(found.expiresAt)
  return {
    sessionId: id,
    userId,
    role: organizationId === null ? ('superadmin' as const) : ('admin' as const),
    name: userName,
    email,
    organizationId,
    organizationName,
    groupIds: [],
    idleExpiresAt: expiresAt,
    expiresAt,
    amr: [],
    reauthenticatedAt: null,
    isLocked: false,
    viewer: null,
    key: { id, name, organizationId, scopes },
  }
}
