import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { guard } from '#server/platform/db/embedded/embedded-server.ts'

const main = path.resolve(import.meta.dirname, '../server/main.ts')

export type Product = {
  url: string
  /** Printed while no user exists; a new one at every start. */
  setupUrl: string | undefined
  dataDir: string
  pid: number
  /** Ends the server without a chance to clean up; its database and media process are on their own. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

type Started = {
  child: ChildProcess
  url: string
  setupUrl: string | undefined
  /** What it has warned of so far. */
  warnings(): string
}

function launch(environment: Record<string, string>, options: string[]): Promise<Started> {
  const child = spawn(process.execPath, [main, ...options], {
    env: { ...process.env, HOST: '127.0.0.1', LOG_LEVEL: 'warn', UNDO_SECONDS: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A browser worker that is killed takes its product along.
  guard(child, { detached: true })
  return new Promise((resolve, reject) => {
    let output = ''
    let warned = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const url = / is ready at (\S+)\n/.exec(output)?.[1]
      // The last thing printed is an empty line, so that a setup link is never missed.
      if (url && output.endsWith('\n\n')) {
        const setupUrl = /first administrator: (\S+)/.exec(output)?.[1]
        resolve({ child, url, setupUrl, warnings: () => warned })
      }
    }
    child.stdout.on('data', read)
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      warned += chunk.toString()
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))
}

/**
 * An empty data directory that the user of the database may enter, so that its cluster lies inside and goes with it. It names the
 * process: the next run removes what one that was killed has left.
 */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `sendreel-run-${process.pid}-e2e-`))
  await chmod(folder, 0o755)
  return folder
}

/**
 * A free port that is still free after a restart: those from 32,768 on are given to whoever connects to something. Below 20,000
 * are some that a browser refuses.
 */
async function freePort(): Promise<string> {
  const port = randomInt(20_000, 32_768)
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
  return isFree ? String(port) : freePort()
}

/** The variable that names an installation which was started once, to be copied: see `prepare.ts`. */
export const PREPARED = 'SENDREEL_E2E_PREPARED'

const copy = promisify(execFile)

/**
 * The whole product as its user starts it: embedded database, a free port that stays the same, and a data directory of
 * its own unless one is named. That is an empty installation that was started before, unless the first start is given
 * options; whoever wants to see a first start names an empty folder.
 */
export async function startProduct(
  environment: Record<string, string> = {},
  options: string[] = [],
): Promise<Product> {
  const own = environment['DATA_DIR'] === undefined
  const dataDir = environment['DATA_DIR'] ?? (await openFolder())
  const prepared = process.env[PREPARED]
  // `cp` keeps owners, which the database insists on.
  if (own && prepared && options.length === 0) await copy('cp', ['-a', `${prepared}/.`, dataDir])
  let started = await launch({ PORT: await freePort(), ...environment, DATA_DIR: dataDir }, options)
  const { url } = started
  const port = new URL(url).port
  return {
    url,
    dataDir,
    get setupUrl() {
      return started.setupUrl
    },
    get pid() {
      return started.child.pid ?? 0
    },
    async kill() {
      started.child.kill('SIGKILL')
      await ended(started.child)
    },
    async restart() {
      started = await launch({ ...environment, PORT: port, DATA_DIR: dataDir }, [])
    },
    async stop() {
      started.child.kill('SIGTERM')
      await ended(started.child)
      if (own) await rm(dataDir, { recursive: true, force: true })
      const unknown = started.warnings().match(/^.*"code":"unknown_field".*$/m)
      if (unknown) throw new Error(`a page has sent what the server does not know: ${unknown[0]}`)
    },
  }
}
