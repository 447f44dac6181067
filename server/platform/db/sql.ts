/** This is a piece of a statement: its texts, and between each two of them a value that PostgreSQL gets as a parameter. */
export type SQL = { readonly texts: readonly string[]; readonly values: readonly unknown[] }

/** A value is not `undefined`, which would say nothing, and no list, whose type the database has to be told: see `arrayOf`. */
type Value = string | number | boolean | null | Date | Buffer

const isPiece = (given: Value | SQL): given is SQL =>
  typeof given === 'object' && given !== null && 'texts' in given

function write(texts: readonly string[], given: readonly (Value | SQL)[]): SQL {
  const done: string[] = []
  const values: unknown[] = []
  let open = texts[0] ?? ''
  const close = (value: unknown, next = '') => {
    done.push(open)
    values.push(value)
    open = next
  }
  for (const [n, one] of given.entries()) {
    if (isPiece(one)) {
      open += one.texts[0] ?? ''
      for (const [m, value] of one.values.entries()) close(value, one.texts[m + 1])
    } else close(one)
    open += texts[n + 1] ?? ''
  }
  return { texts: [...done, open], values }
}

/** Writes a statement, or a part of one. Whatever stands in braces and is no such part goes to the database apart from the text. */
export const sql = Object.assign(
  (texts: TemplateStringsArray, ...given: readonly (Value | SQL)[]): SQL => write(texts, given),
  {
    /** Takes text of the program itself, never of a person. */
    raw: (text: string): SQL => ({ texts: [text], values: [] }),
    /** Takes a value whose type stands behind it in the statement, such as a list. */
    param: (value: unknown): SQL => ({ texts: ['', ''], values: [value] }),
    join: (parts: readonly SQL[], between: SQL): SQL =>
      write(
        ['', ...parts.map(() => '')],
        parts.flatMap((part, n) => (n === 0 ? [part] : [write(['', '', ''], [between, part])])),
      ),
  },
)

/** Returns the text as the driver takes it. */
export function textOf({ texts }: SQL): string {
  return texts.reduce((text, next, n) => `${text}$${n}${next}`)
}

/** Goes the other way: it reads a statement of somebody else's, whose parameters have numbers. */
export function numbered(text: string, values: readonly unknown[]): SQL {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n))
  return { texts: text.split(/\$\d+/), values: numbers.map((n) => values[n - 1]) }
}
