import { mailForm } from '#contract/identity/addresses.ts'
import { together, type Tx } from './client.ts'
import { sql, type SQL } from './sql.ts'

/**
 * This expression gives a name as lists are sorted by it, in every one of them and whatever the locale of the database: its letters without
 * case and accents, as the column `called` of people keeps them. Indexes are of this very expression.
 */
export const called = (name: SQL): SQL => sql`left(fold_text(${name}), 100) collate "C"`

/**
 * This condition holds when a lower-cased column contains these letters, taken literally. Three letters and more are found through the
 * trigram index; for fewer the same condition reads the column.
 */
export function contains(column: SQL, text: string): SQL {
  return sql`${column} like ${`%${literal(text.toLowerCase())}%`}`
}

export function literal(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

/** Nobody types more words than these, and each one costs a look into the index. */
const mostWords = 8

export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean).slice(0, mostWords)
  return words.map((word) => (word.includes('@') ? mailForm(word) : word))
}

/** This finds three letters in a row, which an index of threes needs. */
export const hasRun = /[\p{L}\p{N}]{3}/u

/** This condition holds when a column of `fold_text` has each of these words, in any order, with or without accents. */
export function hasWords(column: SQL, text: string): SQL {
  return all(wordsOf(text).map((word) => hasWord(column, word)))
}

/**
 * Everybody has the same domain in their address, so its threes are not looked up. The few rows with the rest of the address are compared.
 */
function hasWord(column: SQL, word: string): SQL {
  const local = word.slice(0, word.indexOf('@') + 1)
  const has = (part: string) => sql`${column} like fold_text(${`%${literal(part)}%`})`
  return hasRun.test(local) ? sql`${has(local)} and strpos(${column}, fold_text(${word})) > 0` : has(word)
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** This condition holds for what a search field finds: what has the words, and what a pasted id names. */
export function foundBy(text: string, { id, column }: { id: SQL; column: SQL }): SQL {
  const words = hasWords(column, text)
  return idPattern.test(text) ? sql`(${id} = ${text}::uuid or ${words})` : words
}

/**
 * Writes a word of a closed list into the statement, because only with the word itself can the database see that an index of these rows
 * alone is enough.
 */
export function constant(word: string): SQL {
  if (!/^[a-z]+$/.test(word)) throw new Error('not a word of a closed list')
  return sql.raw(`'${word}'`)
}

/** Joins all of these conditions; it is `true` when there is none. */
export function all(conditions: readonly (SQL | undefined | false | '')[]): SQL {
  const given = conditions.filter((condition): condition is SQL => Boolean(condition))
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `)
}

/**
 * Has statements planned for the values that they have, for the rest of the transaction. A plan for any values would suit a word that
 * everybody has in the name and one that nobody has equally badly.
 */
export async function planForValues(tx: Tx): Promise<void> {
  await tx.execute(sql`set local plan_cache_mode = force_custom_plan`)
}

/**
 * Has statements planned once for all values, and kept by the connection, for the rest of the transaction. That suits statements that say
 * in their own words which way to take when many rows agree and when few do, because planning them costs more than running them. Without
 * statistics of a value the planner would rather sort an organization than read it in the order of an index, so it may not sort where it
 * need not.
 */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.execute(sql`set local plan_cache_mode = force_generic_plan; set local enable_sort = off`)
}

/**
 * While `work` asks, no two sets of rows are compared each with each. Without this, the planner expects a handful of rows of a month that
 * the statistics do not know yet: how a project of 20 videos was watched took more than 30 s instead of 0.4 (200,000 sessions).
 */
export async function withoutLoops<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const [, found] = await together(tx.execute(sql`set local enable_nestloop = off`), work())
  await tx.execute(sql`set local enable_nestloop = on`)
  return found
}

/**
 * Returns rows `r` of a table that have these ids, fetched by them before anything else is asked. Planned once for all values, the planner
 * would take every organization for a small one and read an index of it from end to end. Among 140,000 people ten ids took 43 ms so, and
 * the members of a group administrator's groups 70 ms; fetched first, 6 and 26.
 */
export function fetchedBy(ids: SQL, table: SQL): SQL {
  return sql`(select r.* from ${table} where r.id = any(${ids}) offset 0) r`
}

/** Counts are exact up to here. Beyond it a list says that its total is a minimum. */
export const countLimit = 10_000

/** This scalar subquery counts the rows of `from`, and stops one behind the limit. */
export function countOf(from: SQL): SQL {
  return sql`(select count(*)::int from (select 1 from ${from} limit ${countLimit + 1}) counted)`
}

/** This expression gives a column of type timestamptz as the API writes it. */
export function isoText(column: SQL): SQL {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** This expression gives the day (UTC) of an instant, as its first instant. */
export function dayOnly(column: SQL): SQL {
  return sql`date_trunc('day', ${column}, 'UTC')`
}
