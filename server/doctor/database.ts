import * as z from 'zod/mini'
import { requireRow, row, rows, statementsOn, type Database, type Tx } from '../platform/db/client.ts'
import { connectionLock } from '../platform/db/locks.ts'
import { oldestServer } from '../platform/db/earlier-servers.ts'
import { migrations } from '../platform/db/migrations.ts'
import { neededExtensions, openClient } from '../platform/db/preconditions.ts'
import { servingRole } from '../platform/db/roles.ts'
import { numbered, sql } from '../platform/db/sql.ts'
import { processName } from '../platform/jobs/queue.ts'
import { found, type Found, type Patient } from './finding.ts'

const Server = z.object({ version: z.string(), number: z.number(), extensions: z.array(z.string()) })

/** Version, extensions, and what the two roles may do. */
export async function lookAtDatabase({ db, env, ownerUrl }: Patient): Promise<Found[]> {
  if (!db) return []
  const { version, number, extensions } = await requireRow(
    db.single,
    Server,
    sql`select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int as number, array(select extname::text from pg_extension) as extensions`,
  )
  const lacking = neededExtensions.filter((name) => !extensions.includes(name))
  return [
    found(number < oldestServer ? 'database_old' : 'database_answers', { version }),
    ...(lacking.length > 0 ? [found('extensions_missing', { names: lacking.join(', ') })] : []),
    ...(await servingFound(db.single)),
    ...(ownerUrl === undefined ? [] : [await ownerFound(ownerUrl)]),
    await locksFound(db),
    await connectionsFound(db.single, env.databaseConnections),
  ]
}

const Role = z.object({ role: z.string(), isRight: z.boolean() })
const Table = z.object({ name: z.string() })

async function servingFound(tx: Tx): Promise<Found[]> {
  const serving = await requireRow(
    tx,
    Role,
    sql`select rolname::text as role, not rolsuper and not rolbypassrls and pg_has_role(oid, ${servingRole}, 'usage')
        and not coalesce(pg_has_role(oid, (select relowner from pg_class where oid = to_regclass('public.users')), 'member'), false)
        as "isRight"
      from pg_roles where rolname = current_user`,
  )
  const open = await rows(
    tx,
    Table,
    sql`select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attname = 'organization_id' and not c.relrowsecurity order by 1 limit 10`,
  )
  return [
    found(serving.isRight ? 'role_bound' : 'role_unbound', { role: serving.role }),
    ...(open.length > 0
      ? [found('policies_missing', { tables: open.map(({ name }) => name).join(', ') })]
      : []),
  ]
}

async function ownerFound(ownerUrl: string): Promise<Found> {
  const owner = await openClient(ownerUrl)
  try {
    const { role, isRight } = await requireRow(
      statementsOn(owner),
      Role,
      sql`select current_user::text as role, coalesce(pg_has_role((select relowner from pg_class
        where oid = to_regclass('public.users')), 'member'), true) as "isRight"`,
    )
    return found(isRight ? 'owner_right' : 'owner_powerless', { role })
  } finally {
    await owner.end()
  }
}

const { try: take, release } = connectionLock('doctor')
const Taken = z.object({ mine: z.boolean() })

/** A pooler between us and the database may hand each statement to another connection: then a lock keeps nobody out. */
async function locksFound({ directUrl }: Database): Promise<Found> {
  const subject = [crypto.randomUUID()]
  const clients = await Promise.all([openClient(directUrl), openClient(directUrl)])
  const [one, other] = clients.map((client) => statementsOn(client)) as [Tx, Tx]
  const isTaken = async (tx: Tx) => (await requireRow(tx, Taken, numbered(take, subject))).mine
  try {
    const both = [await isTaken(one), await isTaken(other)]
    await one.execute(numbered(release, subject))
    const after = await isTaken(other)
    return found([...both, after].join() === 'true,false,true' ? 'locks_hold' : 'locks_lost')
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

const Connections = z.object({ processes: z.number(), most: z.number() })

/** What all processes may open together, against what the server gives. One that holds a connection to listen is at work. */
async function connectionsFound(tx: Tx, each: number): Promise<Found> {
  const { processes, most } = await requireRow(
    tx,
    Connections,
    sql`select (select count(*)::int from pg_stat_activity where datname = current_database() and application_name = ${processName}) as processes,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as most`,
  )
  const sum = processes * each
  const values = { processes: String(processes), each: String(each), sum: String(sum), most: String(most) }
  return found(sum > most ? 'connections_many' : 'connections_fit', values)
}

const Made = z.object({ name: z.string() })
const Begun = z.object({ isBegun: z.boolean() })

/** Whether this database has tables; a first start has not made any yet. */
export async function isBegun(tx: Tx): Promise<boolean> {
  const known = await row(tx, Begun, sql`select to_regclass('public.migrations') is not null as "isBegun"`)
  return known?.isBegun === true
}

export async function lookAtMigrations({ db }: Patient): Promise<Found[]> {
  if (!db) return []
  const all = migrations().map(({ name }) => name)
  const made = (await isBegun(db.single)) ? await rows(db.single, Made, sql`select name from migrations`) : []
  const names = new Set(made.map(({ name }) => name))
  const newer = made.find(({ name }) => !all.includes(name))
  if (newer) return [found('tables_newer', { name: newer.name })]
  const missing = all.filter((name) => !names.has(name))
  return missing.length > 0
    ? [found('tables_behind', { count: String(missing.length) })]
    : [found('tables_current', { count: String(all.length) })]
}
