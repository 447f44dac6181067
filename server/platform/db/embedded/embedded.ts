import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import { ensureCluster, OWNER, sweep } from './embedded-cluster.ts'
import { locate, type DataPlace, prepare, readPassword } from '../embedded-place.ts'
import { addressOf, bringUp, isLastUser, stopServer, type Running } from './embedded-server.ts'

const DATABASE = 'sendreel'
/** These are the waits before each try to start a server again that has ended. After the last one the program cannot go on. */
const waits = [0, 500, 1_000, 2_000, 4_000]
/** A server that lived longer than this has not ended because it cannot live. */
const steadyMs = 10_000

type EmbeddedDatabase = {
  /** This is the postgres://… address of its owner, with password. It goes over a Unix socket except on Windows. */
  url: string
  /** This is the directory of the cluster. It is below DATA_DIR, or where DATA_DIR/database-location says. */
  dataDir: string
  started: 'initialised' | 'started' | 'adopted'
  /** Stops the server, with whatever is connected to it, unless another process of ours still uses it. */
  stop(): Promise<void>
}

type Options = {
  dataDir: string
  /** The value `false` is for tests only. */
  fsync?: boolean
  /** Hears sentences for people, when the server has ended and when it is there again. */
  tell?: (sentence: string) => void
  /** Hears once that the server could not be started again. */
  onLost?: (reason: Error) => void
}

/**
 * Brings up the PostgreSQL of this installation, or adopts it when it runs already, so that any number of processes can share it, and
 * starts it again when it ends. Throws an Error in plain words when that is not possible.
 */
export async function startEmbedded(options: Options): Promise<EmbeddedDatabase> {
  const { fsync = true } = options
  const place = locate(options.dataDir)
  prepare(place)
  const password = readPassword(place)
  const made = await ensureCluster(place, fsync)
  let leaving: Promise<void> | undefined
  const enter = async (): Promise<Running> => {
    const running = await bringUp(place, password, fsync)
    await ensureDatabase(running.session.client)
    // This session stays: it tells other processes that somebody is here, and us when the server ends.
    running.session.socket.unref()
    return running
  }
  let latest = enter()
  const up = () => (latest = enter())
  const first = await latest
  const { started } = first
  // The initdb of a process that was killed may have written on while the first sweep was at work.
  sweep(place.home)
  const hasLeft = () => leaving !== undefined
  void keep({ up, hasLeft, first, options })
  return {
    url: urlOf(place, password),
    dataDir: place.data,
    started: !started ? 'adopted' : made === 'new' ? 'initialised' : 'started',
    // This never happens in the middle of starting again, because that session, or that server, would outlive us.
    stop: () => (leaving ??= latest.catch(() => undefined).then((running) => leave(place, running))),
  }
}

type Keeping = {
  first: Running
  up: () => Promise<Running>
  hasLeft: () => boolean
  options: Options
}

/** Stays beside the server until we leave, and brings it up again whenever it has ended. */
async function keep({ first, up, hasLeft, options }: Keeping): Promise<void> {
  const { tell = () => {}, onLost = () => {} } = options
  let running: Running | undefined = first
  let falls = 0
  for (;;) {
    const since = Date.now()
    await running?.session.ended
    if (running && Date.now() - since > steadyMs) falls = 0
    const wait = waits[falls]
    if (hasLeft()) return
    if (wait === undefined)
      return onLost(new Error(`The database has ended ${falls} times in a row; it is not started again.`))
    falls += 1
    tell(`The database has ended and is started again (try ${falls} of ${waits.length}).`)
    await pause(wait)
    if (hasLeft()) return
    running = await up().catch((error: Error) => {
      tell(error.message)
      return undefined
    })
  }
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
  if (rowCount) return
  await client.query(`create database ${DATABASE}`).catch((error: unknown) => {
    // Another process was quicker.
    if (!(error instanceof DatabaseError) || !['42P04', '23505'].includes(error.code ?? '')) throw error
  })
}

function urlOf(place: DataPlace, password: string): string {
  const { host, port } = addressOf(place)
  const url = `postgres://${OWNER}:${password}@127.0.0.1:${port}/${DATABASE}`
  return place.socketDir ? `${url}?host=${encodeURIComponent(host)}` : url
}

// Whoever leaves last stops the server, no matter who started it and who else is connected; so an adopted orphan ends as well.
async function leave(place: DataPlace, running: Running | undefined): Promise<void> {
  if (!running) return
  const { session, release } = running
  session.socket.ref()
  // A server that has ended has no users any more.
  const isLast = await isLastUser(session).catch(() => false)
  if (isLast) await stopServer(place)
  else release()
  await session.client.end().catch(() => {})
}
