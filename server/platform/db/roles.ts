import { createHmac } from 'node:crypto'
import type { Env } from '../env.ts'

/** The policies bind this role, and the server logs in as it. It owns nothing, and may become no other role. */
export const servingRole = 'sendreel_app'

/** Returns the address of the same database for the role that serves. The password follows from the owner's. */
export function servingUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  url.password = derived(url, servingRole)
  url.username = servingRole
  return url.toString()
}

/**
 * `owner` is the role that owns the tables, if this process may know it, and `serving` the one that serves: two roles of one database.
 * `direct` is that of `serving` past a pooler.
 */
export type Addresses = { owner: string | undefined; serving: string; direct: string }

type Named = Partial<Pick<Env, 'databaseUrl' | 'databaseOwnerUrl' | 'databaseDirectUrl'>>

/**
 * Returns the addresses for what the operator names, or for the embedded database. One address alone is the owner's, unless it is that of
 * the role that serves; with two, the first is the one that serves. Whoever migrates goes past a pooler.
 */
export function addressesOf(
  { databaseUrl, databaseOwnerUrl, databaseDirectUrl }: Named,
  embeddedUrl = '',
): Addresses {
  const url = databaseUrl ?? embeddedUrl
  const isServing = databaseOwnerUrl !== undefined || new URL(url).username === servingRole
  const servingOf = (address: string) => (isServing ? address : servingUrl(address))
  const direct = databaseDirectUrl ?? url
  return {
    owner: databaseOwnerUrl ?? (isServing ? undefined : direct),
    serving: servingOf(url),
    direct: servingOf(direct),
  }
}

/**
 * Returns the key with which the database compares a scope. It follows from the password of the address, which no statement can read, so
 * whoever may log in has the right key, and a statement that was smuggled in has none.
 */
export const scopeKey = (servingAddress: string): string => derived(new URL(servingAddress), 'scope')

function derived({ password }: URL, purpose: string): string {
  if (password === '') throw new Error('The address of the database needs a password: see docs/operating.md')
  return createHmac('sha256', decodeURIComponent(password)).update(`sendreel:${purpose}`).digest('hex')
}
