import { sql } from '../db/sql.ts'
import type { SealedColumn } from '../sealed.ts'
import type { Keys } from '../keys.ts'

/** These are kept sealed about mail, in this table and column, and for this purpose. */
export const mailSecrets = {
  password: { purpose: 'mail-password', table: 'mail_server', column: 'password_sealed' },
  signing: { purpose: 'mail-signing', table: 'mail_signing', column: 'key_sealed' },
  returns: { purpose: 'mail-returns', table: 'mail_returns', column: 'password_sealed' },
} as const
export type MailSecret = keyof typeof mailSecrets

export function sealMailSecret(keys: Keys, which: MailSecret, text: string): Buffer {
  const { purpose, table } = mailSecrets[which]
  return keys.seal(purpose, text, table)
}

/** Opens a sealed secret. With another SECRET_KEY nobody can open it, so whatever needs it is refused then, and says so in its test. */
export function openMailSecret(keys: Keys, which: MailSecret, sealed: Buffer | null): string {
  const { purpose, table } = mailSecrets[which]
  if (sealed === null) return ''
  try {
    return keys.open(purpose, sealed, table)
  } catch {
    return ''
  }
}

export const sealedMailSecrets = Object.values(mailSecrets).map(
  ({ table, column, purpose }): SealedColumn => ({ table, column, purpose, owner: sql`${table}::text` }),
)
