import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { standardOwner } from './platform/db/embedded-place.ts'
import { connectionLock } from './platform/db/locks.ts'
import { hasEngines, newPassword, startEngine, type Engine } from './testing/database/engines.ts'
import { hasPooler, startPooler, type Pooler } from './testing/database/pooler.ts'
import { askDoctor } from './testing/doctor.ts'
import { launch, openFolder, start, type Program } from './testing/processes/process.ts'
import { secret } from './testing/server.ts'

const admin = { email: 'root@example.test', password: 'a good passphrase for trying' }
const names = ['Ärger', 'İzmir', 'ISPARTA', 'Éclair', 'Øre', 'zulu', 'Ångström', 'ΣΊΣΥΦΟΣ', 'ЁЛКА']
const inOrder = ['Ångström', 'Ärger', 'Éclair', 'ISPARTA', 'İzmir', 'Öl', 'Øre', 'zulu', 'ΣΊΣΥΦΟΣ', 'ЁЛКА']

/** A PostgreSQL as companies have it, and how the program is told of it. */
describe.skipIf(!hasEngines || !hasPooler)(
  'a database of one’s own (needs the packages of PostgreSQL 15 to 17, and PgBouncer)',
  () => {
    const engines = new Map<string, Engine>()
    const poolers: Pooler[] = []
    let folder: string

    beforeAll(async () => {
      folder = await openFolder()
      for (const major of ['15', '16', '17', '18'] as const) engines.set(major, await startEngine({ major }))
    })
    afterEach(async () => {
      for (const one of poolers.splice(0)) await one.stop()
    })
    afterAll(async () => {
      for (const one of engines.values()) await one.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const engine = (major: string): Engine => {
      const found = engines.get(major)
      if (!found) throw new Error(`there is no PostgreSQL ${major}`)
      return found
    }
    const settings = (environment: Record<string, string>) => ({
      DATA_DIR: path.join(folder, crypto.randomUUID()),
      RUN: 'api,worker',
      SECRET_KEY: secret,
      ...environment,
    })
    const newDatabase = async (at: Engine, options = `encoding 'UTF8' locale 'C' template template0`) => {
      const name = `training_${crypto.randomUUID().slice(0, 8)}`
      await at.run('postgres', `create database ${name} ${options}`)
      return name
    }
    /** An owner of a database without any other right, unless it is given one. */
    const newOwner = async (at: Engine, { rights = '', database = '' } = {}) => {
      const role = { name: `owner_${crypto.randomUUID().slice(0, 8)}`, password: newPassword() }
      await at.run('postgres', `create role ${role.name} login ${rights} password '${role.password}'`)
      if (database) await at.run('postgres', `alter database ${database} owner to ${role.name}`)
      return role
    }

    /**
     * It starts, lets its administrator in, keeps what they write, finds it again in the order of the names, and the doctor finds its
     * database by the same settings.
     */
    async function foundIn(environment: Record<string, string>): Promise<string[]> {
      const file = path.join(folder, 'passphrase')
      await writeFile(file, admin.password)
      const given = settings(environment)
      const program = await start(given, ['--superadmin', admin.email, '--password-file', file])
      try {
        const ask = await signedIn(program)
        const title = `Öl ${crypto.randomUUID()}`
        expect((await ask('POST', '/api/organizations', { name: title })).status).toBe(201)
        for (const one of names)
          expect((await ask('POST', '/api/organizations', { name: `${one} ${title}` })).status).toBe(201)
        const search = encodeURIComponent(title.toLowerCase().replace('ö', 'o'))
        const list = (await (await ask('GET', `/api/organizations?q=${search}&sort=name`)).json()) as {
          items: { name: string }[]
        }
        const { findings } = await askDoctor(given)
        const found = findings.filter(({ check }) => check === 'database')
        expect(found).toContainEqual(expect.objectContaining({ code: 'database_answers' }))
        expect(found.filter(({ state }) => state === 'wrong')).toEqual([])
        return list.items.map(({ name }) => name.replace(` ${title}`, '').replace(title, 'Öl'))
      } finally {
        program.child.kill('SIGKILL')
        await program.ended
      }
    }

    /** It says in one sentence what is wrong, and ends at once. */
    async function refuses(environment: Record<string, string>): Promise<string> {
      const began = performance.now()
      const program = launch(settings(environment))
      expect(await program.ended).toBe('1')
      expect(performance.now() - began).toBeLessThan(20_000)
      return program.output()
    }

    const isUntouched = async (at: Engine, database: string) => {
      const { rows } = await at.run(
        database,
        `select (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as tables,
          (select count(*)::int from pg_namespace where nspname = 'pgboss') as queues,
          (select count(*)::int from pg_extension where extname <> 'plpgsql') as extensions`,
      )
      expect(rows).toEqual([{ tables: 0, queues: 0, extensions: 0 }])
    }

    test.each(['16', '17', '18'])('PostgreSQL %s serves', async (major) => {
      const at = engine(major)
      expect(await foundIn({ DATABASE_URL: at.url(await newDatabase(at)) })).toEqual(inOrder)
    })

    test.each([
      ['16', `encoding 'UTF8' template template0 locale 'C' locale_provider icu icu_locale 'tr-TR'`],
      ['17', `encoding 'UTF8' template template0 locale 'C' locale_provider icu icu_locale 'sv-SE'`],
    ])('PostgreSQL %s with a locale of its own sorts and finds the same', async (major, locale) => {
      const at = engine(major)
      expect(await foundIn({ DATABASE_URL: at.url(await newDatabase(at, locale)) })).toEqual(inOrder)
    })

    test('one that is too old is refused, untouched', async () => {
      const at = engine('15')
      const name = await newDatabase(at)
      expect(await refuses({ DATABASE_URL: at.url(name) })).toContain(
        `The database ${name} cannot be used yet; nothing was changed.\n  It is PostgreSQL 15`,
      )
      await isUntouched(at, name)
    })

    test('one of another encoding is refused, with the statement that makes another', async () => {
      const at = engine('17')
      const name = await newDatabase(at, `encoding 'LATIN1' locale 'C' template template0`)
      const words = await refuses({ DATABASE_URL: at.url(name) })
      expect(words).toContain('Its encoding is LATIN1')
      await isUntouched(at, name)
      await at.run('postgres', statementIn(words))
      expect(await foundIn({ DATABASE_URL: at.url(`${name}_utf8`) })).toEqual(inOrder)
    })

    test('a managed one: an owner who may make roles and is no superuser', async () => {
      const at = await startEngine({ major: '16' })
      try {
        const database = await newDatabase(at)
        const owner = await newOwner(at, { rights: 'createrole', database })
        expect(await foundIn({ DATABASE_URL: at.url(database, owner) })).toEqual(inOrder)
        // A second one of the same server needs a role of its own to log in with.
        const other = await newDatabase(at)
        const neighbour = await newOwner(at, { rights: 'createrole', database: other })
        const words = await refuses({ DATABASE_URL: at.url(other, neighbour) })
        expect(words).toContain('The role sendreel_app serves another database of this server already')
        await isUntouched(at, other)
        const role = { name: 'sendreel_second', password: newPassword() }
        await at.run('postgres', statementIn(words).replace('…', role.password))
        expect(
          await foundIn({
            DATABASE_URL: at.url(other, role),
            DATABASE_OWNER_URL: at.url(other, neighbour),
          }),
        ).toEqual(inOrder)
        expect(await foundIn({ DATABASE_URL: at.url(database, owner) })).toEqual(inOrder)
      } finally {
        await at.stop()
      }
    })

    test('two roles that an administrator has made', async () => {
      const at = await startEngine({ major: '17' })
      try {
        const database = await newDatabase(at)
        const owner = await newOwner(at, { database })
        const alone = await refuses({ DATABASE_URL: at.url(database, owner) })
        expect(alone).toContain('may make no role for the server to log in with')
        await isUntouched(at, database)
        const role = { name: 'sendreel_app', password: newPassword() }
        await at.run('postgres', statementIn(alone).replace('…', role.password))
        const still = await refuses({ DATABASE_URL: at.url(database, owner) })
        expect(still).toContain('may not be given a password by this owner')
        await isUntouched(at, database)
        expect(
          await foundIn({
            DATABASE_URL: at.url(database, role),
            DATABASE_OWNER_URL: at.url(database, owner),
          }),
        ).toEqual(inOrder)
        // Whoever serves alone needs no owner.
        expect(await foundIn({ DATABASE_URL: at.url(database, role) })).toEqual(inOrder)
      } finally {
        await at.stop()
      }
    })

    test('an owner who may do nothing is told everything at once', async () => {
      const at = engine('16')
      await at.run('postgres', `create role sendreel_app`).catch(() => undefined)
      const database = await newDatabase(at)
      const owner = await newOwner(at)
      const words = await refuses({ DATABASE_URL: at.url(database, owner) })
      expect(words).toContain('may make no tables')
      expect(words).toContain('may make no schema for the queue of jobs')
      expect(words).toContain('may not add what comes with PostgreSQL')
      await isUntouched(at, database)
      const statements = words.split('\n  ').slice(1).map(statementIn)
      for (const one of statements) await at.run(database, one)
      const role = { name: 'sendreel_app', password: newPassword() }
      await at.run('postgres', `alter role sendreel_app login password '${role.password}'`)
      expect(
        await foundIn({
          DATABASE_URL: at.url(database, role),
          DATABASE_OWNER_URL: at.url(database, owner),
        }),
      ).toEqual(inOrder)
    })

    test('a way in that is wrong is told in words', async () => {
      const at = engine('17')
      const said = async (url: string) => refuses({ DATABASE_URL: url })
      expect(await said(at.url('nowhere'))).toContain('CREATE DATABASE "nowhere"')
      const wrong = at.url('postgres', { name: 'postgres', password: 'wrong#word' })
      const words = await said(wrong)
      expect(words).toContain('The role postgres is not let in')
      expect(words).not.toContain('wrong')
      expect(await said('postgres://a:b@127.0.0.1:1/x')).toContain('Nobody answers at 127.0.0.1:1')
      expect(await said('postgres://a:b@nowhere.invalid/x')).toContain(
        'Nobody knows the name nowhere.invalid',
      )
      expect(await said(`${at.url('postgres')}?sslmode=no-verify`)).toContain('does not encrypt connections')
    })

    test('one that wants encrypted connections', async () => {
      const certificate = certificateIn(folder)
      const at = await startEngine({
        major: '17',
        settings: ['ssl=on', `ssl_cert_file='${certificate.cert}'`, `ssl_key_file='${certificate.key}'`],
        lets: [
          'host all postgres 127.0.0.1/32 scram-sha-256',
          'hostssl all all 127.0.0.1/32 scram-sha-256',
          'host all all 127.0.0.1/32 reject',
        ],
      })
      try {
        const database = await newDatabase(at)
        const owner = await newOwner(at, { rights: 'createrole', database })
        const url = at.url(database, owner)
        expect(await refuses({ DATABASE_URL: url })).toContain('wants an encrypted connection')
        expect(await refuses({ DATABASE_URL: `${url}?sslmode=verify-full` })).toContain('is not trusted')
        expect(
          await foundIn({ DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${certificate.cert}` }),
        ).toEqual(inOrder)
      } finally {
        await at.stop()
      }
    })

    test('while another process is at the tables, it says who, and waits', async () => {
      const at = engine('17')
      const database = await newDatabase(at)
      const neighbour = new pg.Client({
        connectionString: at.url(database),
        application_name: 'the neighbour',
      })
      await neighbour.connect()
      neighbour.on('error', () => undefined)
      await neighbour.query(connectionLock('migration').wait, [''])
      const program = launch(settings({ DATABASE_URL: at.url(database) }))
      try {
        await expect.poll(() => program.output(), { timeout: 60_000 }).toContain('Waiting, because')
        expect(program.output()).toMatch(
          /because process \d+ of the server, the neighbour from 127\.0\.0\.1 is at the tables of this database\./,
        )
        await isUntouched(at, database)
        // As when its process is killed.
        await neighbour.end()
        await expect.poll(() => program.output(), { timeout: 60_000 }).toContain(' is ready at ')
      } finally {
        program.child.kill('SIGKILL')
        await program.ended
      }
    })

    /** Two roles with passwords of their own, as a pooler wants to know them. */
    async function behind(at: Engine, mode: 'session' | 'transaction', lines: string[] = []) {
      const database = await newDatabase(at)
      const role = { name: `serving_${crypto.randomUUID().slice(0, 8)}`, password: newPassword() }
      await at.run('postgres', `create role sendreel_app`).catch(() => undefined)
      await at.run(
        'postgres',
        `create role ${role.name} login password '${role.password}' in role sendreel_app`,
      )
      const pooler = await startPooler({ port: at.port, mode, roles: [role], settings: lines })
      poolers.push(pooler)
      const direct = at.url(database, role)
      return {
        DATABASE_URL: direct.replace(`:${at.port}/`, `:${pooler.port}/`),
        DATABASE_OWNER_URL: at.url(database),
        direct,
      }
    }

    const undisclosed =
      'behind a pooler of which nothing was said, nothing begins, nor where it drops settings without a word'
    test.each(['session', 'transaction'] as const)(`${undisclosed} (%s)`, async (mode) => {
      const { direct: _direct, ...addresses } = await behind(engine('17'), mode)
      expect(await refuses(addresses)).toContain('A pooler stands in between. Set DATABASE_POOL')
      const { direct: _other, ...dropping } = await behind(engine('17'), mode, [
        'ignore_startup_parameters = options',
      ])
      expect(await refuses(dropping)).toContain('drops the settings of a connection')
    })

    test('behind a pooler in session mode', async () => {
      const { direct: _direct, ...addresses } = await behind(engine('17'), 'session')
      expect(await foundIn({ ...addresses, DATABASE_POOL: 'session' })).toEqual(inOrder)
    })

    test('behind a pooler in transaction mode, with a way past it', async () => {
      const { direct, ...addresses } = await behind(engine('17'), 'transaction')
      expect(await refuses({ ...addresses, DATABASE_POOL: 'session' })).toContain(
        'hands connections on after each transaction',
      )
      const alone = { ...addresses, DATABASE_POOL: 'transaction' }
      expect(await refuses(alone)).toContain(
        'DATABASE_DIRECT_URL has to name the same database past the pooler',
      )
      expect(await foundIn({ ...alone, DATABASE_DIRECT_URL: direct })).toEqual(inOrder)
    })
  },
)

/** The statement that a sentence tells somebody to run. */
const statementIn = (words: string): string => /\b((?:CREATE|GRANT|ALTER) .*;)/.exec(words)?.[1] ?? ''

async function signedIn({ url }: Program) {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: admin.email, password: admin.password }),
  })
  expect(answer.status).toBe(200)
  const { token } = (await answer.json()) as { token: string }
  return (method: string, at: string, body?: object) =>
    fetch(url + at, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
}

/** A certificate for 127.0.0.1 that its server may read. */
function certificateIn(folder: string): { cert: string; key: string } {
  const [cert, key] = [path.join(folder, 'server.crt'), path.join(folder, 'server.key')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  )
  const owner = process.getuid?.() === 0 ? standardOwner() : undefined
  if (owner) chownSync(key, owner.uid, owner.gid)
  return { cert, key }
}
