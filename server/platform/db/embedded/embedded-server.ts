import '../../surroundings.ts'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, Socket } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { installBinaries, isAlive, OWNER, runTool, toolEnvironment } from './embedded-cluster.ts'
import { whyNotStarted, withMeaning } from '../embedded-faults.ts'
import { give, type DataPlace } from '../embedded-place.ts'
import { connectionLock } from '../locks.ts'

/** This is an open session of the owner. After `socket.unref()` it no longer keeps this process alive. */
export type DatabaseSession = { client: Client; socket: Socket; ended: Promise<unknown> }
export type Running = {
  session: DatabaseSession
  started: boolean
  /** Lets the server live on without us, for those who share it. */
  release: () => void
}

const PATIENCE_MS = 120_000
const LOG_LIMIT_BYTES = 20 * 1024 * 1024
// The port only names the socket file, because nothing listens on the network.
const SOCKET_PORT = 5432

/** Returns the host (or socket directory) and port of the cluster. */
export function addressOf(place: DataPlace): { host: string; port: number } {
  if (place.socketDir) return { host: place.socketDir, port: SOCKET_PORT }
  const file = join(place.home, 'port')
  return { host: '127.0.0.1', port: existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0 }
}

/** Connects to a running server. Returns undefined when there is none that accepts sessions now. */
async function reach(place: DataPlace, password: string): Promise<DatabaseSession | undefined> {
  const address = addressOf(place)
  if (address.port === 0) return undefined
  const socket = new Socket()
  const client = new Client({
    ...address,
    user: OWNER,
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'sendreel launcher',
    // It stays as long as this process, whatever an operator has decided about sessions.
    options: '-c idle_session_timeout=0 -c statement_timeout=0 -c lock_timeout=0',
    connectionTimeoutMillis: 5000,
    stream: () => socket,
  })
  client.on('error', () => {})
  const ended = new Promise((resolve) => {
    client.once('end', resolve)
  })
  try {
    await client.connect()
    return { client, socket, ended }
  } catch (error) {
    await client.end().catch(() => {})
    // A code that begins with 57P means that the server starts, stops or recovers. Everything else that it says is final.
    if (!(error instanceof DatabaseError) || error.code?.startsWith('57P')) return undefined
    throw new Error(`The database in ${place.home} refuses us: ${error.message}`, { cause: error })
  }
}

const use = connectionLock('embeddedServer')

/** Connects, and makes known that this process uses the server. Returns undefined also where its last user is just stopping it. */
async function reached(place: DataPlace, password: string): Promise<DatabaseSession | undefined> {
  const session = await reach(place, password)
  try {
    await session?.client.query(use.share, [''])
    return session
  } catch {
    await session?.client.end().catch(() => {})
    return undefined
  }
}

/** Gives the server up. Returns true for its last user, whose session then keeps everybody else waiting. */
export async function isLastUser({ client }: DatabaseSession): Promise<boolean> {
  await client.query(use.unshare, [''])
  const { rows } = await client.query<{ mine: boolean }>(use.try, [''])
  return rows[0]?.mine === true
}

/**
 * Connects to the server of a cluster, and starts one when none runs. No lock is needed: of two servers started at once on one
 * cluster, PostgreSQL ends the second, and whoever started that one then finds the first.
 */
export async function bringUp(place: DataPlace, password: string, durable: boolean): Promise<Running> {
  const began = Date.now()
  let own: Launched | undefined
  for (;;) {
    const session = await reached(place, password)
    if (session) {
      const started = own !== undefined && own.ended() === undefined
      return { session, started, release: own?.release ?? (() => {}) }
    }
    const waited = Date.now() - began
    if (!runs(place)) {
      const ended = own?.ended()
      if (ended) throw new Error(`PostgreSQL ${ended}:\n${logSince(place, own?.from ?? 0)}`)
      if (!own && remainsGone(place, waited)) own = await launch(place, durable)
    }
    if (waited > PATIENCE_MS)
      throw new Error(`PostgreSQL does not answer on ${place.data}:\n${logSince(place, own?.from ?? 0)}`)
    await pause(20)
  }
}

/** Ends what runs now, and with it all of its sessions. It does not wait with pg_ctl, which takes the next server for this one. */
export async function stopServer(place: DataPlace): Promise<void> {
  const pid = processIn(join(place.data, 'postmaster.pid'))
  if (pid === undefined) return
  const program = join(installBinaries(place), 'pg_ctl')
  await runTool(place, program, ['stop', '--no-wait', '-m', 'fast', '-D', place.data])
  const isThere = process.platform === 'win32' ? isAlive : (one: number) => isServer(one, place.data)
  while (isThere(pid)) await pause(10)
}

type Launched = { from: number; ended(): string | undefined; release: () => void }

