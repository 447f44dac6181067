import { parseArgs } from 'node:util'
import { draw } from './draw.ts'
import { readList, readResults } from './list.ts'
import { tryFaults } from './try.ts'

const usage =
  'Usage: node bench/faults/main.ts draw [--seed <n>] | try <name of the results> | compare <before> <after>'

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
  const [command, before, after] = positionals
  if (command === 'draw') draw(Number(values.seed ?? Math.floor(Math.random() * 1e6)))
  else if (command === 'try' && before) {
    tryFaults(before)
    summarize(before)
  } else if (command === 'compare' && before && after) compare(before, after)
  else throw new Error(usage)
}

function summarize(name: string): void {
  const results = readResults(name)
  const found = results.filter(({ foundBy }) => foundBy !== null)
  const inBrowser = found.filter(({ foundBy }) => foundBy?.includes('.e2e.ts'))
  console.log(`${found.length} of ${results.length} found, ${inBrowser.length} of them in the browser`)
}

/** What was found before and is not after. */
function compare(before: string, after: string): void {
  const idsFound = (name: string) =>
    readResults(name).flatMap(({ id, foundBy }) => (foundBy === null ? [] : [id]))
  const lost = idsFound(before).filter((id) => !idsFound(after).includes(id))
  for (const { id, file, before: line } of readList().faults.filter((fault) => lost.includes(fault.id)))
    console.log(`${id} ${file}: ${line}`)
  console.log(`${lost.length} lost`)
  if (lost.length > 0) process.exitCode = 1
}

main()
