import * as z from 'zod/mini'
import { arrayOf, rows, together, type Tx } from './client.ts'
import { sql, type SQL } from './sql.ts'
import { all, wordsOf } from './search.ts'
import { forItsValues } from './statements.ts'

/** A search looks here. */
export type SearchedColumn = {
  /** This is a table with the rest of the condition, such as `users u where u.organization_id = …`. */
  from: SQL
  id: SQL
  /** This is a column of `fold_text` with a trigram index. */
  column: SQL
  /** These are the `slip_keys` of what the thing is called, as an index has them; left out, they are those of the column. */
  keys?: SQL | undefined
  /** These are the few rows that are there, as far as they are known. */
  few?: SQL | undefined
}

type SimilarSearch = SearchedColumn & { text: string; most: number }

const Candidate = z.object({ id: z.string(), text: z.string(), place: z.number() })
type Candidate = z.infer<typeof Candidate>

/** At most this number of candidates is compared more closely. */
const mostCandidates = 200

/** This share of the letters' threes has to agree. */
const likeness = '0.45'

/** Returns the ids of what comes nearest to a mistyped text, the nearest first; none when nothing is near. */
export function nearest(tx: Tx, { text, most, ...place }: SimilarSearch): Promise<string[]> {
  return nearestAmong(tx, { places: [place], text, most })
}

type Anywhere = { places: readonly SearchedColumn[]; text: string; most: number }

/**
 * Does the same in several places at once, with up to `most` from each. Names with one slip in each word are found first, by an index of
 * their own. When there are none, one of several words may be quite another. Only for one or two words everything alike is read, and not
 * among `few`, where each row would have to be compared.
 */
export async function nearestAmong(tx: Tx, { places, text, most }: Anywhere): Promise<string[]> {
  const given = await keyed(tx, text)
  const words = given.map(({ word }) => word)
  if (words.join('').length < 3 || places.length === 0) return []
  const corrected = given.filter(({ keys }) => keys.length > 0).length
  const attempts = [corrected > 0 && sharing, corrected > 2 && sharingAllButOne, corrected < 3 && alike]
  for (const attempt of attempts) {
    const near = attempt ? closest(words, await attempt(tx, places, given), most) : []
    if (near.length > 0) return near
  }
  return []
}

/** This is a word as it is compared. `keys` are what it shares with itself after a slip; short words and numbers have none. */
const Keyed = z.object({ word: z.string(), keys: z.array(z.string()) })
type Keyed = z.infer<typeof Keyed>

/** Takes the words of a text. The words before the domain of a mail address are those of a name. */
function keyed(tx: Tx, text: string): Promise<Keyed[]> {
  const words = wordsOf(text.replaceAll(/@\S*/g, ' ').replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' '))
  return rows(
    tx,
    Keyed,
    sql`select word, slip_keys(word) as keys from (select fold_text(given) as word, place
      from unnest(${arrayOf(words, 'text')}) with ordinality as w (given, place)) folded order by place`,
  )
}

/**
 * Finds what shares a key with each word, and has the numbers. A short word may have lost a letter, but the nearest one shares a key all
 * the same.
 */
function sharing(tx: Tx, places: readonly SearchedColumn[], given: readonly Keyed[]): Promise<Candidate[]> {
  return read(tx, places, (place) => withNumbers(place, given, all(shares(place, given))))
}

function sharingAllButOne(
  tx: Tx,
  places: readonly SearchedColumn[],
  given: readonly Keyed[],
): Promise<Candidate[]> {
  return read(tx, places, (place) => {
    const each = shares(place, given)
    const others = each.map((_one, without) => all(each.toSpliced(without, 1)))
    return withNumbers(place, given, sql`(${sql.join(others, sql` or `)})`)
  })
}

/** Looks for numbers among what shares the keys, and by no index, which would find thousands, each to be taken apart. */
function withNumbers({ from, id, column }: SearchedColumn, given: readonly Keyed[], shared: SQL): SQL {
  const numbers = given.filter(({ word, keys }) => keys.length === 0 && /\p{N}/u.test(word))
  const has = numbers.map(({ word }) => sql`strpos(${column}, ${word}) > 0`)
  return sql`select ${id} as id, ${column} as text from ${from} and ${all([shared, ...has])}`
}

function shares(
  { column, keys = sql`slip_keys(${column})` }: SearchedColumn,
  given: readonly Keyed[],
): SQL[] {
  return given.flatMap((one) => (one.keys.length > 0 ? [sql`${keys} && ${arrayOf(one.keys, 'text')}`] : []))
}

async function alike(
  tx: Tx,
  places: readonly SearchedColumn[],
  given: readonly Keyed[],
): Promise<Candidate[]> {
  const joined = given.map(({ word }) => word).join(' ')
  const many = places.filter(({ few }) => few === undefined)
  if (many.length === 0) return []
  const [, found] = await together(
    tx.execute(sql`select set_config('pg_trgm.word_similarity_threshold', ${likeness}, true)`),
    read(
      tx,
      many,
      ({ from, id, column }) =>
        sql`select ${id} as id, ${column} as text from ${from} and ${joined} <% ${column}
          order by word_similarity(${joined}, ${column}) desc`,
    ),
  )
  return found
}

function read(
  tx: Tx,
  places: readonly SearchedColumn[],
  source: (place: SearchedColumn) => SQL,
): Promise<Candidate[]> {
  const parts = places.map(
    (place, at) =>
      sql`(select c.id, c.text, ${sql.raw(String(at))} as place from (${source(place)} limit ${sql.raw(String(mostCandidates))}) c)`,
  )
  // A search in several places at once is one of few statements, and costs more to plan than to run.
  const planned = places.length === 1 ? sql.raw(forItsValues) : sql``
  return rows(tx, Candidate, sql`${planned} ${sql.join(parts, sql` union all `)}`)
}

/**
 * Returns what is closest, in the order of what would have to be corrected, and then of the alphabet. It leaves out what would need more
 * than a third of its letters.
 */
function closest(words: readonly string[], candidates: readonly Candidate[], most: number): string[] {
  const far = words.join('').length / 3
  const distances = words.map(distancesFrom)
  const near = candidates
    .map(({ id, text, place }) => {
      const there = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
      return { id, text, place, distance: distances.reduce((sum, distanceTo) => sum + distanceTo(there), 0) }
    })
    .filter(({ distance }) => distance <= far)
    .toSorted((one, other) => one.distance - other.distance || (one.text < other.text ? -1 : 1))
  return [...Map.groupBy(near, ({ place }) => place).values()].flatMap((those) =>
    those.slice(0, most).map(({ id }) => id),
  )
}

/**
 * Returns how many corrections lead from a word to the nearest of some others, where typing may have stopped in the middle of one.
 * Candidates share most of their words, so that each is compared once.
 */
function distancesFrom(word: string): (others: readonly string[]) => number {
  const known = new Map<string, number>()
  const to = (other: string) => {
    const distance =
      known.get(other) ??
      Math.min(corrections(word, other), 0.5 + corrections(word, other.slice(0, word.length)))
    known.set(other, distance)
    return distance
  }
  return (others) => others.reduce((least, other) => Math.min(least, to(other)), word.length)
}

/** Counts letters to put in, take out, replace or swap with their neighbour (optimal string alignment). */
function corrections(from: string, to: string): number {
  let [before, above] = [[] as number[], Array.from({ length: to.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= from.length; i++) {
    const line = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1
      let least = Math.min((above[j] ?? 0) + 1, (line[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      line.push(least)
    }
    ;[before, above] = [above, line]
  }
  return above[to.length] ?? 0
}
