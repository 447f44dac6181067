import { readListed, type Listed, type ListedProblem } from '#contract/transmissions/barred-addresses.ts'
import { readCell } from '#contract/platform/csv.ts'

export type AddressList = {
  /** Each address stands here once, with the line on which it is first. */
  found: readonly (Listed & { line: number })[]
  /** These lines have no address, and are kept as they are written. */
  faults: readonly { line: number; text: string; problem: ListedProblem }[]
}

/** Reads the cells of one line, with quotes as spreadsheets write them. */
function cellsOf(line: string, delimiter: string): string[] {
  const cell = new RegExp(`(?:^|${delimiter})(?:"((?:[^"]|"")*)"[^${delimiter}]*|([^${delimiter}]*))`, 'g')
  return Array.from(line.matchAll(cell), ([, quoted, plain = '']) => {
    return readCell((quoted?.replaceAll('""', '"') ?? plain).trim())
  })
}

const isAddress = (text: string) => typeof readListed({ address: text }) !== 'string'

/** A line names an address and perhaps why, or several addresses. */
function givenIn(line: string, delimiter: string): { address: string; reason?: string }[] {
  const [address = '', reason, ...more] = cellsOf(line, delimiter)
  const others = [reason, ...more].flatMap((text) => text || [])
  if (others.length > 0 && others.every(isAddress))
    return [address, ...others].map((one) => ({ address: one }))
  return [reason ? { address, reason } : { address }]
}

/**
 * Reads addresses from a text, or from a table with commas, semicolons or tabs. The first cell of a line is the address, the second the
 * reason. Everything before the first sign of an address is the heading.
 */
export function readAddressList(text: string): AddressList {
  const [, delimiter = ','] = /@[^,;\t"\r\n]*"?([,;\t])/.exec(text) ?? []
  const found = new Map<string, Listed & { line: number }>()
  const faults: AddressList['faults'][number][] = []
  const lines = text.split(/\r\n|\r|\n/)
  const first = lines.findIndex((line) => line.includes('@'))
  for (const [index, content] of lines.entries()) {
    if (index < first || /^[\s,;"]*$/.test(content)) continue
    for (const given of givenIn(content, delimiter)) {
      const one = readListed(given)
      const line = index + 1
      if (typeof one === 'string') faults.push({ line, text: given.address, problem: one })
      else if (!found.has(one.address)) found.set(one.address, Object.assign(one, { line }))
    }
  }
  return { found: [...found.values()], faults }
}
