import { rmSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import { runs } from '#server/testing/backup/backups.ts'
import { openFolder, startProduct } from '../e2e/product.ts'
import { signInWithApp } from './arrange.ts'
import { FigureSubjects, readFigures, signIn, untilWorkedOut } from './figures.ts'
import { keptIn, keptSecret, keptVersions, manifestOf, readJson } from './kept.ts'

const root = path.resolve(import.meta.dirname, '..')
/** Tables of earlier versions that a later migration has taken away or given another shape, each with the reason. */
const reshaped: Record<string, string> = {}
/** Earlier versions told figures under these names that no later one tells, each with the reason. */
const untold: Record<string, string> = {
  interval: 'Shares are told without a range (docs/design/questions.md).',
}

let dataDir: string | undefined
afterEach(() => {
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true })
})

const Kept = z.object({ asked: FigureSubjects, figures: z.record(z.string(), z.unknown()) })

/** Rows of each of these tables. */
async function countsOf(url: string, tables: readonly string[]): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const counts: Record<string, number> = {}
    for (const name of tables) {
      const [schema = '', table = ''] = name.split('.')
      const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${from}`)
      counts[name] = rows[0]?.count ?? 0
    }
    return counts
  } finally {
    await client.end()
  }
}

/**
 * To what a later version adds of its own: rows that say that a migration was made, the queues of its work, and what it works out anew
 * before its figures are compared.
 */
const own = new Set(['public.migrations', 'pgboss.version', 'pgboss.queue', 'public.dirty_keys'])

async function compareTables(version: string, place: string): Promise<number> {
  const tables = manifestOf(root, version)
    .tables.map(({ schema, name, rows }) => ({ name: `${schema}.${name}`, rows }))
    .filter(({ name }) => !own.has(name) && reshaped[name] === undefined)
  const embedded = await startEmbedded({ dataDir: place })
  try {
    const names = tables.map(({ name }) => name)
    expect(await countsOf(embedded.url, names)).toEqual(
      Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    )
    expect(names.filter((name) => name.startsWith('public.')).length).toBeGreaterThan(50)
  } finally {
    await embedded.stop()
  }
  return tables.length
}

const stillTold = (figures: object): object =>
  JSON.parse(
    JSON.stringify(figures, (name, value: unknown) => (Object.hasOwn(untold, name) ? undefined : value)),
  ) as object

test.each(keptVersions(root))(
  'what $version has left is brought up to date, and answers as it did',
  async ({ version }) => {
    const began = performance.now()
    const { asked, figures } = Kept.parse(readJson(keptIn(root, version).figures))
    dataDir = await openFolder()
    const settings = { DATA_DIR: dataDir, SECRET_KEY: keptSecret, MEDIA_CACHE: '1', DATABASE_URL: '' }
    const restored = await runs('restore', ['--unsigned', '--from', keptIn(root, version).backup], settings)
    expect(restored).toMatchObject({ code: 0 })
    const restoredAfter = performance.now() - began
    const tables = await compareTables(version, dataDir)
    const product = await startProduct(settings)
    try {
      const client = await signIn(product.url)
      await untilWorkedOut(dataDir)
      const present = await readFigures(product.url, client, asked)
      // What a later version answers beside that is new, and no loss.
      expect(present).toMatchObject(stillTold(figures))
      expect(present['the certificate']).toMatchObject({ isGenuine: true, verifyPage: 200 })
      expect(present['the link']).toMatchObject({ status: 200, maySendReports: true })
      expect(await signInWithApp(product.url, asked.withApp)).toBe('authenticated')
    } finally {
      await product.stop()
    }
    const seconds = (ms: number) => (ms / 1000).toFixed(1)
    console.log(
      `${version}: restored and brought up to date in ${seconds(restoredAfter)} s, ${tables} tables and ${Object.keys(figures).length} groups of figures compared after ${seconds(performance.now() - began)} s.`,
    )
  },
)
