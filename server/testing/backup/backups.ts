import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { openFolder } from '../processes/process.ts'
import { secret, startTestServer, type TestServer } from '../server.ts'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { administer, withDatabase } from '../setup.ts'
import type { StoreKind } from '../../platform/storage/store.ts'
import { addVideo } from '../viewing/viewing.ts'

const commands = {
  backup: 'backup/command.ts',
  restore: 'backup/restore/restore-command.ts',
  move: 'move/command.ts',
}

export type Ended = { code: number | null; output: string }

/** Starts `npm run backup`, `npm run restore` or `npm run move` as its user does. */
export function starts(
  name: keyof typeof commands,
  args: readonly string[],
  environment: Record<string, string>,
) {
  const file = path.resolve(import.meta.dirname, '../..', commands[name])
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  guard(child, { detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, output }))
  return { child, ended }
}

export const runs = (...given: Parameters<typeof starts>): Promise<Ended> => starts(...given).ended

/**
 * Every table of ours with its number of rows and a hash of them, whatever their order; without those in which a server that runs writes
 * that it does.
 */
export async function contentsOf(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set timezone = 'UTC'; set statement_timeout = 0`)
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname in ('public', 'pgboss') and tablename not in ('scope_keys', 'migrations', 'sending_guard', 'served_runs', 'version') order by 1`,
    )
    const found: Record<string, string> = {}
    for (const { name } of tables.rows) {
      const read = await client.query<{ text: string }>(
        `select concat(count(*), ' ', md5(string_agg(md5(t::text), '' order by md5(t::text)))) as text from ${name} t`,
      )
      found[name] = read.rows[0]?.text ?? ''
    }
    return found
  } finally {
    await client.end()
  }
}

/** Files that a restore brings back, with their hashes. */
export async function filesIn(dataDir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const top of ['uploads', 'sources', 'media'])
    for (const entry of await readdir(path.join(dataDir, top), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => [])) {
      if (!entry.isFile()) continue
      const file = path.join(entry.parentPath, entry.name)
      found[path.relative(dataDir, file)] = createHash('sha256')
        .update(await readFile(file))
        .digest('hex')
    }
  return found
}

/** A file of so many bytes, with its folders. */
export async function putFile(file: string, bytes: Buffer | string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, bytes, { mode: 0o600 })
}

/** Changes one byte in the middle. */
export async function damage(file: string): Promise<void> {
  const bytes = await readFile(file)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(file, bytes)
}

export type BackedUp = {
  server: TestServer
  /** For backups, keys and new places. */
  folder: string
  backups: string
  /** Environment of the installation. */
  from: Record<string, string> & { DATA_DIR: string }
  /** Environment of an empty one. */
  newPlace(): Promise<Place>
  names(): string[]
  close(): Promise<void>
}

type Place = { DATABASE_URL: string; DATA_DIR: string; SECRET_KEY: string }

/** An empty database and a folder that is not there yet, for a restore. */
export async function newPlace(folder: string): Promise<{ environment: Place; drop(): Promise<void> }> {
  const administered = process.env['SENDREEL_TEST_SERVER'] ?? ''
  const name = `restored_${randomBytes(6).toString('hex')}`
  await administer(administered, `create database ${name}`)
  const url = withDatabase(administered, name)
  return {
    environment: { DATABASE_URL: url, DATA_DIR: path.join(folder, name), SECRET_KEY: secret },
    drop: () => administer(administered, `drop database ${name} with (force)`),
  }
}

/** An installation with an organization, people, two videos with files and a job that waits; its server has these settings too. */
export async function backedUp(settings: Record<string, string> = {}): Promise<BackedUp> {
  const server = await startTestServer(settings)
  const folder = await openFolder()
  const made: { drop(): Promise<void> }[] = []
  const { dataDir } = server.services.env
  const backups = path.join(folder, 'backups')
  await fill(server)
  return {
    server,
    folder,
    backups,
    from: { DATABASE_URL: server.ownerUrl, DATA_DIR: dataDir, BACKUP_DIR: backups, SECRET_KEY: secret },
    async newPlace() {
      const place = await newPlace(folder)
      made.push(place)
      return place.environment
    },
    names: () =>
      readdirSync(backups)
        .filter((name) => name.startsWith('20'))
        .toSorted(),
    async close() {
      await server.close()
      for (const place of made) await place.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function fill(server: TestServer): Promise<void> {
  const organizationId = await server.organization('Acme with a\ttab, a \\ and "quotes"')
  for (let n = 0; n < 40; n++) await server.person(n === 0 ? 'admin' : null, organizationId)
  const { dataDir } = server.services.env
  for (const isWhole of [true, false]) {
    const { videoId, versionId } = await addVideo(server, { organizationId })
    const below = path.join(organizationId, videoId, versionId)
    await putFile(path.join(dataDir, 'sources', below), randomBytes(200_000))
    await putFile(path.join(dataDir, 'media', below, '360p/1.m4s'), randomBytes(100_000))
    if (isWhole)
      await server.services.db.system.query('update video_versions set uploaded_at = now() where id = $1', [
        versionId,
      ])
  }
  await putFile(path.join(dataDir, 'media', organizationId, crypto.randomUUID(), 'empty.vtt'), '')
  await server.query(`insert into served_runs (recorded_to, process_id, ended_at)
    values (now(), uuidv7(), now()), (now(), uuidv7(), null)`)
  await server.services.jobs.wake('operation.run', { operationId: crypto.randomUUID() })
}

/** Says of a version that so many bytes of its file have arrived, and the rest has not. */
export async function beginUpload(
  server: TestServer,
  versionId: string,
  { store, arrived }: { store: StoreKind; arrived: number },
): Promise<void> {
  await server.query(
    `with v as (update video_versions set received_bytes = $3 where id = $1 returning id, organization_id)
      insert into uploads (version_id, organization_id, store, store_id, arrived) select id, organization_id, $2, id::text, $3 from v`,
    [versionId, store, arrived],
  )
}