async function launch(place: DataPlace, durable: boolean): Promise<Launched> {
  clearStale(place)
  const { log, from } = openLog(place)
  const options = { cwd: '/', env: toolEnvironment(), detached: true, ...place.owner }
  const args = await serverOptions(place, durable)
  const server = spawn(join(installBinaries(place), 'postgres'), args, {
    ...options,
    stdio: ['ignore', log, log],
  })
  let ended: string | undefined
  server.once('error', (error) => {
    const why = whyNotStarted(error, { program: 'postgres', uid: place.owner?.uid })
    ended = `was not started: ${why ?? error.message}`
  })
  server.once('exit', (code, signal) => (ended = `ended with ${signal ?? `code ${code}`}`))
  server.unref()
  closeSync(log)
  const release = process.platform === 'win32' ? () => {} : guard(server, options)
  return { from, ended: () => ended, release }
}

/**
 * Guards the server, which stands outside of our process group, so that a signal to the whole group (Ctrl-C) leaves us time to finish. A
 * shell that waits for the end of our pipe stops the server when we die without having done so, even when kill -9 hits the group. Returns
 * how to send that shell away. With `group` it kills everything that the process leads.
 */
export function guard(
  server: ChildProcess,
  { group = false, ...options }: { detached: boolean; group?: boolean },
): () => void {
  const { pid } = server
  if (pid === undefined) return () => {}
  const ending = group ? ['-KILL', `-${pid}`] : ['-INT', String(pid)]
  const shell = spawn('/bin/sh', ['-c', 'read -r _ || kill "$0" "$1"', ...ending], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {})
  shell.stdin?.on('error', () => {})
  shell.unref()
  if (shell.stdin instanceof Socket) shell.stdin.unref()
  const release = () => void shell.stdin?.end('\n')
  // Its number may soon be that of somebody else.
  server.once('exit', release)
  return release
}

// Only what must hold is given on the command line; an operator may change everything else in postgresql.conf.
async function serverOptions(place: DataPlace, durable: boolean): Promise<string[]> {
  // Commits stay synchronous in tests too: what is committed survives the death of the server.
  // What need not last is shared by several files of tests at once, each with processes of its own.
  const settings = durable ? ['fsync=on'] : ['fsync=off', 'full_page_writes=off', 'max_connections=400']
  // Details of an error hold the rows that it is about, and with them names and addresses.
  settings.push('log_error_verbosity=terse', 'log_parameter_max_length_on_error=0')
  if (place.socketDir) {
    const quoted = `"${place.socketDir.replaceAll('"', '""')}"`
    settings.push('listen_addresses=', `unix_socket_directories=${quoted}`, `port=${SOCKET_PORT}`)
  } else {
    const port = (await freePort(addressOf(place).port)) ?? (await freePort(0)) ?? 0
    writeFileSync(join(place.home, 'port'), String(port))
    settings.push('listen_addresses=127.0.0.1', `port=${port}`)
  }
  return ['-D', place.data, ...settings.flatMap((setting) => ['-c', setting])]
}

function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

function openLog({ log, owner }: DataPlace): { log: number; from: number } {
  if (existsSync(log) && statSync(log).size > LOG_LIMIT_BYTES) renameSync(log, `${log}.1`)
  const opened = openSync(log, 'a', 0o600)
  give(log, owner)
  return { log: opened, from: statSync(log).size }
}

function logSince({ log }: DataPlace, from: number): string {
  const text = readFileSync(log).subarray(from).toString('utf8')
  return withMeaning(text.trim().split('\n').slice(-15).join('\n'))
}

// After a crash the files of the dead server may name a process that is somebody else's by now (in a container often 1), and PostgreSQL
// would refuse to start. PostgreSQL itself clears files that name a dead process. Those of a server that another process of ours has just
// started must stay.
function clearStale({ data, socketDir }: DataPlace): void {
  const files = [join(data, 'postmaster.pid')]
  if (socketDir) files.push(join(socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`))
  for (const file of files) {
    const pid = processIn(file)
    if (pid && isAlive(pid) && !isServer(pid, data)) rmSync(file, { force: true })
  }
}

/** Sessions leave by themselves when their server is dead, unless they are busy computing. */
function remainsGone({ data }: DataPlace, waited: number): boolean {
  const left = processesIn(data)
  if (waited > 5000) for (const pid of left) process.kill(pid, 'SIGQUIT')
  return left.length === 0
}

function processesIn(directory: string): number[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory
    } catch {
      return false
    }
  })
}

function runs({ data }: DataPlace): boolean {
  const pid = processIn(join(data, 'postmaster.pid'))
  return pid !== undefined && isServer(pid, data)
}

/** Returns the process that a file of PostgreSQL names in its first line. */
function processIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined
  return Number(readFileSync(file, 'utf8').split('\n')[0]) || undefined
}

// This does not ask pg_ctl status, which takes any living process with that id, even a zombie, for the server.
function isServer(pid: number, data: string): boolean {
  if (process.platform === 'win32') return false
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(data)
    // A zombie has an empty command line.
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return basename(words[0] ?? '') === 'postgres' && words.includes(data)
  } catch {
    return false
  }
}
