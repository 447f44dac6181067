import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { messages } from './catalogue.ts'
import { textsIn } from './find.ts'
import type { PoEntry } from './po.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Every text of the web app, of mails and pages for recipients, and of files; reading all the sources takes seconds. */
let entries: Text[]
beforeAll(async () => {
  entries = [...messages(), ...(await textsForRecipients()), ...textsOfFiles()]
}, 180_000)

type Text = Pick<PoEntry, 'id' | 'many' | 'places'>

const found = (pattern: string) => globSync(pattern, { cwd: root })

async function textsForRecipients(): Promise<Text[]> {
  const files = found('contract/messages/en/*.ts').map(async (file) => {
    const module = (await import(path.join(root, file))) as Record<string, Record<string, string>>
    const texts = Object.values(module).flatMap((one) => Object.entries(one))
    return texts.map(([key, id]) => ({ id, many: undefined, places: [`${file}:${key}`] }))
  })
  return (await Promise.all(files)).flat()
}

const textsOfFiles = (): Text[] =>
  found('server/**/{export,paper,papers,sheet,tables,*-file,*-files}.ts').flatMap((file) =>
    textsIn(read(file), path.join(root, file)).map(({ one, many, within }) => ({
      id: one.text,
      many: many?.text,
      places: [`${file}:${within}`],
    })),
  )

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
/** What stands in the places of a text is not of the text, nor are the names of its forms. */
const wordsOf = (text: string) =>
  text.replaceAll(/\{[\w.]+\}/g, '…').replaceAll(/\{\w+, \w+,|[\w=]+ \{/g, '…')

/** A word begins and ends where none of its letters stands beside it; `^` and `$` are the ends of a text. */
const has = (text: string, word: string) => new RegExp(`(?<!\\w)${word}(?!\\w)`, 'i').test(wordsOf(text))

test.each(table)('the screen does not say: $never', ({ never, except }) => {
  const said = entries.filter(
    ({ id, many, places }) =>
      never.some((word) => has(id, word) || has(many ?? '', word)) &&
      !except.includes(id) &&
      !places.every((place) => except.some((file) => place.startsWith(`${file}:`))),
  )
  expect(said.map(({ id, places }) => `${places[0]}: ${id}`)).toEqual([])
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
