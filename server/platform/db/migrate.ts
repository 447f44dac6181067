import pg from 'pg'
import { hasRow, statementsOn } from './client.ts'
import { connectionLock } from './locks.ts'
import { madeMigrations, make, migrations, type Migration } from './migrations.ts'
import { scopeKey, servingRole, type Addresses } from './roles.ts'
import { sql } from './sql.ts'

type Install = (url: string) => Promise<void>

/**
 * Brings the schema up to date as the owner of the database, runs `install` for what others keep in it (the queue), and lets the role in
 * that serves. Servers that start at once take turns. Without an owner's address it only makes sure that the schema is this release's.
 */
export async function migrateDatabase({ owner, serving }: Addresses, install: Install): Promise<void> {
  const client = new pg.Client({ connectionString: owner ?? serving })
  await client.connect()
  try {
    if (owner === undefined) return requireAll(await missing(client))
    await client.query(connectionLock('migration').wait, [''])
    for (const migration of await missing(client)) await make(client, migration, migration.text)
    await install(owner)
    await letIn(client, serving)
  } finally {
    await client.end()
  }
}

/** Returns what this database has still to make. Refuses when it has made something else. */
async function missing(client: pg.Client): Promise<Migration[]> {
  const all = migrations()
  const made = await madeMigrations(client)
  const known = new Set(all.map(({ name }) => name))
  if ([...made.keys()].some((name) => !known.has(name)))
    throw new Error(
      'The database has been used with a newer release of this program, which this one would damage. Start that release, or go back to a backup from before.',
    )
  const other = all.find(({ name, hash }) => made.has(name) && made.get(name) !== hash)
  if (other)
    throw new Error(
      `The tables of this database were made by another form of the migration ${other.name}. Start the program that made them, or begin with an empty DATA_DIR.`,
    )
  return all.filter(({ name }) => !made.has(name))
}

function requireAll(lacking: readonly Migration[]): void {
  if (lacking.length > 0)
    throw new Error(
      'The database is not up to date. Start the program once with DATABASE_OWNER_URL, the address of the owner of its tables.',
    )
}

/**
 * Gives the serving role its password, unless it has that already (a role belongs to all databases of a server), and its key. Throws when
 * it is a role that no policy binds.
 */
async function letIn(client: pg.Client, serving: string): Promise<void> {
  const { username, password } = new URL(serving)
  const role = decodeURIComponent(username)
  if (role === servingRole && !(await mayLogIn(serving)))
    await client.query(
      `alter role ${servingRole} with login password ${pg.escapeLiteral(decodeURIComponent(password))}`,
    )
  const isBound = await hasRow(
    statementsOn(client),
    sql`select 1 from pg_roles where rolname = ${role} and not rolsuper and not rolbypassrls
      and pg_has_role(oid, ${servingRole}, 'usage')
      and not pg_has_role(oid, (select relowner from pg_class where oid = 'public.users'::regclass), 'member')`,
  )
  if (!isBound)
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
