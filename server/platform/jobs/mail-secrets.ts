import * as z from 'zod/mini'
import { row, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Keys } from '../keys.ts'

/** What is kept sealed about mail: of which table and column, and for what. */
const secrets = {
  password: { purpose: 'mail-password', table: 'mail_server', column: 'password_sealed' },
  signing: { purpose: 'mail-signing', table: 'mail_signing', column: 'key_sealed' },
  returns: { purpose: 'mail-returns', table: 'mail_returns', column: 'password_sealed' },
} as const
export type MailSecret = keyof typeof secrets

export function sealMailSecret(keys: Keys, which: MailSecret, text: string): Buffer {
  const { purpose, table } = secrets[which]
  return keys.seal(purpose, text, table)
}

/** With another SECRET_KEY nobody can open it: what it was for is refused then, and says so in its test. */
export function openMailSecret(keys: Keys, which: MailSecret, sealed: Buffer | null): string {
  const { purpose, table } = secrets[which]
  if (sealed === null) return ''
  try {
    return keys.open(purpose, sealed, table)
  } catch {
    return ''
  }
}

const Sealed = z.object({ sealed: z.nullable(z.instanceof(Buffer)) })

/** After the secret was changed: with the present one. */
export async function sealMailSecretsAnew(tx: Tx, keys: Keys): Promise<void> {
  for (const which of Object.keys(secrets) as MailSecret[]) {
    const { purpose, table, column } = secrets[which]
    const found = await row(tx, Sealed, sql`select ${sql.raw(column)} as sealed from ${sql.raw(table)}`)
    const sealed = found?.sealed ?? null
    const text = openMailSecret(keys, which, sealed)
    if (sealed === null || text === '' || keys.isSealedNow(purpose, sealed, table)) continue
    await tx.execute(
      sql`update ${sql.raw(table)} set ${sql.raw(column)} = ${sealMailSecret(keys, which, text)}`,
    )
  }
}
