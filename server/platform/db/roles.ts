import { createHmac, hash } from 'node:crypto'
import type { Scope } from './client.ts'

/** The policies bind this role, and the server logs in as it. It owns nothing, and may become no other role. */
export const servingRole = 'sendreel_app'

/** Returns the address of the same database for the role that serves. The password follows from the owner's. */
export function servingUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  url.password = derived(url, servingRole)
  url.username = servingRole
  return url.toString()
}

/** `owner` is the role that owns the tables, if this process may know it, and `serving` the one that serves: two roles of one database. */
export type Addresses = { owner: string | undefined; serving: string }

/**
 * Returns the two addresses for what the operator names. One address alone is the owner's, unless it is that of the role that serves; with
 * two, the first is the one that serves.
 */
export function addressesOf(url: string, ownerUrl?: string): Addresses {
  if (ownerUrl !== undefined) return { owner: ownerUrl, serving: url }
  return new URL(url).username === servingRole
    ? { owner: undefined, serving: url }
    : { owner: url, serving: servingUrl(url) }
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

/** Returns the pass that opens the rows of one scope to the rest of a transaction, as the setting `app.scope`. */
export function passOf(key: string, scope: Scope): string {
  const name = scope === 'system' ? scope : scope.organizationId.toLowerCase()
  return `${name}:${hash('sha256', `${name}:${key}`)}`
}
