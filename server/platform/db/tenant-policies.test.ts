import { aServer } from '../../testing/worlds.ts'
import pg from 'pg'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { asSystem, hasRow, passOf, rows } from './client.ts'
import { sql } from './sql.ts'
import { scopeKey } from './roles.ts'
import { Id } from './rows.ts'

const server = await aServer()
const mine = await server.organization('Mine')
const foreign = await server.organization('Foreign')
const person = (await server.person('admin', mine)).id
await server.person('admin', foreign)
await server.services.db.system.query(`select add_track_day('2031-01-02')`)

const inMine = <T>(work: Parameters<typeof server.services.db.as<T>>[1]) =>
  server.services.db.as({ organizationId: mine }, work)

const Open = z.object({ name: z.string() })

test('every table has a tenant policy, each partition of its own, but for what belongs to nobody', async () => {
  const open = await server.services.db.as('system', (tx) =>
    rows(
      tx,
      Open,
      sql`select c.relname as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not (c.relrowsecurity and exists (select 1 from pg_policy p where p.polrelid = c.oid)) order by 1`,
    ),
  )
  // Keyed hashes; hashes and ids of the audit's chain; migrations; rates of sending and its guard; where files lie; the model that recognises speech; runs of this program; public keys; and a key nobody reads.
  const chain = ['audit_chain', 'audit_unsealed']
  const ofNobody = [
    'attempts',
    ...chain,
    'file_stores',
    'migrations',
    'scope_keys',
    'send_lanes',
    'sending_guard',
    'served_runs',
    'signing_keys',
    'speech_models',
    'visitor_counts',
  ]
  expect(open.map(({ name }) => name)).toEqual(ofNobody)
})

test('a query that forgets the organization sees only its own', async () => {
  expect(await inMine((tx) => rows(tx, Id, sql`select id from organizations`))).toEqual([{ id: mine }])
  expect(await inMine((tx) => rows(tx, Id, sql`select distinct organization_id as id from users`))).toEqual([
    { id: mine },
  ])
})

test('nothing can be written into another organization, nor moved there', async () => {
  const insert = sql`insert into groups (organization_id, name) values (${foreign}, 'Theirs')`
  await expect(inMine((tx) => tx.execute(insert))).rejects.toMatchObject({ cause: { code: '42501' } })
  const move = sql`update users set organization_id = ${foreign} where organization_id = ${mine}`
  await expect(inMine((tx) => tx.execute(move))).rejects.toMatchObject({ cause: { code: '42501' } })
  const rename = sql`update users set name = 'Taken over' where organization_id = ${foreign} returning id`
  expect(await inMine((tx) => rows(tx, Id, rename))).toEqual([])
})

test('without an organization nothing is seen at all', async () => {
  const client = new pg.Client({ connectionString: server.services.db.url })
  await client.connect()
  try {
    expect((await client.query('select id from users')).rows).toEqual([])
  } finally {
    await client.end()
  }
})

test('the scope of one transaction does not reach into the next on the same connection', async () => {
  await server.services.db.as('system', (tx) => hasRow(tx, sql`select 1`))
  expect(await inMine((tx) => rows(tx, Id, sql`select id from organizations`))).toEqual([{ id: mine }])
})

test('history cannot be rewritten', async () => {
  for (const change of [sql`update audit set action = 'nothing'`, sql`delete from audit`])
    await expect(inMine((tx) => tx.execute(change))).rejects.toMatchObject({ cause: { code: '42501' } })
})

const Plan = z.object({ 'QUERY PLAN': z.string() })

test('the tenant policy reads the settings once per statement, not once per row', async () => {
  const plan = await inMine((tx) =>
    rows(tx, Plan, sql`explain (costs off) select id from users where name = 'Ada'`),
  )
  const filter = plan.map((line) => line['QUERY PLAN']).find((line) => line.includes('organization_id'))
  expect(filter).toContain('InitPlan')
  expect(filter).not.toContain('current_setting')
})

/** Tables and partitions of which this connection sees rows of the other organization. */
async function foreignTables(client: pg.Client): Promise<string[]> {
  const tables = await client.query<{ name: string; key: string }>(
    `select c.oid::regclass::text as name, a.attname as key from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
        and (a.attname = 'organization_id' or c.relname = 'organizations' and a.attname = 'id')`,
  )
  const persons = ['sessions', 'flows', 'totp_factors', 'passkeys', 'recovery_codes', 'devices']
  const asked = [
    ...tables.rows.map(({ name, key }) => [name, `${key} is distinct from '${mine}'`]),
    ...persons.map((name) => [name, `user_id is distinct from '${person}'`]),
    ...['idempotency_keys', 'setup_links', 'pgboss.job', 'pgboss.job_common'].map((name) => [name, 'true']),
  ].map(
    ([name, isForeign]) => `select '${name}' as name where exists (select from ${name} where ${isForeign})`,
  )
  const found = await answered(client, asked.join(' union all '))
  expect(await answered(client, 'select key from scope_keys')).toEqual([])
  return found.map(({ name }) => name)
}

