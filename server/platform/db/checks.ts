import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'

/** This folder is set while tests run and while somebody develops. In it is written which statements have answered with a row. */
const folder = process.env['CHECK_ROWS']
const root = path.join(import.meta.dirname, '../../..')

/** These read rows for others: the place of a statement is where they are called. */
const readers = new Set(
  ['db/checks', 'db/client', 'db/rows', 'http/lists/list'].map((name) =>
    path.join(import.meta.dirname, '..', `${name}.ts`),
  ),
)
for (const file of folder === undefined ? [] : readers)
  if (!existsSync(file)) throw new Error(`${file} reads no rows any more: it is not there`)

type Schema = z.core.$ZodType

/** Returns the place of the statement that is asked for; undefined where rows are not compared. */
export function siteOfCaller(): string | undefined {
  if (folder === undefined) return undefined
  const frames = (new Error().stack ?? '')
    .split('\n')
    .map((line) => /(\/[^():]+\.ts):(\d+):\d+\)?$/.exec(line))
  const found = frames.find((frame) => frame?.[1] !== undefined && !readers.has(path.normalize(frame[1])))
  return found ? `${path.relative(root, path.normalize(found[1] ?? ''))}:${found[2]}` : 'somewhere'
}

/**
 * Compares rows with what their schema says, unknown and missing columns included, and throws with the place of the statement, but
 * without a value. In production nothing is compared.
 */
export function checkRows(schema: Schema, rows: readonly unknown[], site: string): void {
  if (rows.length > 0) note(site)
  const whole = strictly(schema)
  for (const row of rows) {
    const compared = z.safeParse(whole, row)
    if (!compared.success)
      throw new Error(`A row of ${site} is not what its schema says: ${faultsOf(compared.error)}`)
  }
}

const faultsOf = (error: z.core.$ZodError) =>
  error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ')

const known = new WeakMap<Schema, Schema>()
/** Makes a schema strict, so that it takes no column that it does not name, and misses each that it does. */
function strictly(schema: Schema): Schema {
  const strict = known.get(schema) ?? closed(schema)
  known.set(schema, strict)
  return strict
}

function closed(schema: Schema): Schema {
  if (schema instanceof z.ZodMiniUnion) return z.union(schema.def.options.map(strictly))
  if (!(schema instanceof z.ZodMiniObject)) return schema
  const names = Object.entries<Schema>(schema.shape).flatMap(([name, { _zod }]) =>
    _zod.optin === 'optional' ? [] : [name],
  )
  const missesNone = z.refine<object>((row) => names.every((name) => name in row), {
    message: 'a column is missing',
  })
  return z.strictObject(schema.shape).check(missesNone)
}

const noted = new Set<string>()
/** Notes a place at once, so that even a process that is killed has said it. */
function note(site: string): void {
  if (folder === undefined || noted.has(site)) return
  noted.add(site)
  mkdirSync(folder, { recursive: true })
  appendFileSync(path.join(folder, String(process.pid)), `${site}\n`)
}
