import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEngines, newPassword, startEngine, type Engine } from '../../testing/database/engines.ts'
import { hasPooler, startPooler, type Pooler } from '../../testing/database/pooler.ts'
import { installJobs, startJobs } from '../jobs/queue.ts'
import { connect, rows, type Database, type Tx } from './client.ts'
import { migrateDatabase } from './migrate.ts'
import { Id } from './rows.ts'
import { sql } from './sql.ts'

const seen = (tx: Tx) => rows(tx, Id, sql`select distinct organization_id as id from users`)
const turns = 10_000
const atOnce = 12

/** All who ask get the same connection of the pooler to PostgreSQL, one transaction after the other. */
describe.skipIf(!hasEngines || !hasPooler)(
  'behind a pooler that hands on one connection after each transaction (needs PostgreSQL 17 and PgBouncer)',
  () => {
    let engine: Engine
    let pooler: Pooler
    let db: Database
    const orgs = ['Mine', 'Foreign'].map((title) => ({ title, organizationId: '' }))

    beforeAll(async () => {
      engine = await startEngine({ major: '17' })
      const role = { name: 'sendreel_app', password: newPassword() }
      await engine.run(
        'postgres',
        `create role sendreel_app login password '${role.password}'`,
        `create database training`,
      )
      const direct = engine.url('training', role)
      await migrateDatabase({ owner: engine.url('training'), serving: direct, direct }, installJobs)
      pooler = await startPooler({ port: engine.port, mode: 'transaction', size: 1, roles: [role] })
      const behind = direct.replace(`:${engine.port}/`, `:${pooler.port}/`)
      db = connect(behind, { pooling: 'transaction', directUrl: direct, connections: 40 })
      for (const one of orgs) {
        const made = await db.query(
          'insert into organizations (name, slug, policies) values ($1, lower($1), $2) returning id',
          [one.title, {}],
        )
        one.organizationId = (made.rows[0] as { id: string }).id
        await db.query(
          `insert into users (organization_id, role, name, email, state) select $1, null, 'P ' || n, n || '@' || $2 || '.test', 'active'
            from generate_series(1, 20) n`,
          [one.organizationId, one.title.toLowerCase()],
        )
      }
    })
    afterAll(async () => {
      await db?.close()
      await pooler?.stop()
      await engine?.stop()
    })

    test(`two organizations are read by turns ${turns} times, and nobody sees a foreign row`, async () => {
      const ways = [db.reads, db.as, db.reads, db.asReport]
      let next = 0
      const foreign: unknown[] = []
      const reader = async () => {
        for (let n = next++; n < turns; n = next++) {
          const own = orgs[n % 2]
          const read = ways[n % ways.length]
          if (!own || !read) throw new Error('there is nobody to read')
          const found = await read(own, seen)
          if (found.length !== 1 || found[0]?.id !== own.organizationId) foreign.push({ n, found })
        }
      }
      await Promise.all(Array.from({ length: atOnce }, reader))
      expect(foreign).toEqual([])
      expect(next).toBeGreaterThanOrEqual(turns)
      const servers = await engine.run(
        'postgres',
        `select count(*)::int as n from pg_stat_activity where datname = 'training' and usename = 'sendreel_app'`,
      )
      expect(servers.rows).toEqual([{ n: 1 }])
    })

    test('nothing of a transaction stays on the connection for the next', async () => {
      const [mine] = orgs
      const settings = sql`select current_setting('app.scope', true) as scope, current_setting('transaction_read_only') as "isReadOnly",
        current_setting('statement_timeout') as patience, current_setting('lock_timeout') as "lockPatience"`
      const inside = await db.reads(mine ?? 'system', async (tx) => (await tx.execute(settings)).rows)
      expect(inside).toMatchObject([{ isReadOnly: 'on', patience: '30s', lockPatience: '20s' }])
      const bare = connect(db.url, { pooling: 'transaction', directUrl: db.directUrl })
      const client = await bare.system.connect()
      const { rows: outside } = await client.query(
        `select current_setting('app.scope', true) as scope, current_setting('transaction_read_only') as "isReadOnly", current_setting('statement_timeout') as patience`,
      )
      expect(outside).toEqual([{ scope: '', isReadOnly: 'off', patience: '0' }])
      expect((await client.query('select 1 from users')).rows).toEqual([])
      client.release()
      await bare.close()
    })

    test('what reads writes nothing, and waits no longer than others', async () => {
      const write = db.reads('system', (tx) => tx.execute(sql`update users set name = 'Written'`))
      await expect(write).rejects.toMatchObject({ cause: { code: '25006' } })
    })

    test('who gives up ends their own statement and nobody else’s', async () => {
      // With two connections of the pooler, one gives up while the other one works.
      const second = await startPooler({
        port: engine.port,
        mode: 'transaction',
        size: 2,
        roles: [{ name: 'sendreel_app', password: new URL(db.url).password }],
      })
      const two = connect(db.url.replace(/:\d+\//, `:${second.port}/`), {
        pooling: 'transaction',
        directUrl: db.directUrl,
      })
      try {
        const stop = new AbortController()
        const slow = two.asReport('system', (tx) => tx.execute(sql`select pg_sleep(20)`), {
          signal: stop.signal,
        })
        slow.catch(() => undefined)
        setTimeout(() => stop.abort(), 300)
        await expect(slow).rejects.toMatchObject({ cause: { code: '57014' } })
        for (let n = 0; n < 20; n += 1)
          expect((await two.as('system', (tx) => tx.execute(sql`select pg_sleep(0.02)`))).rowCount).toBe(1)
      } finally {
        await two.close()
        await second.stop()
      }
    })

    test('jobs are queued, heard of at once, and done', async () => {
      const jobs = await startJobs(db, { supervise: true, log: pino({ level: 'silent' }) })
      const done: string[] = []
      await jobs.work('doctor.trial', ({ trialId }) => {
        done.push(trialId)
        return Promise.resolve()
      })
      const trialId = crypto.randomUUID()
      await db.as('system', (tx) => jobs.send(tx, 'doctor.trial', { trialId }))
      await expect.poll(() => done, { timeout: 10_000 }).toEqual([trialId])
      await jobs.stop(0)
    })
  },
)