/** Nothing, where the database refuses. */
async function answered(client: pg.Client, text: string): Promise<{ name: string }[]> {
  try {
    return (await client.query<{ name: string }>(text)).rows
  } catch (error) {
    expect(error).toMatchObject({ code: '42501' })
    return []
  }
}

const asServing = async (work: (client: pg.Client) => Promise<void>) => {
  const client = new pg.Client({ connectionString: server.services.db.url })
  await client.connect()
  try {
    const pass = passOf(scopeKey(server.services.db.url), { organizationId: mine })
    await client.query(`select set_config('app.scope', $1, false)`, [pass])
    expect((await client.query('select id from organizations')).rows).toEqual([{ id: mine }])
    await work(client)
  } finally {
    await client.end()
  }
}

/** Whatever a statement that was smuggled in may try, logged in as the role that serves and within its own organization. */
const attempts = (): string[] => [
  'reset all',
  'set role none',
  'reset role',
  'set role sendreel',
  'set session authorization sendreel',
  'set row_security = off',
  'set session_replication_role = replica',
  ...['users', 'sessions', 'deliveries_0'].flatMap((table) => [
    `alter table ${table} disable row level security`,
    `drop policy tenant on ${table}`,
    `create policy open on ${table} using (true)`,
  ]),
  'alter role sendreel_app bypassrls',
  'grant sendreel to sendreel_app',
  `create or replace function app_scope() returns text language sql return 'system'`,
  `create function steal() returns setof users language sql security definer as 'select * from users'`,
  `update scope_keys set key = 'known'`,
  `insert into scope_keys (role, key) values ('sendreel_app', 'known')`,
  ...['app.system', 'app.settling', 'app.cause'].map((name) => `select set_config('${name}', 'on', false)`),
  `select set_config('app.organization', '${foreign}', false)`,
  `select set_config('app.actor', '${foreign}', false)`,
  ...['system', foreign].flatMap((scope) => [
    `select set_config('app.scope', '${scope}', false)`,
    `select set_config('app.scope', '${scope}:', false)`,
    `select set_config('app.scope', '${scope}:' || split_part(current_setting('app.scope'), ':', 2), false)`,
    `select set_config('app.scope', '${scope}:' || encode(sha256(convert_to('${scope}:', 'UTF8')), 'hex'), false)`,
  ]),
  `insert into migrations (name, hash) values ('9999_of_nobody', '')`,
  `select add_track_day('2031-01-01')`,
  `select drop_track_day('2020-01-01')`,
  `select erase_audit_details((select array_agg(id) from audit), '${foreign}', '${foreign}')`,
  `select add_tenant_policy('users', 'id')`,
  `copy (select 1) to program 'true'`,
]

test('only the key of the system opens what belongs to others, and not the key itself', async () => {
  await asServing(async (client) => {
    const pass = passOf(scopeKey(server.services.db.url), 'system')
    await client.query(`select set_config('app.scope', $1, false)`, [pass])
    expect(await foreignTables(client)).toEqual(
      expect.arrayContaining(['organizations', 'users', 'sessions']),
    )
  })
})

test('what a transaction does for the system at the same time leaves it in its own organization', async () => {
  const names = await inMine(async (tx) => {
    const all = () => asSystem(tx, () => rows(tx, Id, sql`select id from organizations`))
    const nested = () => asSystem(tx, all)
    const found = await Promise.all([all(), nested(), all()])
    return [
      ...found.map((each) => each.length),
      (await rows(tx, Id, sql`select id from organizations`)).length,
    ]
  })
  expect(names).toEqual([2, 2, 2, 1])
})

test('whoever serves can lift the tenant policy by no statement', async () => {
  for (const attempt of attempts())
    await asServing(async (client) => {
      await client.query(attempt).catch(() => undefined)
      expect([attempt, await foreignTables(client)]).toEqual([attempt, []])
    })
}, 120_000)

test('nor by any switch of the database', async () => {
  await asServing(async (client) => {
    const { rows: switches } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where vartype = 'bool' and context = 'user' and name <> 'exit_on_error'`,
    )
    expect(switches.length).toBeGreaterThan(40)
    for (const { name, setting } of switches)
      await client
        .query(`select set_config($1, $2, false)`, [name, setting === 'on' ? 'off' : 'on'])
        .catch(() => undefined)
    expect(await foreignTables(client)).toEqual([])
  })
})

test('the role that serves owns nothing, and is a member of nothing', async () => {
  const found = await server.services.db.system.query(
    `select r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb, session_user = current_user as "isItself",
        exists (select from pg_auth_members m where m.member = r.oid) as "isMember",
        exists (select from pg_class c where c.relowner = r.oid) or exists (select from pg_proc p where p.proowner = r.oid) as "owns"
      from pg_roles r where r.rolname = session_user`,
  )
  expect(found.rows).toEqual([
    {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      isItself: true,
      isMember: false,
      owns: false,
    },
  ])
})

test('a day of the raw log has its tenant policy from the moment it is made', async () => {
  await server.services.db.system.query(`select add_track_day('2031-03-04')`)
  const found = await server.services.db.system.query(
    `select count(*)::int as n from pg_policy where polrelid = 'track_batches_20310304'::regclass`,
  )
  expect(found.rows).toEqual([{ n: 1 }])
})
