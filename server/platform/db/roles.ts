import { createHmac, hash } from 'node:crypto'
import type { Scope } from './client.ts'

/** The role that the policies bind; the server logs in as it. It owns nothing, and may become no other. */
export const servingRole = 'sendreel_app'

/** The same database as its owner's address, as the role that serves; the password follows from the owner's. */
export function servingUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  url.password = derived(url, servingRole)
  url.username = servingRole
  return url.toString()
}

/** Who owns the tables, if this process may know, and who serves: two roles of one database. */
export type Addresses = { owner: string | undefined; serving: string }

/** Of what the operator names: one address is the owner's, unless it is that of the role that serves; of two, the second is. */
export function addressesOf(url: string, ownerUrl?: string): Addresses {
  if (ownerUrl !== undefined) return { owner: ownerUrl, serving: url }
  return new URL(url).username === servingRole
    ? { owner: undefined, serving: url }
    : { owner: url, serving: servingUrl(url) }
}

/**
 * What the database compares a scope with; it follows from the password of the address, which no statement can read. So whoever may log
 * in has the right key, and a statement that was smuggled in has none.
 */
export const scopeKey = (servingAddress: string): string => derived(new URL(servingAddress), 'scope')

function derived({ password }: URL, purpose: string): string {
  if (password === '') throw new Error('The address of the database needs a password: see docs/operating.md')
  return createHmac('sha256', decodeURIComponent(password)).update(`sendreel:${purpose}`).digest('hex')
}

/** Opens the rows of one scope to the rest of a transaction, as the setting `app.scope`. */
export function passOf(key: string, scope: Scope): string {
  const name = scope === 'system' ? scope : scope.organizationId.toLowerCase()
  return `${name}:${hash('sha256', `${name}:${key}`)}`
}
