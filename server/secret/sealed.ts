import * as z from 'zod/mini'
import { totpPurpose } from '../identity/totp.ts'
import { rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { mailSecrets } from '../platform/jobs/mail-secrets.ts'
import type { Keys } from '../platform/keys.ts'
import { webhookPurpose } from '../webhooks/settings.ts'

/** A column that keeps something sealed: for what, and for whom it was. */
export type SealedColumn = { table: string; column: string; purpose: string; owner: SQL }

/** Every one of them; a test holds the list complete. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'totp_factors', column: 'secret_sealed', purpose: totpPurpose, owner: sql`user_id::text` },
  ...Object.values(mailSecrets).map(({ table, column, purpose }) => ({
    table,
    column,
    purpose,
    owner: sql`${table}::text`,
  })),
  ...['secret_sealed', 'previous_sealed'].map((column) => ({
    table: 'webhooks',
    column,
    purpose: webhookPurpose,
    owner: sql`organization_id::text`,
  })),
]

const Sealed = z.object({ owner: z.string(), bytes: z.instanceof(Buffer) })
export type Sealed = z.infer<typeof Sealed>
const step = 5_000

/** The next of them after an owner. */
function sealedAfter(tx: Tx, { table, column, owner }: SealedColumn, after: string): Promise<Sealed[]> {
  return rows(
    tx,
    Sealed,
    sql`select ${owner} as owner, ${sql.raw(column)} as bytes from ${sql.raw(table)}
      where ${sql.raw(column)} is not null and ${owner} > ${after} order by 1 limit ${step}`,
  )
}

type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
type Page = { place: SealedColumn; found: Sealed[] }

/** All that is sealed, a few thousand at a time, each of which `run` reads. */
export async function* sealedIn(run: Run): AsyncGenerator<Page> {
  for (const place of sealedColumns)
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after
      const found: Sealed[] = await run((tx) => sealedAfter(tx, place, from))
      if (found.length > 0) yield { place, found }
      after = found.length < step ? undefined : found.at(-1)?.owner
    }
}

/** Undefined where neither secret opens it. */
export function openedBy(
  keys: Keys,
  { purpose }: SealedColumn,
  { owner, bytes }: Sealed,
): string | undefined {
  try {
    return keys.open(purpose, bytes, owner)
  } catch {
    return undefined
  }
}
