import * as z from 'zod/mini'
import { Passkey } from '#contract/identity/factors.ts'
import { row, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import type { Account } from '../queries.ts'
import { recoveryLeft } from './recovery.ts'
import { requiresFactor, systemSecurity } from '../security.ts'
import type { Amr } from '../session.ts'

export const passkeyColumns = sql`id, name, ${isoText(sql`created_at`)} as "createdAt",
  ${isoText(sql`last_used_at`)} as "lastUsedAt", backed_up as synced`

const App = z.object({ createdAt: z.string(), lastUsedAt: z.nullable(z.string()) })
type App = z.infer<typeof App>
type Factors = { totp: App | null; passkeys: Passkey[]; recoveryCodesLeft: number }

export async function factorsOf(tx: Tx, userId: string): Promise<Factors> {
  const totp = await row(
    tx,
    App,
    sql`select ${isoText(sql`created_at`)} as "createdAt", ${isoText(sql`last_used_at`)} as "lastUsedAt"
      from totp_factors where user_id = ${userId}`,
  )
  const passkeys = await rows(
    tx,
    Passkey,
    sql`select ${passkeyColumns} from passkeys where user_id = ${userId} order by id`,
  )
  return { totp: totp ?? null, passkeys, recoveryCodesLeft: await recoveryLeft(tx, userId) }
}

/** Also for people whose rows the transaction does not see, such as a superadmin's in the scope of an organization. */
export async function hasFactor(tx: Tx, userId: string): Promise<boolean> {
  const { totp, passkeys } = await factorsOf(tx, userId)
  return totp !== null || passkeys.length > 0
}

export async function isFactorRequired(tx: Tx, account: Account): Promise<boolean> {
  return requiresFactor(await systemSecurity(tx), account)
}

/**
 * After one was removed: the last one stays where the policy asks for one, and recovery codes end with it, because they are
 * no factor of their own.
 */
export async function checkLastFactor(tx: Tx, account: Account): Promise<void> {
  if (await hasFactor(tx, account.id)) return
  if (await isFactorRequired(tx, account)) {
    throw refuse('conflict', { reason: { code: 'second_step_required' } })
  }
  await tx.execute(sql`delete from recovery_codes where user_id = ${account.id}`)
}

export async function removeAllFactors(tx: Tx, userId: string): Promise<void> {
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes'])
    await tx.execute(sql`delete from ${sql.raw(table)} where user_id = ${userId}`)
}

/** What was proved inside a session counts for it as if it had been proved when signing in. */
export async function noteProof(tx: Tx, sessionId: string, amr: Amr): Promise<void> {
  await tx.execute(
    sql`update sessions set amr = array_append(array_remove(amr, ${amr}), ${amr}) where id = ${sessionId}`,
  )
}
