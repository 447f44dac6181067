import { randomInt } from 'node:crypto'
import { arrayOf, hasRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { sha256 } from '../../platform/keys.ts'
import { readCount } from '../../platform/db/rows.ts'

/** Crockford's base 32: nothing in it is mistaken for something else when it is read from paper. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 120 bits. */
const length = 24
const howMany = 10

function newCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** As stored: without what people type around and in place of the characters. */
function plain(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

export function isRecoveryCode(typed: string): boolean {
  return plain(typed).length === length
}

/** Ten codes in groups of four, told this once; the former ones end. */
export async function renewRecovery(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: howMany }, newCode)
  const hashes = codes.map((code) => sha256(code).toString('hex'))
  await tx.execute(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.execute(
    sql`insert into recovery_codes (user_id, code_hash)
      select ${userId}, decode(hash, 'hex') from unnest(${arrayOf(hashes, 'text')}) hash`,
  )
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code)
}

/** How many are left after this one, or undefined when it is not right or was used before: each works once, also for two at once. */
export async function useRecovery(tx: Tx, userId: string, typed: string): Promise<number | undefined> {
  const mine = await hasRow(
    tx,
    sql`update recovery_codes set used_at = now()
      where user_id = ${userId} and code_hash = ${sha256(plain(typed))} and used_at is null returning 1`,
  )
  return !mine ? undefined : recoveryLeft(tx, userId)
}

export async function recoveryLeft(tx: Tx, userId: string): Promise<number> {
  return readCount(
    tx,
    sql`select count(*)::int as n from recovery_codes where user_id = ${userId} and used_at is null`,
  )
}
