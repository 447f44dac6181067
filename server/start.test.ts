import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashOf, readCatalogue } from './platform/db/catalogue.ts'
import { connect } from './platform/db/client.ts'
import { migrateDatabase } from './platform/db/migrate.ts'
import { migrations } from './platform/db/migrations.ts'
import { addressesOf } from './platform/db/roles.ts'
import { lineOf } from './platform/terminal.ts'
import { launch, openFolder, start } from './testing/process.ts'
import { startTestServer, type TestServer } from './testing/server.ts'
import { administer, withDatabase } from './testing/setup.ts'

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

async function ask(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

const nothingElse = () => Promise.resolve()
const settings = () => ({ DATABASE_URL: server.ownerUrl, DATA_DIR: folder, RUN: 'api' })

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
}, 90_000)

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
}, 60_000)

test('a program older than the tables does not start, and changes nothing', async () => {
  await administer(
    server.ownerUrl,
    `insert into migrations (name, hash) values ('9999_of_a_later_release', '')`,
  )
  const program = launch(settings())
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain('The database has been used with a newer release')
  await administer(server.ownerUrl, `delete from migrations where name = '9999_of_a_later_release'`)
}, 60_000)

test('the address of the role that serves is enough where the tables are up to date', async () => {
  const addresses = addressesOf(server.services.db.url)
  expect(addresses.owner).toBeUndefined()
  await migrateDatabase(addresses, nothingElse)
  const db = connect(addresses.serving, { max: 1 })
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
  await expect(migrateDatabase(addressesOf(server.services.db.url), nothingElse)).rejects.toThrow(
    'another form of',
  )
  await change('other', '')
})

const formerText = (name: string) =>
  readFileSync(path.join(import.meta.dirname, 'testing/former', `${name}.sql`), 'utf8')

/** What programs from before have left: their tables, and their lists of what they had made. */
const formers = {
  steps: {
    tables: ['questions', 'counters', 'names', 'figures'],
    made: 'create schema drizzle; create table drizzle.__drizzle_migrations (hash text, created_at bigint)',
  },
  initial: {
    tables: ['questions', 'counters', 'names', 'figures'],
    made: `create table migrations (name text primary key, hash text not null, made_at timestamptz not null default now());
      insert into migrations values ('0001_initial', '20f07459a04d6cdf71f0edabb0b816d6541505522b953bcf5861f624c74ae9cd')`,
  },
  second: {
    tables: ['questions', 'counters', 'names'],
    made: `create table migrations (name text primary key, hash text not null, made_at timestamptz not null default now());
      insert into migrations values ('0001_initial', '20f07459a04d6cdf71f0edabb0b816d6541505522b953bcf5861f624c74ae9cd'),
        ('0002_derived_figures', 'f9a79be477e77ab0dd1cc6980a7ca0608c241696e91bdf79e2e6c976dcae60fb')`,
  },
  counters: {
    tables: ['questions', 'counters'],
    made: `create table migrations (name text primary key, hash text not null, made_at timestamptz not null default now());
      insert into migrations values ('0001_initial', 'ec1180d1fc5e0faf1c1d17eddd5058e269cbba3336575ef7b2543ac7c94df1a5')`,
  },
  questions: {
    tables: ['questions'],
    made: `create table migrations (name text primary key, hash text not null, made_at timestamptz not null default now());
      insert into migrations values ('0001_initial', '4bab244e068d860c43a08157fc8b9b9be29557c046e4c265cb7beec1dc571937')`,
  },
}

/** With one statement more. */
async function databaseFromBefore(name: string, which: keyof typeof formers, more: string): Promise<string> {
  await administer(server.ownerUrl, `create database ${name}`)
  const url = withDatabase(server.ownerUrl, name)
  const [initial] = migrations()
  const { tables, made } = formers[which]
  await administer(url, [initial?.text, ...tables.map(formerText), made, more].join(';\n'))
  return url
}

async function catalogueOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return hashOf(await readCatalogue(client))
  } finally {
    await client.end()
  }
}

test.each([
  ['steps', 'update organizations set name = name'],
  ['initial', `insert into membership_stale (organization_id, user_id) select id, id from organizations`],
  [
    'second',
    `insert into dirty_keys (figure, organization_id, person) select 'rules', id, id from organizations`,
  ],
  [
    'counters',
    `insert into dirty_keys (figure, organization_id, person) select 'rules', id, id from organizations`,
  ],
  [
    'questions',
    `insert into dirty_keys (figure, organization_id, person) select 'rules', id, id from organizations`,
  ],
] as const)(
  'a database from before is taken over with what it holds (%s)',
  async (which, more) => {
    const name = `taken_over_${which.toLowerCase()}`
    const url = await databaseFromBefore(
      name,
      which,
      `insert into organizations (name, slug, policies) values ('Of old', 'old', '{}'); ${more}`,
    )
    await migrateDatabase(addressesOf(url), nothingElse)
    const { rows: found } = await ask(
      url,
      `select to_regnamespace('drizzle') as former, (select name from organizations) as kept,
      (select array_agg(name order by name) from migrations) as made, (select count(*)::int from dirty_keys where figure = 'rules') as waiting`,
    )
    const waiting = which === 'steps' ? 0 : 1
    const made = migrations().map(({ name: one }) => one)
    expect(found).toEqual([{ former: null, kept: 'Of old', made, waiting }])
    expect(await catalogueOf(url)).toBe(await catalogueOf(server.ownerUrl))
    await migrateDatabase(addressesOf(url), nothingElse)
    await administer(server.ownerUrl, `drop database ${name} with (force)`)
  },
  90_000,
)

test('and is refused, and left alone, where they are not', async () => {
  const url = await databaseFromBefore(
    'not_taken_over',
    'steps',
    'alter table users add column nickname text',
  )
  const program = launch({ ...settings(), DATABASE_URL: url })
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain(
    'The tables of this database are not those that this program can take over.',
  )
  expect(program.output()).toContain('begin with an empty DATA_DIR')
  expect(
    (await ask(url, `select to_regclass('migrations') as made, to_regnamespace('drizzle') as former`)).rows,
  ).toEqual([{ made: null, former: 'drizzle' }])
  await administer(server.ownerUrl, 'drop database not_taken_over with (force)')
}, 60_000)

test('nobody serves as a role that no policy binds', async () => {
  const owners = { owner: server.ownerUrl, serving: server.ownerUrl }
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
}, 60_000)

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
