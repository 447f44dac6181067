import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { checkVersion, initialise, installBinaries, runTool, SUPERUSER, sweep } from './embedded-files.ts'
import { leavePointer, locate, type Place, prepare, readPassword } from './embedded-place.ts'
import { addressOf, adopt, launch, reach, type Session } from './embedded-server.ts'
import { launchLock } from './launch-lock.ts'

const DATABASE = 'sendreel'

export type EmbeddedDatabase = {
  /** postgres://… of the superuser, with password; over a Unix socket except on Windows. */
  url: string
  /** The directory of the cluster: below DATA_DIR, or where DATA_DIR/database-location says. */
  dataDir: string
  started: 'initialised' | 'started' | 'adopted'
  milliseconds: number
  /** Stops the server unless another process still uses it. Close your own sessions first. */
  stop(): Promise<void>
}

/**
 * Brings up the PostgreSQL of this installation, or adopts it when it runs already: it outlives the process
 * that started it, so that any number of processes can share it and none loses it by the crash of another.
 * `fsync: false` is for tests only. Throws an Error in plain words when that is not possible.
 */
export async function startEmbedded(options: {
  dataDir: string
  fsync?: boolean
}): Promise<EmbeddedDatabase> {
  const began = performance.now()
  const place = locate(options.dataDir)
  const unlock = await launchLock(place.home)
  try {
    const { session, password, started } = await bringUp(place, options.fsync ?? true)
    await ensureDatabase(session.client)
    // This session stays: it tells other processes that somebody is here, even when all pools are empty.
    session.socket.unref()
    let stopping: Promise<void> | undefined
    return {
      url: urlOf(place, password),
      dataDir: place.data,
      started,
      milliseconds: Math.round(performance.now() - began),
      stop: () => (stopping ??= leave(place, session, password)),
    }
  } finally {
    unlock()
  }
}

type Running = { session: Session; password: string; started: EmbeddedDatabase['started'] }

async function bringUp(place: Place, durable: boolean): Promise<Running> {
  prepare(place)
  sweep(place.home)
  const isNew = !existsSync(join(place.data, 'PG_VERSION'))
  const password = readPassword(place, isNew)
  if (!isNew) {
    checkVersion(place)
    leavePointer(place)
    const session = await adopt(place, password)
    if (session) return { session, password, started: 'adopted' }
  }
  const bin = installBinaries(place)
  if (isNew) {
    await initialise(place, bin, durable)
    leavePointer(place)
  }
  const session = await launch(place, { bin, durable, password })
  // The initdb of a process that was killed may have written on while the first sweep was at work.
  sweep(place.home)
  return { session, password, started: isNew ? 'initialised' : 'started' }
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
  if (!rowCount) await client.query(`create database ${DATABASE}`)
}

function urlOf(place: Place, password: string): string {
  const { host, port } = addressOf(place)
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`
  return place.socketDir ? `${url}?host=${encodeURIComponent(host)}` : url
}

// Whoever leaves last stops the server, no matter who started it; so an adopted orphan ends as well.
async function leave(place: Place, presence: Session, password: string): Promise<void> {
  const unlock = await launchLock(place.home)
  try {
    presence.socket.ref()
    await presence.client.end().catch(() => {})
    const session = await reach(place, password)
    if (!session) return
    const isAlone = await othersLeave(session.client)
    await session.client.end()
    if (!isAlone) return
    await runTool(place, join(installBinaries(place), 'pg_ctl'), [
      'stop',
      '-w',
      '-m',
      'fast',
      '-D',
      place.data,
    ])
  } finally {
    unlock()
  }
}

// Sessions that were closed a moment ago take some milliseconds to vanish.
async function othersLeave(client: Client): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const { rowCount } = await client.query(
      "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
    if (!rowCount) return true
    await pause(50)
  }
  return false
}
