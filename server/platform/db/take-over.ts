import type pg from 'pg'
import { hashOf, readCatalogue } from './catalogue.ts'
import { hasRow, statementsOn } from './client.ts'
import { make, type Migration } from './migrations.ts'
import { sql } from './sql.ts'

/** Of the schema as the 44 steps made it that were written before the first release: the initial migration makes the same. */
const catalogueBefore = 'd59a53bd9cdc20b6c110cf801dfa8b10d4707966de67e2d813a1a96d1af9dbbe'

/** A database of a program from before the initial migration has made it already when its schema is the same; else it is refused. */
export async function takeOver(client: pg.Client, initial: Migration): Promise<void> {
  const isFormer = sql`select 1 where to_regclass('drizzle.__drizzle_migrations') is not null`
  if (!(await hasRow(statementsOn(client), isFormer))) return
  if (hashOf(await readCatalogue(client)) !== catalogueBefore)
    throw new Error(
      'The tables of this database are not those that this program can take over. If an earlier state of the program has made them, start the last one from before the initial migration once (commit f4e615a), and then this one. If they were changed by hand, take that back. Otherwise begin with an empty DATA_DIR.',
    )
  await make(client, initial, 'drop schema drizzle cascade')
}
