import type { SealedColumn } from '../../platform/sealed.ts'
import { timingSafeEqual } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import * as z from 'zod/mini'
import { hasRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Keys } from '../../platform/keys.ts'

const period = 30
/** What every app understands. */
const parameters = { algorithm: 'SHA1', digits: 6, period } as const

/** 160 random bits in base32, as they are typed into an app. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** What the QR code holds. */
export function otpauthUri(secret: string, names: { product: string; email: string }): string {
  return new TOTP({ ...parameters, issuer: names.product, label: names.email, secret }).toString()
}

/** Number of the present or the previous 30-second step, if the code is of one of them. */
export function stepOf(secret: string, code: string, now = Date.now()): number | undefined {
  const totp = new TOTP({ ...parameters, secret })
  const present = Math.floor(now / 1_000 / period)
  return [present, present - 1].find((step) => {
    const expected = Buffer.from(totp.generate({ timestamp: step * period * 1_000 }))
    const given = Buffer.from(code)
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}

export const totpPurpose = 'totp'

export function sealTotp(keys: Keys, secret: string, userId: string): Buffer {
  return keys.seal(totpPurpose, secret, userId)
}

export function openTotp(keys: Keys, sealed: Buffer, userId: string): string {
  return keys.open(totpPurpose, sealed, userId)
}

/** The app whose code was seen works from now on, in place of a former one; that code is used up. */
export async function storeTotp(
  tx: Tx,
  { userId, sealed, step }: { userId: string; sealed: Buffer; step: number },
): Promise<void> {
  await tx.execute(
    sql`insert into totp_factors (user_id, secret_sealed, last_step) values (${userId}, ${sealed}, ${step})
      on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, last_step = excluded.last_step,
        created_at = now(), last_used_at = null`,
  )
}

const Factor = z.object({ sealed: z.instanceof(Buffer) })

/** Whether the code is right and of a later step than any before: of two with the same code, also at once, one is. */
export async function useTotp(
  tx: Tx,
  { keys, userId, code }: { keys: Keys; userId: string; code: string },
): Promise<boolean> {
  const factor = await row(
    tx,
    Factor,
    sql`select secret_sealed as sealed from totp_factors where user_id = ${userId}`,
  )
  const step = factor && stepOf(openTotp(keys, factor.sealed, userId), code)
  if (step === undefined) return false
  return hasRow(
    tx,
    sql`update totp_factors set last_step = ${step}, last_used_at = now()
      where user_id = ${userId} and last_step < ${step} returning 1`,
  )
}

export const sealedFactors: SealedColumn = {
  table: 'totp_factors',
  column: 'secret_sealed',
  purpose: totpPurpose,
  owner: sql`user_id::text`,
}
