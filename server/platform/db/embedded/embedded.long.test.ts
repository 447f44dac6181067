import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { startEmbedded } from './embedded.ts'
import { postmasterIn } from '../../../testing/processes/process.ts'
import { sendSignal, sendSignalToGroup } from '../../../testing/processes/signal.ts'
import { isAlive, runTool } from './embedded-cluster.ts'
import { locate } from '../embedded-place.ts'

const launcher = new URL('embedded.ts', import.meta.url).href
const isRoot = process.getuid?.() === 0
const Started = z.object({ url: z.string(), dataDir: z.string(), started: z.string() })
type Started = z.infer<typeof Started>

const children: ChildProcess[] = []
const garbage: string[] = []
const clusters = new Set<string>()

/** A directory that everybody may enter, unlike what mkdtemp makes. */
function openDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sendreel-test-'))
  chmodSync(directory, 0o755)
  garbage.push(directory)
  return directory
}

/** Starts the database as another process of the app would, and keeps that process until it is stopped. */
async function startElsewhere(dataDir: string, user?: { uid: number; gid: number }) {
  const app = runApp(dataDir, user)
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(app.stdout).once('line', resolve)
    app.once('exit', () => reject(new Error('the app ended before the database was there')))
  })
  const database = track(Started.parse(JSON.parse(line)))
  return { app, database }
}

function runApp(dataDir: string, user?: { uid: number; gid: number }) {
  const code = `
    import { startEmbedded } from ${JSON.stringify(launcher)}
    const { stop, ...database } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, fsync: false })
    console.log(JSON.stringify(database))
    process.once('SIGTERM', () => stop().then(() => process.exit(0)))
    setInterval(() => {}, 1000)`
  const app = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...user,
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'], HOME: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(app)
  return app
}

async function startHere(dataDir: string) {
  const database = await startEmbedded({ dataDir, fsync: false })
  track(database)
  return database
}

function track<T extends Started>(database: T): T {
  clusters.add(database.dataDir)
  return database
}

async function end(app: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  app.kill(signal)
  await once(app, 'exit')
}

/** The shell that stops the server when its starter dies. */
function guardOf(pid: number | undefined): number {
  const words = `read -r _ || kill "$0" "$1"\0-INT\0${pid}\0`
  const guard = readdirSync('/proc').find((name) => {
    const file = join('/proc', name, 'cmdline')
    return /^\d+$/.test(name) && existsSync(file) && readFileSync(file, 'utf8').endsWith(words)
  })
  return Number(guard)
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client(url)
  await client.connect()
  try {
    const result = await client.query({ text: sql, rowMode: 'array' })
    return result.rows[0]?.[0]
  } finally {
    await client.end()
  }
}

async function gone(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('there was no server')
  while (isAlive(pid)) await pause(10)
}

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const dataDir of clusters) {
    const pid = postmasterIn(dataDir)
    if (pid && pid > 1 && isAlive(pid)) {
      sendSignal(pid, 'SIGQUIT')
      await gone(pid)
    }
    rmSync(dirname(dataDir), { recursive: true, force: true })
  }
  clusters.clear()
  for (const path of garbage.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
})

