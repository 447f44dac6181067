import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { messages } from './catalogue.ts'
import type { PoEntry } from './po.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Every message of the web app; reading all its sources takes seconds. */
let entries: PoEntry[]
beforeAll(() => {
  entries = messages()
}, 180_000)

/** One line of the table: words that were given up, and the texts and files that may have them all the same. */
type Line = { never: string[]; except: string[] }

function linesOf(table: string): Line[] {
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => {
    const [, , never = '', except = ''] = row.split('|')
    return {
      never: never.split(',').map((word) => word.trim()),
      except: [...except.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one),
    }
  })
}

const [, section = ''] = read('docs/glossary.md').split('## Words on the screen')
const table = linesOf(section)
/** What stands in the places of a text is not of the text. */
const wordsOf = (text: string) => text.replaceAll(/\{[^}]*\}/g, '…')

/** A word begins and ends where none of its letters stands beside it; `^` and `$` are the ends of a text. */
const has = (text: string, word: string) => new RegExp(`(?<!\\w)${word}(?!\\w)`, 'i').test(wordsOf(text))

test.each(table)('the screen does not say: $never', ({ never, except }) => {
  const found = entries.filter(
    ({ id, many, places }) =>
      never.some((word) => has(id, word) || has(many ?? '', word)) &&
      !except.includes(id) &&
      !places.every((place) => except.some((file) => place.startsWith(`${file}:`))),
  )
  expect(found.map(({ id, places }) => `${places[0]}: ${id}`)).toEqual([])
})

test('the table is read, and each of its exceptions is still needed', () => {
  expect(table.length).toBeGreaterThan(10)
  for (const { never, except } of table)
    for (const one of except)
      expect(
        entries.some(
          ({ id, places }) =>
            never.some((word) => has(id, word)) &&
            (id === one || places.some((place) => place.startsWith(`${one}:`))),
        ),
        one,
      ).toBe(true)
})
