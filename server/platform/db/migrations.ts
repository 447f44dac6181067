import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import * as z from 'zod/mini'
import { hasRow, rows, statementsOn } from './client.ts'
import { sql } from './sql.ts'

const folder = path.join(import.meta.dirname, 'migrations')

/** A migration is one step of the schema: a file of SQL, or a folder of such files, by subject. */
export type Migration = { name: string; text: string; hash: string }

/** Reads all migrations of this release, in the order of their numbers. */
export function migrations(): Migration[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const text = textOf(path.join(folder, name))
      // Comments are left out of the hash, because they may be improved, while what a migration does may not change.
      const done = text.replaceAll(/^\s*(--.*)?\n/gm, '')
      return { name: path.parse(name).name, text, hash: createHash('sha256').update(done).digest('hex') }
    })
}

function textOf(place: string): string {
  if (!statSync(place).isDirectory()) return readFileSync(place, 'utf8')
  const files = readdirSync(place).toSorted()
  return files.map((file) => readFileSync(path.join(place, file), 'utf8')).join('\n')
}

const AppliedMigration = z.object({ name: z.string(), hash: z.string() })

/** Reads the name and hash of those that this database has made. */
export async function madeMigrations(client: pg.Client): Promise<Map<string, string>> {
  const tx = statementsOn(client)
  if (!(await hasRow(tx, sql`select 1 where to_regclass('public.migrations') is not null`))) return new Map()
  const made = await rows(tx, AppliedMigration, sql`select name, hash from migrations`)
  return new Map(made.map(({ name, hash }) => [name, hash]))
}

/** Runs `text` and writes down that it has been done, both or neither. */
export async function make(client: pg.Client, { name, hash }: Migration, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    // A process that serves without migrating asks whether the schema is the one it knows.
    await client.query(
      `create table if not exists migrations (name text primary key, hash text not null, made_at timestamptz not null default now());
      revoke all on migrations from sendreel_app;
      grant select on migrations to sendreel_app`,
    )
    await client.query('insert into migrations (name, hash) values ($1, $2)', [name, hash])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
