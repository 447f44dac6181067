import { arrayOf } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { hasRun, literal, wordsOf } from '../platform/db/search.ts'

/** `text` and `words` as they are compared: `%`, `_` and `\` mean themselves, and the database folds case and accents. */
export type QueryWords = { text: string; words: readonly string[] }

/** Letters that no database text may hold, and that nobody types. */
const unseen = /\p{Cc}|\p{Cs}/gu

/** Wide forms of `%` and its like become plain ones before they are made to mean themselves. */
export function wordsIn(q: string): QueryWords {
  const words = wordsOf(q.replaceAll(unseen, ' ').normalize('NFKC'))
  return { text: words.join(' '), words }
}

const beginsWell = /^[\p{L}\p{N}]/u

/**
 * What an index of threes of letters is asked for: the longest words anywhere, or when all are too short for that, one of them at the
 * beginnings of words. Without either, all rows would have to be read. The rest of the words is compared row by row, so that there are
 * few statements, whatever somebody types.
 */
export type Lookup = 'anywhere' | 'beginnings' | 'none'

export function lookupOf({ words }: QueryWords): Lookup {
  if (words.some((word) => hasRun.test(word))) return 'anywhere'
  return words.some((word) => beginsWell.test(word)) ? 'beginnings' : 'none'
}

const sharpest = 3

const longestFirst = (words: readonly string[]) => words.toSorted((one, other) => other.length - one.length)
const anywhere = (part: string) => `%${literal(part)}%`
/** Of a text with a space before it. */
const beginning = (word: string) => `% ${literal(word)}%`

/** Three letters and more may stand anywhere, fewer at the beginning of a word, where the index finds them too. */
const wanted = (word: string) =>
  !hasRun.test(word) && beginsWell.test(word) ? beginning(word) : anywhere(word)

/** The threes of the domain of an address are those of everybody; the index is asked for what stands before it. */
function sharp(word: string): string {
  const [local = '', domain = ''] = word.split('@')
  return anywhere(domain !== '' && hasRun.test(local) ? `${local}@` : word)
}

function keysOf({ words }: QueryWords): string[] {
  const long = longestFirst(words.filter((word) => hasRun.test(word))).slice(0, sharpest)
  if (long.length > 0) return Array.from({ length: sharpest }, (_, n) => (long[n] ? sharp(long[n]) : '%'))
  const [short] = longestFirst(words.filter((word) => beginsWell.test(word)))
  return short === undefined ? [] : [`${literal(short)}%`, beginning(short)]
}

/** How much of the beginning of a text the indexes keep in order. */
const indexedLength = sql.raw('100')

/** What was asked, folded once: one row, to be put before the statements that compare with it. */
export function askedFor(words: QueryWords): SQL {
  const normalized = (patterns: readonly string[]) =>
    sql`array(select fold_text(p) from unnest(${arrayOf(patterns, 'text')}) with ordinality as u (p, n) order by n)`
  return sql`asked as materialized (
    select a.*, left(a.given, ${indexedLength}) as least, left(a.given, ${indexedLength}) || chr(1114111) as most from (
      select fold_text(${words.text}) as given, lower(${words.text}) as whole, ${normalized(words.words.map(wanted))} as words,
        ${normalized(words.words.map(beginning))} as beginnings, ${normalized(keysOf(words))} as keys) a)`
}

/** A part of what was asked. As a query of its own it is worked out once, and an index can be asked for it. */
const asked = (part: SQL) => sql`(select ${part} from asked a)`

export const asGiven = asked(sql`a.given`)
export const asWhole = asked(sql`a.whole`)

/** What an index keeps in the order of its letters, and the operators of that index. */
export type Beginning = { column: SQL; least: SQL; less: SQL }

/** Of an index whose order is not that of the database's language. */
export const byLetters = (column: SQL): Beginning => ({ column, least: sql`~>=~`, less: sql`~<~` })

/** The text begins with what was given. */
export function isAhead({ column, least, less }: Beginning): SQL {
  return sql`${column} ${least} ${asked(sql`a.least`)} and ${column} ${less} ${asked(sql`a.most`)}`
}

export const beginsAsGiven = (column: SQL) => sql`starts_with(${column}, ${asGiven})`

const hasEach = (column: SQL, patterns: SQL) => sql`(' ' || ${column}) like all (${asked(patterns)}::text[])`

export const hasAll = (column: SQL) => hasEach(column, sql`a.words`)

/** Every word begins one of the text. */
export const beginsWords = (column: SQL) => hasEach(column, sql`a.beginnings`)

/** What the index is asked for. */
export function hasKeys(column: SQL, lookup: Lookup): SQL {
  const key = (n: number) => sql`${column} like ${asked(sql`a.keys[${sql.raw(String(n))}]`)}`
  return lookup === 'anywhere' ? sql`${key(1)} and ${key(2)} and ${key(3)}` : sql`(${key(1)} or ${key(2)})`
}
