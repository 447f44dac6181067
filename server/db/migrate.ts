import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import * as z from 'zod/mini'
import { drizzle, migrate } from './drizzle.ts'
import { connectionLock } from './locks.ts'
import { scopeKey, servingRole, type Addresses } from './roles.ts'
import { keepWords } from './words.ts'

const migrationsFolder = path.join(import.meta.dirname, 'migrations')

type Install = (url: string) => Promise<void>

/**
 * Brings the schema up to date as the owner of the database, runs `install` for what others keep in it (the queue), and lets the role in
 * that serves. Servers that start at once take turns. Without an owner's address it only makes sure that the schema is this release's.
 */
export async function migrateDatabase({ owner, serving }: Addresses, install: Install): Promise<void> {
  const client = new pg.Client({ connectionString: owner ?? serving })
  await client.connect()
  try {
    const steps = Journal.parse(
      JSON.parse(readFileSync(path.join(migrationsFolder, 'meta/_journal.json'), 'utf8')),
    )
    const newest = Math.max(...steps.entries.map(({ when }) => when))
    if (owner === undefined) return requireSchema(await newestStep(client), newest)
    await client.query(connectionLock('migration').wait, [''])
    refuseNewer(await newestStep(client), newest)
    await migrate(drizzle(client), { migrationsFolder })
    await keepWords(client)
    await install(owner)
    await letIn(client, serving)
  } finally {
    await client.end()
  }
}

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) })

/** When the newest step was written that this database has made; 0 for an empty one. */
async function newestStep(client: pg.Client): Promise<number> {
  const there = await client.query<{ is: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as is`,
  )
  if (!there.rows[0]?.is) return 0
  const found = await client.query<{ newest: string | null }>(
    'select max(created_at)::text as newest from drizzle.__drizzle_migrations',
  )
  return Number(found.rows[0]?.newest ?? 0)
}

function refuseNewer(found: number, newest: number): void {
  if (found > newest)
    throw new Error(
      'The database has been used with a newer release of this program, which this one would damage. Start that release, or go back to a backup from before.',
    )
}

function requireSchema(found: number, newest: number): void {
  refuseNewer(found, newest)
  if (found < newest)
    throw new Error(
      'The database is not up to date. Start the program once with DATABASE_OWNER_URL, the address of the owner of its tables.',
    )
}

/**
 * Gives the serving role its password, unless it has that already (a role belongs to all databases of a server), and its key. Throws when
 * it is one that no policy binds.
 */
async function letIn(client: pg.Client, serving: string): Promise<void> {
  const { username, password } = new URL(serving)
  const role = decodeURIComponent(username)
  if (role === servingRole && !(await mayLogIn(serving)))
    await client.query(
      `alter role ${servingRole} with login password ${pg.escapeLiteral(decodeURIComponent(password))}`,
    )
  const found = await client.query<{ bound: boolean }>(
    `select not rolsuper and not rolbypassrls and pg_has_role(oid, '${servingRole}', 'usage')
        and not pg_has_role(oid, (select relowner from pg_class where oid = 'public.users'::regclass), 'member') as bound
      from pg_roles where rolname = $1`,
    [role],
  )
  if (found.rows[0]?.bound !== true)
    throw new Error(
      `DATABASE_URL names the role ${role}, which may do more than serve or is no member of ${servingRole}. Let it name ${servingRole}: see docs/operating.md`,
    )
  await client.query(
    'insert into scope_keys (role, key) values ($1, $2) on conflict (role) do update set key = excluded.key where scope_keys.key <> excluded.key',
    [role, scopeKey(serving)],
  )
}

async function mayLogIn(serving: string): Promise<boolean> {
  const visitor = new pg.Client({ connectionString: serving })
  visitor.on('error', () => undefined)
  try {
    await visitor.connect()
    return true
  } catch {
    return false
  } finally {
    await visitor.end().catch(() => undefined)
  }
}
