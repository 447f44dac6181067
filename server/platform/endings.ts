import { sql, type SQL } from './db/sql.ts'

/** When the secret of the installation is lost, this ends; each room knows its own. */
export type Ending = {
  name: string
  count: SQL
  /** What becomes of so many. */
  says: (n: number) => string
  /** So that nothing stays of which only the lost secret could make use. */
  ends?: readonly SQL[]
}

export const fromRows = (what: SQL) => sql`select count(*)::int as n from ${what}`
