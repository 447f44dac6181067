import { sql, type SQL } from '../db/drizzle.ts'
import { all, literal, wordsOf } from '../db/search.ts'

/** `text` and `words` as they are compared: `%`, `_` and `\` mean themselves, and the database folds case and accents. */
export type Words = { text: string; words: readonly string[] }

/** Letters that no database text may hold, and that nobody types. */
const unseen = /\p{Cc}|\p{Cs}/gu

/** Wide forms of `%` and its like become plain ones before they are made to mean themselves. */
export function wordsIn(q: string): Words {
  const words = wordsOf(q.replaceAll(unseen, ' ').normalize('NFKC'))
  return { text: words.join(' '), words }
}

const hasRun = /[\p{L}\p{N}]{3}/u
const beginsWell = /^[\p{L}\p{N}]/u

/** Whether an index of threes of letters finds anything for these words; without, all rows would have to be read. */
export const isIndexed = ({ words }: Words): boolean =>
  words.some((word) => hasRun.test(word) || beginsWell.test(word))

const like = (column: SQL, pattern: string) => sql`${column} like fold_text(${pattern})`

/** A word of the text begins with it. */
function beginsWord(column: SQL, word: string): SQL {
  return sql`(${like(column, `${literal(word)}%`)} or ${like(column, `% ${literal(word)}%`)})`
}

export function beginsWith(column: SQL, text: string): SQL {
  return like(column, `${literal(text)}%`)
}

/** Has all words: three letters and more anywhere, fewer at the beginning of a word, where the index finds them too. */
export function hasAll(column: SQL, { words }: Words): SQL {
  return all(
    words.map((word) => {
      if (!hasRun.test(word) && beginsWell.test(word)) return beginsWord(column, word)
      const anywhere = (part: string) => `%${literal(part)}%`
      const [local = '', domain = ''] = word.split('@')
      if (!hasRun.test(local) || domain === '') return like(column, anywhere(word))
      // The threes of a domain are those of everybody; the index is asked for what stands before it.
      return sql`${like(column, anywhere(`${local}@`))} and ${like(sql`(${column} || '')`, anywhere(word))}`
    }),
  )
}

/** Every word begins one of the text. */
export function beginsWords(column: SQL, { words }: Words): SQL {
  return all(words.map((word) => beginsWord(column, word)))
}
