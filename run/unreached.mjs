import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { failure, ROOT } from './process.mjs'

/** Fails for every statement of the product of which no test has compared a row with the schema that it names. */
export function requireReached(folder) {
  const reached = new Set(
    (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
      readFileSync(path.join(folder, name), 'utf8').split('\n'),
    ),
  )
  const missing = statements().filter((place) => !reached.has(place))
  if (missing.length > 0)
    throw failure(
      `No test reaches a row of these statements, so nobody knows their types:\n${missing.join('\n')}`,
      1,
    )
}

const names = '(rows?|requireRow|insertedId|read(Count|List|Stretch))'
const readers = new RegExp(`import \\{[^}]*\\b${names}\\b[^}]*\\} from '[^']*(client|rows|list)\\.ts'`)
const reading = new RegExp(`(?<![\\w.])${names}\\(`)

/** Where a statement is asked for its rows, by platform/db/client.ts, platform/db/rows.ts or platform/http/lists/list.ts. */
function statements() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return files
    .split('\n')
    .filter(
      (file) =>
        file.endsWith('.ts') &&
        !/\.test\.ts$|^server\/(testing\/|platform\/(db\/(client|rows)|http\/lists\/list)\.ts)/.test(file),
    )
    .flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8')
      if (!readers.test(text)) return []
      return text.split('\n').flatMap((line, n) => (reading.test(line) ? [`${file}:${n + 1}`] : []))
    })
}
