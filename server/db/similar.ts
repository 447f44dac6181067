import { row, rows, together, type Tx } from './client.ts'
import { sql, type SQL } from './drizzle.ts'
import { all, literal, wordsOf } from './search.ts'

/** Where to look, and for what. */
export type Wanted = {
  /** A table and the rest of the condition, such as `users u where u.organization_id = …`. */
  from: SQL
  id: SQL
  /** A column of `fold_text` with a trigram index. */
  column: SQL
  text: string
  most: number
}

type Candidate = { id: string; text: string }

/** Looked at more closely, in the order of their likeness. */
const mostCandidates = 200

/** Shares of the letters' threes that have to agree: the first that finds anything is the closest that there is. */
const thresholds = [0.6, 0.45, 0.35]

/**
 * The ids of what comes nearest to a mistyped text, the nearest first; none when nothing is near. Two letters that changed places
 * leave so few threes of a short word alone that they are looked for themselves.
 */
export async function nearest(tx: Tx, wanted: Wanted): Promise<string[]> {
  const folded = await row<{ text: string }>(tx, sql`select fold_text(${wanted.text}) as text`)
  const words = wordsOf(folded?.text ?? '').filter((word) => word.length > 2)
  if (words.length === 0) return []
  const swapped = await read(tx, wanted, all(words.map((word) => anyOf(wanted.column, swapsOf(word)))))
  if (swapped.length > 0) return closest(words, swapped, wanted.most)
  const joined = words.join(' ')
  const likeness = sql`word_similarity(${joined}, ${wanted.column})`
  for (const threshold of thresholds) {
    const [, alike] = await together(
      tx.execute(sql`select set_config('pg_trgm.word_similarity_threshold', ${String(threshold)}, true)`),
      read(tx, wanted, sql`${joined} <% ${wanted.column} order by ${likeness} desc`),
    )
    const near = closest(words, alike, wanted.most)
    if (near.length > 0) return near
  }
  return []
}

function read(tx: Tx, { from, id, column }: Wanted, condition: SQL): Promise<Candidate[]> {
  return rows<Candidate>(
    tx,
    sql`select ${id} as id, ${column} as text from ${from} and ${condition} limit ${mostCandidates}`,
  )
}

function anyOf(column: SQL, texts: readonly string[]): SQL {
  const conditions = texts.map((text) => sql`${column} like ${`%${literal(text)}%`}`)
  return sql`(${sql.join(conditions, sql` or `)})`
}

/** Beyond so many letters a swap leaves enough of a word for its threes. */
const longestSwapped = 12

/** The word itself, and with each two neighbours in the other order. */
function swapsOf(word: string): string[] {
  if (word.length > longestSwapped) return [word]
  const swaps = Array.from(
    { length: word.length - 1 },
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  )
  return [...new Set([word, ...swaps])]
}

/** In the order of what would have to be corrected; left out is what would need more than a third of its letters. */
function closest(words: readonly string[], candidates: readonly Candidate[], most: number): string[] {
  const far = words.join('').length / 3
  return candidates
    .map(({ id, text }) => ({ id, distance: distanceOf(words, text) }))
    .filter(({ distance }) => distance <= far)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ id }) => id)
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
