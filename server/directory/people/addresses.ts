import { cut, inOneLine } from '#contract/platform/text/text.ts'

/** This is one entry of a list of addresses, as it was given and as it was understood. */
export type GivenAddress = { given: string; email: string; name: string | null }

/**
 * Reads addresses as people have them: one per line, with commas, semicolons or tabs between them, `Name <a@b.c>`, and lines of
 * a table such as `Ada Berg,ada@b.c`. What is not understood stays in the list, so that nothing is lost unseen.
 */
export function readAddresses(text: string): GivenAddress[] {
  return text
    .split(/[\r\n]+/)
    .flatMap((line, number) => (number === 0 && isHeading(line) ? [] : line.split(';').flatMap(readPart)))
}

/** Returns whether a line names the columns of a table, as the first one may. */
function isHeading(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().toLowerCase())
  return cells.length > 1 && cells.every((cell) => /^"?[a-z -]*(name|e-?mail|address)[a-z -]*"?$/.test(cell))
}

/** Reads the cells of a line. Cells without an address belong to the one that follows, or to the one before it at the end of the line. */
function readPart(part: string): GivenAddress[] {
  const cells = cellsOf(part)
  const found: GivenAddress[] = []
  let before: string[] = []
  for (const cell of cells) {
    if (!cell.includes('@')) {
      before.push(cell)
      continue
    }
    found.push(entryOf(cell, before))
    before = []
  }
  const [only] = found
  if (before.length > 0 && only && found.length === 1 && only.name === null)
    return [{ ...only, given: [only.given, ...before].join(', '), name: cleanName(before.join(' ')) }]
  return [...found, ...before.map((cell) => ({ given: cell, email: cell, name: null }))]
}

/** Divides at commas and tabs, but not within quotes. */
function cellsOf(part: string): string[] {
  const cells = part.match(/(?:"[^"]*"|[^",\t])+|"/g) ?? []
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
}

function entryOf(cell: string, before: readonly string[]): GivenAddress {
  const given = [...before, cell].join(', ')
  const angled = /^(.*)<([^<>]*)>$/s.exec(cell)
  const name = [...before, angled?.[1] ?? ''].map(unquoted).filter(Boolean).join(', ')
  const email = unquoted(angled?.[2] ?? cell).replace(/^mailto:/i, '')
  return { given, email, name: cleanName(name) }
}

const unquoted = (text: string) =>
  text
    .trim()
    .replaceAll(/^["']+|["']+$/g, '')
    .trim()

export function cleanName(name: string | null | undefined): string | null {
  const clean = unquoted(inOneLine(name ?? ''))
  return cut(clean, 200) || null
}
