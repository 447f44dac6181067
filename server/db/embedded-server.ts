import { execFileSync, spawn } from 'node:child_process'
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
import { SUPERUSER, toolEnvironment } from './embedded-files.ts'
import { give, type Place } from './embedded-place.ts'

/** An open session of the superuser; by `socket.unref()` it no longer keeps this process alive. */
export type Session = { client: Client; socket: Socket }

const PATIENCE_MS = 120_000
const LOG_LIMIT_BYTES = 20 * 1024 * 1024
// Only names the socket file: nothing listens on the network.
const SOCKET_PORT = 5432

/** Host (or socket directory) and port of the cluster. */
export function addressOf(place: Place): { host: string; port: number } {
  if (place.socketDir) return { host: place.socketDir, port: SOCKET_PORT }
  const file = join(place.home, 'port')
  return { host: '127.0.0.1', port: existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0 }
}

/** Connects to a running server; undefined when there is none that accepts sessions now. */
export async function reach(place: Place, password: string): Promise<Session | undefined> {
  const address = addressOf(place)
  if (address.port === 0) return undefined
  const socket = new Socket()
  const client = new Client({
    ...address,
    user: SUPERUSER,
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'sendreel launcher',
    connectionTimeoutMillis: 5000,
    stream: () => socket,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return { client, socket }
  } catch (error) {
    await client.end().catch(() => {})
    // 57P..: starting, stopping or recovering. Everything else that the server itself says is final.
    if (!(error instanceof DatabaseError) || error.code?.startsWith('57P')) return undefined
    throw new Error(`The database in ${place.home} refuses us: ${error.message}`, { cause: error })
  }
}

/** Connects to a server that runs already, waiting while it starts; undefined when none runs. */
export async function adopt(place: Place, password: string): Promise<Session | undefined> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const session = await reach(place, password)
    if (session) return session
    const pid = recordedPid(place)
    if (!pid || !isPostmaster(pid, place.data)) return undefined
    if (Date.now() > deadline) {
      throw new Error(
        `PostgreSQL (process ${pid}) runs on ${place.data}, but does not answer: see ${place.log}`,
      )
    }
    await pause(50)
  }
}

/** Starts a server that outlives this process, and connects to it. The caller has made sure that none runs. */
export async function launch(
  place: Place,
  options: { bin: string; durable: boolean; password: string },
): Promise<Session> {
  await clearStale(place)
  const { log, from } = openLog(place)
  const server = spawn(join(options.bin, 'postgres'), await serverOptions(place, options.durable), {
    ...place.owner,
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: toolEnvironment(),
  })
  let ended: string | undefined
  server.once('error', (error) => (ended = String(error)))
  server.once('exit', (code, signal) => (ended = `ended with ${signal ?? `code ${code}`}`))
  server.unref()
  closeSync(log)
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const session = await reach(place, options.password)
    if (session) return session
    if (ended) throw new Error(`PostgreSQL ${ended}:\n${logSince(place, from)}`)
    if (Date.now() > deadline) throw new Error(`PostgreSQL is still not ready: see ${place.log}`)
    await pause(15)
  }
}

// Given on the command line only what must hold; everything else an operator may change in postgresql.conf.
async function serverOptions(place: Place, durable: boolean): Promise<string[]> {
  // Commits stay synchronous in tests too: what is committed survives the death of the server.
  const settings = durable ? ['fsync=on'] : ['fsync=off', 'full_page_writes=off']
  if (place.socketDir) {
    const quoted = `"${place.socketDir.replaceAll('"', '""')}"`
    settings.push('listen_addresses=', `unix_socket_directories=${quoted}`, `port=${SOCKET_PORT}`)
  } else {
    settings.push('listen_addresses=127.0.0.1', `port=${await claimPort(place)}`)
  }
  return ['-D', place.data, ...settings.flatMap((setting) => ['-c', setting])]
}

async function claimPort(place: Place): Promise<number> {
  const port = (await freePort(addressOf(place).port)) ?? (await freePort(0))
  writeFileSync(join(place.home, 'port'), String(port))
  return port ?? 0
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

function openLog(place: Place): { log: number; from: number } {
  if (existsSync(place.log) && statSync(place.log).size > LOG_LIMIT_BYTES) {
    renameSync(place.log, `${place.log}.1`)
  }
  const log = openSync(place.log, 'a', 0o600)
  give(place.log, place.owner)
  return { log, from: statSync(place.log).size }
}

function logSince(place: Place, from: number): string {
  const text = readFileSync(place.log).subarray(from).toString('utf8')
  return text.trim().split('\n').slice(-15).join('\n')
}

// After a crash the files of the dead server may name a process id that belongs to somebody else by now
// (in a container often 1): PostgreSQL would refuse to start. They go, but only when nothing of it lives.
async function clearStale(place: Place): Promise<void> {
  for (let tenths = 0; ; tenths++) {
    const left = processesIn(place.data)
    if (left.length === 0) break
    if (tenths > 150)
      throw new Error(`Processes of a dead server still use ${place.data}: ${left.join(', ')}`)
    // Sessions leave by themselves when their server is dead, unless they are busy computing.
    if (tenths === 50) for (const pid of left) process.kill(pid, 'SIGQUIT')
    await pause(100)
  }
  rmSync(join(place.data, 'postmaster.pid'), { force: true })
  if (!place.socketDir) return
  const socket = join(place.socketDir, `.s.PGSQL.${SOCKET_PORT}`)
  for (const file of [socket, `${socket}.lock`]) rmSync(file, { force: true })
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

function recordedPid(place: Place): number | undefined {
  const file = join(place.data, 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

// Not by pg_ctl status, which takes any living process with that id, even a zombie, for the server.
function isPostmaster(pid: number, data: string): boolean {
  try {
    if (process.platform === 'win32') return false
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(data)
    }
    // A zombie has an empty command line.
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return basename(words[0] ?? '') === 'postgres' && words.includes(data)
  } catch {
    return false
  }
}
