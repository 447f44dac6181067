import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ROOT } from './process.mjs'

/** What is delivered and what makes a delivery of it. Documents, translations, `e2e` and `bench` are neither. */
const rooms = ['contract', 'server', 'web', 'client', 'build', 'release', 'run']
const code = /\.(tsx?|m?js|css|sql|html)$/
const test = /\.(test|e2e)\.tsx?$/
/** What tests are set up with counts neither as product nor as a test. */
const setUp = /(^|\/)testing\//

/**
 * How large the project is, in one line, so that whoever adds to it sees what a call costs by now. Blank lines and comments count; a
 * call is an endpoint of the contract, a table one that the migrations create and do not drop again, a page an address of the web app.
 */
export function growth() {
  const files = [...rooms.flatMap(filesIn), 'run.mjs']
  const product = files.filter((file) => !test.test(file) && !setUp.test(file))
  const others = [...filesIn('e2e'), ...filesIn('bench'), 'house.test.ts']
  const tests = [...files, ...others].filter((file) => test.test(file))
  const [lines, linesOfTests] = [product, tests].map((some) => sum(some, /\n/g))
  const calls = sum(filesIn('contract'), /= endpoint\(\{/g)
  const pages = sum(['web/paths.ts'], /^ {2}\w+: \(/gm)
  return [
    `${many(lines)} product lines in ${many(product.length)} files`,
    `${many(linesOfTests)} of tests (${(linesOfTests / lines).toFixed(2)} a line)`,
    `${calls} calls (${Math.round(lines / calls)} lines a call)`,
    `${tables()} tables`,
    `${pages} pages`,
  ].join(', ')
}

function filesIn(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true })
  return names.filter((name) => code.test(name)).map((name) => `${folder}/${name.replaceAll(sep, '/')}`)
}

/** How often it stands in these files. */
function sum(files, pattern) {
  return files.reduce((all, file) => all + (read(file).match(pattern)?.length ?? 0), 0)
}

function tables() {
  const there = new Set()
  for (const file of filesIn('server/platform/db/migrations').sort())
    for (const [, created, dropped] of read(file).matchAll(
      /^CREATE TABLE (\w+)|^DROP TABLE ([\w, ]+?)(?: CASCADE)?;/gm,
    ))
      if (created) there.add(created)
      else for (const name of dropped.split(', ')) there.delete(name)
  return there.size
}

const read = (file) => readFileSync(join(ROOT, file), 'utf8')
const many = (count) => count.toLocaleString('en-US')
