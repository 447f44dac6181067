import { sql, type SQL } from './db/sql.ts'

/** People who are erased, as relations for `from`. */
export type Erasing = {
  /** `r`: id, "organizationId", name, email, pseudonym, address (which takes the place of theirs). */
  gone: SQL
  /** `k`: every address that they had, until when, and what takes its place (id, "organizationId", address, email, until). */
  known: SQL
  /** `theirs`: the mails to them (id, address), wherever they went at that time. */
  theirMails: SQL
}

/** Gives the statements for what `personal.ts` cannot say by naming columns; they run in the transaction that erases the people. */
export type Erase = (erasing: Erasing) => SQL[]

/** What is left of an answer of a mail server, which may name the address: one that the product gave itself, as a word. */
export const codeOnly = (column: string): SQL =>
  sql`case when ${sql.raw(column)} ~ '^[a-z_]+$' then ${sql.raw(column)} end`
