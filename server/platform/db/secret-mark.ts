import * as z from 'zod/mini'
import { hasRow, row, statementsOn, type Tx } from './client.ts'
import { openClient } from './preconditions.ts'
import { sql } from './sql.ts'

const Stored = z.object({ mark: z.string() })

/** Reads the mark by which the secret of this database is known; undefined where no start has written it yet. */
export async function secretMark(tx: Tx): Promise<string | undefined> {
  if (!(await hasRow(tx, sql`select 1 where to_regclass('public.secret_mark') is not null`))) return undefined
  return (await row(tx, Stored, sql`select mark from public.secret_mark`))?.mark
}

/** Reads it as the owner of the tables, before anything of them is changed. */
export async function secretMarkOf(owner: string): Promise<string | undefined> {
  const client = await openClient(owner)
  try {
    return await secretMark(statementsOn(client))
  } finally {
    await client.end()
  }
}