describe('one installation, several processes', () => {
  it('initialises at the first start, is adopted by the second, stopped by the last', async () => {
    const dataDir = join(openDirectory(), 'data')
    const first = await startHere(dataDir)
    expect(first.started).toBe('initialised')
    await ask(first.url, "create table kept as select 'still here' as words")
    expect(statSync(join(first.dataDir, '..', 'password')).mode & 0o777).toBe(0o600)

    const second = await startElsewhere(dataDir)
    expect(second.database.started).toBe('adopted')
    const pid = postmasterIn(first.dataDir)
    await first.stop()
    expect(await ask(second.database.url, 'select words from kept')).toBe('still here')

    await end(second.app, 'SIGTERM')
    expect(postmasterIn(first.dataDir)).toBeUndefined()
    if (pid) await gone(pid)

    const again = await startHere(dataDir)
    expect(again.started).toBe('started')
    expect(await ask(again.url, 'select words from kept')).toBe('still here')
    await again.stop()
  })

  it('has no credential from the factory, and writes down what failed without whom it was about', async () => {
    const [one, two] = [
      await startHere(join(openDirectory(), 'data')),
      await startHere(join(openDirectory(), 'data')),
    ]
    const passwords = [one, two].map(({ url }) => new URL(url.replace(/^postgres(ql)?:/, 'http:')).password)
    expect(new Set(passwords).size).toBe(2)
    for (const password of passwords) expect(password).toHaveLength(32)
    for (const wrong of ['', 'postgres', passwords[1] ?? ''])
      await expect(ask(one.url.replace(`:${passwords[0]}@`, `:${wrong}@`), 'select 1')).rejects.toThrow(
        /password/,
      )
    await ask(one.url, 'create table known (email text primary key)')
    await ask(one.url, `insert into known values (lower('ADA@example.test'))`)
    const again = ask(one.url, `insert into known values (lower('ADA@example.test'))`)
    await expect(again).rejects.toThrow('duplicate key')
    const log = readFileSync(join(one.dataDir, '..', 'postgres.log'), 'utf8')
    expect(log).toContain('duplicate key value violates unique constraint')
    expect(log).not.toContain('ada@example.test')
    await one.stop()
    await two.stop()
  })

  it('gives three starts at once the same server', async () => {
    const dataDir = join(openDirectory(), 'data')
    const all = await Promise.all([1, 2, 3].map(() => startElsewhere(dataDir)))
    expect(all.filter(({ database }) => database.started === 'adopted')).toHaveLength(2)
    const asked = await Promise.all(
      all.map(({ database }) => ask(database.url, 'select pg_postmaster_start_time()::text')),
    )
    expect(new Set(asked).size).toBe(1)
  })

  it('ends with the last of them, whoever else is connected', async () => {
    const dataDir = join(openDirectory(), 'data')
    const first = await startHere(dataDir)
    const second = await startHere(dataDir)
    const operator = new Client(first.url)
    const sentAway = new Promise<Error>((resolve) => {
      operator.on('error', resolve)
    })
    await operator.connect()
    await first.stop()
    expect((await operator.query('select 1')).rowCount).toBe(1)
    await second.stop()
    expect((await sentAway).message).toContain('administrator command')
    expect(postmasterIn(first.dataDir)).toBeUndefined()
  })

  it('ends when all leave at once, and is there for whoever comes meanwhile', async () => {
    const dataDir = join(openDirectory(), 'data')
    const all = [await startHere(dataDir), await startHere(dataDir), await startHere(dataDir)]
    const [late] = await Promise.all([startHere(dataDir), ...all.map((one) => one.stop())])
    expect(await ask(late.url, 'select 1')).toBe(1)
    const more = [await startHere(dataDir), await startHere(dataDir)]
    await Promise.all([late, ...more].map((one) => one.stop()))
    expect(postmasterIn(late.dataDir)).toBeUndefined()
  })
})

