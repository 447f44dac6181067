import * as z from 'zod/mini'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { Keys } from '../platform/keys.ts'
import { forgetPasswordTries, isPasswordOff, passwordLimits } from './limit.ts'
import { Id } from '../platform/db/rows.ts'

type Where = { orgId: string; userId: string }
/** What tries are counted by: for strangers together, and for each browser of the owner's. */
type CountedBy = { keys: Keys; identifier: string; ip: string; known: string | undefined }

const LockedPerson = z.object({ email: z.string() })

/**
 * Nothing for whoever has no password here: what is tried with their address may be meant for an account that they have in another
 * organization.
 */
async function countedFor(tx: Tx, keys: Keys, { orgId, userId }: Where): Promise<CountedBy[]> {
  const person = await row(
    tx,
    LockedPerson,
    sql`select email from users where organization_id = ${orgId} and id = ${userId} and deleted_at is null
      and role is not null and password_hash is not null`,
  )
  if (!person) return []
  const devices = await rows(tx, Id, sql`select id from devices where user_id = ${userId}`)
  return [undefined, ...devices.map(({ id }) => id)].map((known) => ({
    keys,
    identifier: person.email,
    ip: '',
    known,
  }))
}

/** Whether wrong passwords have switched the right one off, for strangers or in a browser of the owner's. */
export async function isLockedOut(tx: Tx, keys: Keys, where: Where): Promise<boolean> {
  for (const counted of await countedFor(tx, keys, where))
    if (await isPasswordOff(tx, passwordLimits(counted))) return true
  return false
}

/** The password counts again everywhere, as before the first wrong one. Waits of single networks end by themselves, in minutes. */
export async function unlock(tx: Tx, keys: Keys, where: Where): Promise<void> {
  const all = await countedFor(tx, keys, where)
  if (all.length === 0) throw refuse('conflict', { reason: { code: 'no_password' } })
  for (const counted of all) await forgetPasswordTries(tx, counted)
}
