import { readFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { hashOf, readCatalogue } from './catalogue.ts'
import { hasRow, statementsOn } from './client.ts'
import { madeMigrations, make, type Migration } from './migrations.ts'
import { sql } from './sql.ts'

const textOf = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')

/** What brings a schema of before to that of the initial migration, by the hash of its catalogue. */
const steps: Record<string, readonly string[]> = {
  // As the 44 steps made it that were written before the first release, and the first form of the initial migration.
  d59a53bd9cdc20b6c110cf801dfa8b10d4707966de67e2d813a1a96d1af9dbbe: [
    'take-over/names.sql',
    'migrations/0001_initial/14_derived_figures.sql',
    'take-over/derived_figures.sql',
    'take-over/counted_when_read.sql',
    'take-over/questions.sql',
  ],
  // As the second migration has left it, which is part of the initial one now.
  '32fb7c0c222e5a40c908d3756a52336e55213e2c0c31024fc094d939c308246b': [
    'take-over/names.sql',
    'take-over/counted_when_read.sql',
    'take-over/questions.sql',
  ],
  // With counters of the audit log and of viewing.
  c465fdaf49b28ed555cd71e99c909fc93ee2e3dea49815041dfbfc9f72cb0c0c: [
    'take-over/counted_when_read.sql',
    'take-over/questions.sql',
  ],
  // With statistics of questions that every attempt added to.
  '402d6caf018a7f9dca93227b10a924eda20a193ce6aab39f4c7a8a653fe6efa3': ['take-over/questions.sql'],
}

/** Forms of the initial migration from before the first release. */
const formerInitials: ReadonlySet<string | undefined> = new Set([
  '20f07459a04d6cdf71f0edabb0b816d6541505522b953bcf5861f624c74ae9cd',
  'ec1180d1fc5e0faf1c1d17eddd5058e269cbba3336575ef7b2543ac7c94df1a5',
  '4bab244e068d860c43a08157fc8b9b9be29557c046e4c265cb7beec1dc571937',
])

/** A database of a program from before this form of the initial migration is brought to the same schema where it is known; else it is refused. */
export async function takeOver(client: pg.Client, initial: Migration): Promise<void> {
  const isOldest = sql`select 1 where to_regclass('drizzle.__drizzle_migrations') is not null`
  const isFormer = formerInitials.has((await madeMigrations(client)).get(initial.name))
  if (!isFormer && !(await hasRow(statementsOn(client), isOldest))) return
  const files = steps[hashOf(await readCatalogue(client))]
  if (!files)
    throw new Error(
      'The tables of this database are not those that this program can take over. If an earlier state of the program has made them, start the last one from before the initial migration once (commit f4e615a), and then this one. If they were changed by hand, take that back. Otherwise begin with an empty DATA_DIR.',
    )
  const forget = 'drop schema if exists drizzle cascade; drop table if exists migrations'
  await make(client, initial, [...files.map(textOf), forget].join('\n'))
}
