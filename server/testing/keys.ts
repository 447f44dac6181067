import type { KeyScope } from '#contract/scopes.ts'
import { randomUUID } from 'node:crypto'
import { sha256 } from '../platform/keys.ts'
import { newToken } from '../service-accounts/token.ts'
import type { Send, TestServer } from './server.ts'

type NewKey = {
  /** Null: of the installation. */
  organizationId: string | null
  ownerId: string
  scopes: readonly KeyScope[]
  /** As PostgreSQL writes a moment. */
  expiresAt?: string
  /** Until when the token works although there is a newer one. */
  replacedUntil?: string
  networks?: readonly string[]
}

export type TestKey = { id: string; token: string; send: Send }

/** Whoever shows this token. */
export const sendWith =
  (server: Pick<TestServer, 'send'>, token: string): Send =>
  (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } })

/** A key as it lies in the database, also one that could not be made any more. */
export async function aKey(server: TestServer, key: NewKey): Promise<TestKey> {
  const id = randomUUID()
  const token = newToken()
  const { organizationId, ownerId, scopes, networks = [], expiresAt = 'tomorrow' } = key
  await server.query(
    `insert into service_accounts (id, organization_id, name, owner_id, scopes, networks) values ($1, $2, $3, $4, $5, $6)`,
    [id, organizationId, 'Payroll', ownerId, scopes, networks],
  )
  await server.query(
    `insert into service_tokens (token_hash, account_id, organization_id, start, expires_at, replaced_until) values ($1, $2, $3, 'srk_', $4, $5)`,
    [sha256(token), id, organizationId, expiresAt, key.replacedUntil ?? null],
  )
  return { id, token, send: sendWith(server, token) }
}
