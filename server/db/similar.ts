import { row, rows, together, type Tx } from './client.ts'
import { sql, type SQL } from './drizzle.ts'
import { all, literal, planForValues, wordsOf } from './search.ts'

/** Where to look. */
export type Place = {
  /** A table and the rest of the condition, such as `users u where u.organization_id = …`. */
  from: SQL
  id: SQL
  /** A column of `fold_text` with a trigram index. */
  column: SQL
}

export type Wanted = Place & { text: string; most: number }

type Candidate = { id: string; text: string; place: number }

/** Looked at more closely, in the order of their likeness. */
const mostCandidates = 200

/** Shares of the letters' threes that have to agree: the first that finds anything is the closest that there is. */
const thresholds = [0.6, 0.45, 0.35]

/** The ids of what comes nearest to a mistyped text, the nearest first; none when nothing is near. */
export function nearest(tx: Tx, { text, most, ...place }: Wanted): Promise<string[]> {
  return nearestAmong(tx, { places: [place], text, most })
}

type Anywhere = { places: readonly Place[]; text: string; most: number }

/**
 * The same in several places at once, so many of each. What is one slip away in each word is looked for first: the patterns of a
 * slip find nothing quickly where nothing is, and everything alike has to be read.
 */
export async function nearestAmong(tx: Tx, { places, text, most }: Anywhere): Promise<string[]> {
  const folded = await row<{ text: string }>(tx, sql`select fold_text(${text}) as text`)
  const words = wordsOf(folded?.text ?? '').filter((word) => word.length > 2)
  if (words.length === 0 || places.length === 0) return []
  const slips = words.map(slipsOf)
  const [, slipped] = await together(
    planForValues(tx),
    read(tx, places, ({ column }) => all(slips.map((patterns) => anyOf(column, patterns)))),
  )
  const atOnce = closest(words, slipped, most)
  if (atOnce.length > 0) return atOnce
  const joined = words.join(' ')
  for (const threshold of thresholds) {
    const [, alike] = await together(
      tx.execute(sql`select set_config('pg_trgm.word_similarity_threshold', ${String(threshold)}, true)`),
      read(
        tx,
        places,
        ({ column }) => sql`${joined} <% ${column} order by word_similarity(${joined}, ${column}) desc`,
      ),
    )
    const near = closest(words, alike, most)
    if (near.length > 0) return near
  }
  return []
}

function read(tx: Tx, places: readonly Place[], condition: (place: Place) => SQL): Promise<Candidate[]> {
  const parts = places.map(
    (place, at) =>
      sql`(select ${place.id} as id, ${place.column} as text, ${sql.raw(String(at))} as place from ${place.from}
        and ${condition(place)} limit ${mostCandidates})`,
  )
  return rows<Candidate>(tx, sql.join(parts, sql` union all `))
}

function anyOf(column: SQL, patterns: readonly string[]): SQL {
  const conditions = patterns.map((pattern) => sql`${column} like ${`%${pattern}%`}`)
  return sql`(${sql.join(conditions, sql` or `)})`
}

/** Beyond so many letters a slip leaves enough of a word for its threes. */
const longestSlipped = 12
/** Of fewer letters a slip leaves too little to look for, unless two of them changed places. */
const shortestSlipped = 5

/** From here on anything in place of two neighbours covers every slip there, and still finds little else. */
const longWord = 8

/** Patterns of the word itself and of what is one slip away from it: letters swapped, wrong, left out or added. */
function slipsOf(word: string): string[] {
  if (word.length > longestSlipped) return [literal(word)]
  const cut = (at: number, middle: string, on: number) =>
    `${literal(word.slice(0, at))}${middle}${literal(word.slice(on))}`
  const places = Array.from(word, (_letter, at) => at)
  const swapped = places
    .slice(1)
    .map((at) => cut(at - 1, literal(word.charAt(at) + word.charAt(at - 1)), at + 1))
  const slipped = places.flatMap((at) => [cut(at, '_', at + 1), cut(at, '', at + 1), cut(at, '_', at)])
  if (word.length >= longWord)
    return [literal(word), ...places.slice(1).map((at) => cut(at - 1, '%', at + 1))]
  const more = word.length < shortestSlipped ? [] : slipped.filter((pattern) => /[^_]{3}/.test(pattern))
  return [...new Set([literal(word), ...swapped, ...more])]
}

/** In the order of what would have to be corrected; left out is what would need more than a third of its letters. */
function closest(words: readonly string[], candidates: readonly Candidate[], most: number): string[] {
  const far = words.join('').length / 3
  const near = candidates
    .map(({ id, text, place }) => ({ id, place, distance: distanceOf(words, text) }))
    .filter(({ distance }) => distance <= far)
    .toSorted((one, other) => one.distance - other.distance)
  return [...Map.groupBy(near, ({ place }) => place).values()].flatMap((those) =>
    those.slice(0, most).map(({ id }) => id),
  )
}

/** Corrections that lead from each word to the word of the text nearest to it; one may also have stopped in the middle of it. */
function distanceOf(words: readonly string[], text: string): number {
  const there = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const toNearest = (word: string) =>
    Math.min(
      word.length,
      ...there.map((other) =>
        Math.min(corrections(word, other), 0.5 + corrections(word, other.slice(0, word.length))),
      ),
    )
  return words.reduce((sum, word) => sum + toNearest(word), 0)
}

/** Letters to put in, take out, replace or swap with their neighbour (optimal string alignment). */
export function corrections(from: string, to: string): number {
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