describe('after a crash', () => {
  it('ends with the app that was killed, its whole process group included, and is there at the next start', async () => {
    const dataDir = join(openDirectory(), 'data')
    const { app, database } = await startElsewhere(dataDir)
    const pid = postmasterIn(database.dataDir)
    await ask(database.url, 'create table kept as select 7 as number')
    sendSignalToGroup(app.pid, 'SIGKILL')
    await gone(pid)
    expect(postmasterIn(database.dataDir)).toBeUndefined()
    const again = await startHere(dataDir)
    expect(await ask(again.url, 'select number from kept')).toBe(7)
    await again.stop()
  })

  it('adopts a server that nobody is left to stop, and stops it at the end', async () => {
    const dataDir = join(openDirectory(), 'data')
    const { app, database } = await startElsewhere(dataDir)
    const pid = postmasterIn(database.dataDir)
    sendSignal(guardOf(pid), 'SIGKILL')
    await end(app, 'SIGKILL')
    const adopter = await startHere(dataDir)
    expect(adopter.started).toBe('adopted')
    expect(postmasterIn(database.dataDir)).toBe(pid)
    await adopter.stop()
    expect(postmasterIn(database.dataDir)).toBeUndefined()
  })

  it('is started again when the server was killed, by those who use it', async () => {
    const dataDir = join(openDirectory(), 'data')
    const reported: string[] = []
    const first = track(
      await startEmbedded({ dataDir, fsync: false, tell: (sentence) => reported.push(sentence) }),
    )
    const second = await startElsewhere(dataDir)
    await ask(first.url, 'create table kept as select 7 as number')
    const present = "select count(*)::int from pg_stat_activity where application_name = 'sendreel launcher'"
    for (const times of [1, 2]) {
      const pid = postmasterIn(first.dataDir)
      sendSignal(pid, 'SIGKILL')
      await gone(pid)
      // Both: who is killed a second time while still on the way back has another sentence to tell.
      await vi.waitFor(async () => expect(await ask(first.url, present)).toBe(2), 10_000)
      expect(await ask(first.url, 'select number from kept')).toBe(7)
      expect(reported).toHaveLength(times)
      expect(postmasterIn(first.dataDir)).not.toBe(pid)
    }
    await first.stop()
    expect(await ask(second.database.url, 'select 1')).toBe(1)
    await end(second.app, 'SIGTERM')
    expect(postmasterIn(first.dataDir)).toBeUndefined()
  })

  it('leaves no server behind when it is stopped while it starts it again', async () => {
    const database = await startHere(join(openDirectory(), 'data'))
    const pid = postmasterIn(database.dataDir)
    sendSignal(pid, 'SIGKILL')
    while ([pid, undefined].includes(postmasterIn(database.dataDir))) await pause(1)
    await database.stop()
    expect(postmasterIn(database.dataDir)).toBeUndefined()
  })

  it('says so when the server cannot be started again', async () => {
    let lost: Error | undefined
    const dataDir = join(openDirectory(), 'data')
    const database = track(
      await startEmbedded({ dataDir, fsync: false, onLost: (reason) => (lost = reason) }),
    )
    writeFileSync(join(database.dataDir, 'postgresql.conf'), 'no_such_setting = 1')
    sendSignal(postmasterIn(database.dataDir), 'SIGKILL')
    await vi.waitFor(() => expect(lost?.message).toMatch(/ended 5 times in a row/), 25_000)
  })

  it('is not misled by files of a dead server that name a living process', async () => {
    const dataDir = join(openDirectory(), 'data')
    const first = await startHere(dataDir)
    const pidFile = join(first.dataDir, 'postmaster.pid')
    const lines = readFileSync(pidFile, 'utf8').split('\n')
    await first.stop()
    const stale = ['1', ...lines.slice(1)].join('\n')
    writeFileSync(pidFile, stale)
    writeFileSync(join(first.dataDir, '..', 'socket', '.s.PGSQL.5432.lock'), stale)
    const second = await startHere(dataDir)
    expect(second.started).toBe('started')
    expect(await ask(second.url, 'select 1')).toBe(1)
  })

  it('leaves nothing half made when it is killed in its first start', async () => {
    const dataDir = join(openDirectory(), 'data')
    const home = join(dataDir, 'postgres')
    const app = runApp(dataDir)
    const isInitialising = () =>
      existsSync(home) && readdirSync(home).some((name) => existsSync(join(home, name, 'base')))
    while (!isInitialising()) await pause(5)
    await end(app, 'SIGKILL')
    const database = await startHere(dataDir)
    expect(database.started).toBe('initialised')
    expect(readdirSync(home).filter((name) => name.includes('.new-'))).toEqual([])
    expect(await ask(database.url, 'select 1')).toBe(1)
  })
})

