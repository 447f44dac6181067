import * as z from 'zod/mini'
import { rows, type Tx } from './db/client.ts'
import { sql, type SQL } from './db/sql.ts'
import type { Keys } from './keys.ts'

/** A column that keeps something sealed: for what, and for whom it was. */
export type SealedColumn = { table: string; column: string; purpose: string; owner: SQL }

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

type RunInTx = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
type Page = { place: SealedColumn; found: Sealed[] }

/** All that is sealed, a few thousand at a time, each of which `run` reads. */
export async function* sealedIn(places: readonly SealedColumn[], run: RunInTx): AsyncGenerator<Page> {
  for (const place of places)
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

type SealedValue = { place: SealedColumn; sealed: Sealed }

/** What somebody has changed meanwhile was sealed by the present secret. */
export async function sealAnew(
  tx: Tx,
  keys: Keys,
  { place, sealed: { owner, bytes } }: SealedValue,
): Promise<void> {
  if (keys.isSealedNow(place.purpose, bytes, owner)) return
  const text = openedBy(keys, place, { owner, bytes })
  if (text === undefined) return
  const column = sql.raw(place.column)
  await tx.execute(
    sql`update ${sql.raw(place.table)} set ${column} = ${keys.seal(place.purpose, text, owner)}
      where ${place.owner} = ${owner} and ${column} = ${bytes}`,
  )
}
