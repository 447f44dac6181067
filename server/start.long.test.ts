import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from './platform/db/client.ts'
import { migrateDatabase } from './platform/db/migrate.ts'
import { addressesOf } from './platform/db/roles.ts'
import { lineOf } from './platform/terminal.ts'
import { launch, openFolder, start } from './testing/processes/process.ts'
import { secret, startTestServer, type TestServer } from './testing/server.ts'
import { administer } from './testing/setup.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  folder = await openFolder()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const nothingElse = () => Promise.resolve()
const settings = () => ({
  DATABASE_URL: server.ownerUrl,
  DATA_DIR: folder,
  RUN: 'api',
  SECRET_KEY: secret,
})

async function signsIn(url: string, password: string): Promise<number> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: 'root@example.test', password }),
  })
  return answer.status
}

test('the first administrator may be named again at the next start, and stays as they are', async () => {
  const file = path.join(folder, 'passphrase')
  const options = ['--superadmin', 'root@example.test', '--password-file', file]
  await writeFile(file, 'the first good passphrase')
  const first = await start(settings(), options)
  first.child.kill('SIGTERM')
  await first.ended
  await writeFile(file, 'quite another passphrase')
  const second = await start(settings(), options)
  expect(second.output()).toContain('root@example.test exists already; nothing was changed')
  expect(await signsIn(second.url, 'quite another passphrase')).toBe(401)
  expect(await signsIn(second.url, 'the first good passphrase')).toBe(200)
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe('0')
})

test('told to stop, it says that it is leaving for as long as it is to, and serves whoever still comes', async () => {
  const { child, url, ended } = await start({ ...settings(), DRAIN_SECONDS: '3' })
  const health = async () => {
    const answer = await fetch(`${url}/api/health`)
    return [answer.status, ((await answer.json()) as { status: string }).status]
  }
  expect(await health()).toEqual([200, 'ready'])
  const began = performance.now()
  child.kill('SIGTERM')
  await expect.poll(health).toEqual([503, 'leaving'])
  const served = await fetch(`${url}/api/config`)
  // Whoever keeps connections lets go of this one before the port closes.
  expect([served.status, served.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ended).toBe('0')
  expect(performance.now() - began).toBeGreaterThan(2_900)

  // At a keyboard nobody waits, nor does whoever asks twice.
  const impatient = await start({ ...settings(), DRAIN_SECONDS: '60' })
  impatient.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${impatient.url}/api/health`)).status).toBe(503)
  impatient.child.kill('SIGTERM')
  expect(await impatient.ended).toBe('1')
  const interrupted = await start({ ...settings(), DRAIN_SECONDS: '60' })
  interrupted.child.kill('SIGINT')
  expect(await interrupted.ended).toBe('0')
})

test('a port that is taken is found before the database is touched', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => {
    other.once('listening', resolve)
  })
  const { port } = other.address() as AddressInfo
  const fresh = path.join(folder, 'fresh')
  const program = launch({ DATA_DIR: fresh, PORT: String(port) })
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain(`Port ${port} is taken by another program`)
  expect(existsSync(path.join(fresh, 'postgres'))).toBe(false)
  other.close()
})

test('a program older than the tables does not start, and changes nothing', async () => {
  await administer(
    server.ownerUrl,
    `insert into migrations (name, hash) values ('9999_of_a_later_release', '')`,
  )
  const program = launch(settings())
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain('The database has been used with a newer release')
  await administer(server.ownerUrl, `delete from migrations where name = '9999_of_a_later_release'`)
})

test('the address of the role that serves is enough where the tables are up to date', async () => {
  const addresses = addressesOf({ databaseUrl: server.services.db.url })
  expect(addresses.owner).toBeUndefined()
  await migrateDatabase(addresses, nothingElse)
  const db = connect(addresses.serving)
  expect((await db.system.query('select session_user as name')).rows).toEqual([{ name: 'sendreel_app' }])
  await db.close()
  await administer(server.ownerUrl, `alter table migrations rename to forgotten`)
  await expect(migrateDatabase(addresses, nothingElse)).rejects.toThrow('DATABASE_OWNER_URL')
  await administer(server.ownerUrl, `alter table forgotten rename to migrations`)
})

test('a migration that was made in another form is refused', async () => {
  const change = (from: string, to: string) =>
    administer(
      server.ownerUrl,
      `update migrations set hash = regexp_replace(hash, '^${from}', '${to}') where name = '0001_initial'`,
    )
  await change('', 'other')
  await expect(
    migrateDatabase(addressesOf({ databaseUrl: server.services.db.url }), nothingElse),
  ).rejects.toThrow('another form of')
  await change('other', '')
})

test('nobody serves as a role that no policy binds', async () => {
  const owners = { owner: server.ownerUrl, serving: server.ownerUrl, direct: server.ownerUrl }
  await expect(migrateDatabase(owners, nothingElse)).rejects.toThrow('may do more than serve')
})

test('the log is one JSON object a line on the standard error, and lies in no file', async () => {
  const fresh = path.join(folder, 'logged')
  const program = await start({ ...settings(), DATA_DIR: fresh, LOG_LEVEL: 'info' })
  let written = ''
  program.child.stderr?.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  await fetch(`${program.url}/api/health?%0a%7b%22level%22%3a60%7d`)
  await expect.poll(() => written).toContain('request completed')
  program.child.kill('SIGTERM')
  await program.ended
  const entries = written.trim().split('\n')
  for (const entry of entries)
    expect(JSON.parse(entry)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) })
  expect(program.output()).toContain(entries[0])
  expect((await readdir(fresh, { recursive: true })).filter((name) => name.includes('log'))).toEqual([])
})

test('a terminal is told in a sentence what matters', () => {
  const entry = {
    level: 50,
    time: 1,
    msg: 'media process not started',
    err: { message: 'spawn EAGAIN', stack: '…' },
  }
  expect(lineOf(JSON.stringify(entry))).toBe('Error: media process not started: spawn EAGAIN')
  expect(lineOf(JSON.stringify({ level: 40, msg: 'slow' }))).toBe('Warning: slow')
})

test('a statement that failed is one line in a terminal, without its text, and names its request', () => {
  const message = 'Failed query: select a::text\n  from b where c = $1: the database system is starting up'
  const entry = { level: 50, msg: 'not done', err: { message }, reqId: 'a1' }
  expect(lineOf(JSON.stringify(entry))).toBe(
    'Error: not done: the database system is starting up (request a1)',
  )
})

test('a worker alone names the address at which the api beside it is met', async () => {
  const worker = await start({ ...settings(), RUN: 'worker', PORT: '4711' })
  expect(worker.url).toBe('http://127.0.0.1:4711')
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe('0')
})