describe('places', () => {
  it.runIf(isRoot)(
    'moves out of a home that the user of the database cannot enter (needs root)',
    async () => {
      const closed = mkdtempSync(join(tmpdir(), 'sendreel-test-'))
      garbage.push(closed)
      const dataDir = join(closed, 'project', 'data')
      const first = await startHere(dataDir)
      expect(first.dataDir).toMatch(/^\/var\/lib\/sendreel\/[0-9a-f]{16}\/data$/)
      expect(readFileSync(join(dataDir, 'database-location'), 'utf8').trim()).toBe(dirname(first.dataDir))
      await ask(first.url, 'create table kept as select 7 as number')
      await first.stop()
      // Found by its note from then on, even when the home has been opened.
      chmodSync(closed, 0o755)
      const second = await startHere(dataDir)
      expect(second).toMatchObject({ started: 'started', dataDir: first.dataDir })
      expect(await ask(second.url, 'select number from kept')).toBe(7)
      await second.stop()
      rmSync(dirname(first.dataDir), { recursive: true })
      await expect(startHere(dataDir)).rejects.toThrow('which is gone')
    },
  )

  it.runIf(isRoot)('says so when the way to an existing cluster was closed (needs root)', async () => {
    const directory = openDirectory()
    const first = await startHere(join(directory, 'data'))
    await first.stop()
    chmodSync(directory, 0o700)
    await expect(startHere(join(directory, 'data'))).rejects.toThrow('cannot enter that directory')
  })

  it.runIf(isRoot && readableTo(65534))(
    'runs as an ordinary user (needs root, and a checkout that others may read)',
    async () => {
      const directory = openDirectory()
      chownSync(directory, 65534, 65534)
      const { app, database } = await startElsewhere(directory, { uid: 65534, gid: 65534 })
      expect(database.started).toBe('initialised')
      expect(statSync(`/proc/${postmasterIn(database.dataDir)}`).uid).toBe(65534)
      expect(await ask(database.url, 'select 1')).toBe(1)
      await end(app, 'SIGTERM')
      expect(postmasterIn(database.dataDir)).toBeUndefined()
      // Root takes over what an ordinary user began, as that user.
      const asRoot = await startHere(directory)
      expect(asRoot.started).toBe('started')
      expect(statSync(`/proc/${postmasterIn(database.dataDir)}`).uid).toBe(65534)
    },
  )

  it('finds a short way to the socket when the path is long or has odd characters', async () => {
    const dataDir = join(openDirectory(), `it's "one", $HOME & ${'x'.repeat(120)}`)
    const first = await startHere(dataDir)
    const socketDir = new URL(first.url).searchParams.get('host') ?? ''
    garbage.push(socketDir)
    expect(await ask(first.url, 'select 1')).toBe(1)
    const second = await startElsewhere(dataDir)
    expect(second.database).toMatchObject({ started: 'adopted', url: first.url })
    expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  })

  it('refuses a DATA_DIR that is a file, and a cluster of another version, in plain words', async () => {
    const directory = openDirectory()
    const file = join(directory, 'file')
    writeFileSync(file, '')
    await expect(startHere(file)).rejects.toThrow(`DATA_DIR ${file} cannot be used as a directory`)
    const data = join(directory, 'old', 'postgres', 'data')
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'PG_VERSION'), '17\n')
    writeFileSync(join(data, '..', 'password'), 'secret\n')
    await expect(startHere(join(directory, 'old'))).rejects.toThrow('written by PostgreSQL 17')
  })

  it('says why a program of PostgreSQL did not even start', async () => {
    const missing = join(openDirectory(), 'initdb')
    await expect(runTool(locate(openDirectory()), missing, [])).rejects.toThrow(/initdb failed: .*ENOENT/)
  })
})

function readableTo(uid: number): boolean {
  const file = fileURLToPath(import.meta.url)
  const readable = spawnSync('/bin/sh', ['-c', 'test -r "$0" && test -x "$1"', file, process.execPath], {
    uid,
    cwd: '/',
  })
  return readable.status === 0
}
