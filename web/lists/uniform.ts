import { useMemo, useState } from 'react'
import { language } from '#contract/platform/text/language.ts'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { usePhone } from '#web/ui/browser/usePhone.ts'

/** Of fewer rows it is chance that they are alike. */
const fewest = 5

/** By key of a column, what it says of every row. */
type UniformColumns = ReadonlyMap<string, string>
const nothing: UniformColumns = new Map()

/** All columns of which each row says the same. */
function sameOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): UniformColumns {
  const [first] = rows
  if (first === undefined || rows.length < fewest) return nothing
  return new Map(
    columns.flatMap(({ key, isExtra, uniformWord }) => {
      const word = isExtra ? undefined : uniformWord?.(first)
      return word !== undefined && rows.every((row) => uniformWord?.(row) === word)
        ? [[key, word] as const]
        : []
    }),
  )
}

/** Without those of which one of these rows says something else. */
function stillSame<Row>(
  before: UniformColumns,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): UniformColumns {
  const isSame = ({ key, uniformWord }: Column<Row>) =>
    rows.every((row) => uniformWord?.(row) === before.get(key))
  const remaining = columns.filter((column) => before.has(column.key) && isSame(column))
  return remaining.length === before.size
    ? before
    : new Map([...before].filter(([key]) => remaining.some((one) => one.key === key)))
}

const list = new Intl.ListFormat(language, { type: 'unit' })

/** "All active" in the middle of a sentence. */
export const all = (word: string): string => `all ${word.toLocaleLowerCase(language)}`

type Page<Row> = { items: readonly Row[]; total: number; totalIsMinimum?: boolean | undefined }
type UniformInput<Row> = {
  /** Another list is looked at anew: that of another organization. */
  of: string | undefined
  columns: readonly Column<Row>[]
  page: Page<Row> | undefined
  /** It is not yet what is asked for. */
  isStale: boolean
  /** "118 people". */
  counted: (total: number) => string
}

/** What stands above a list in place of columns: of how many, and which words. */
export type UniformWords = { count: string; words: string }

/**
 * A column that says the same of every row gives its room to the others, and its word stands above the list; whoever has chosen columns
 * sees theirs. That is settled by the first rows that come. From then on a column may still appear, when a row says something else,
 * and none vanishes while somebody types, sorts or turns the page. On a phone a row has its lines, not columns, and what is told would
 * stand in a line of its own that pushes the rows down.
 */
export function useUniform<Row>({ of, columns, page, isStale, counted }: UniformInput<Row>) {
  const [settled, settle] = useState<{ of: string | undefined; uniform: UniformColumns | null }>({
    of,
    uniform: null,
  })
  const before = settled.of === of ? settled.uniform : null
  const rows = isStale || !page?.items.length ? undefined : page.items
  const uniform =
    rows === undefined ? before : before ? stillSame(before, columns, rows) : sameOf(columns, rows)
  if (settled.of !== of || settled.uniform !== uniform) settle({ of, uniform })
  const isPhone = usePhone()
  const drawn = useMemo(
    () =>
      columns.map((column) =>
        !isPhone && uniform?.has(column.key) ? { ...column, isUniform: true } : column,
      ),
    [columns, uniform, isPhone],
  )
  const words = list.format([...(uniform ?? nothing).values()].filter(Boolean))
  return {
    columns: drawn,
    uniform:
      page && words && !isPhone ? uniformWordsOf({ page, words, count: counted(page.total) }) : undefined,
  }
}

/** What is on other pages is not known. */
function uniformWordsOf<Row>({ page, words, count }: { page: Page<Row> } & UniformWords): UniformWords {
  const isWhole = page.items.length >= page.total && !page.totalIsMinimum
  return { count, words: isWhole ? words : `${words} on this page` }
}
