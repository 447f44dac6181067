import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import * as z from 'zod/mini'
import { hasRow, requireRow, row, statementsOn } from './client.ts'
import { makeUpFor, textFor } from './earlier-servers.ts'
import { connectionLock, locks } from './locks.ts'
import { madeMigrations, make, migrations, type Migration } from './migrations.ts'
import { openClient, requireReady, saidOfRefusal } from './preconditions.ts'
import { scopeKey, servingRole, type Addresses } from './roles.ts'
import { sql } from './sql.ts'

type Install = (url: string) => Promise<void>

/**
 * Brings the schema up to date as the owner of the database, runs `install` for what others keep in it (the queue), and lets the role in
 * that serves. Servers that start at once take turns. Without an owner's address it only makes sure that the schema is this release's.
 * Throws a sentence, before anything is changed, where something is missing that only somebody else can give.
 */
export async function migrateDatabase(
  { owner, direct }: Addresses,
  install: Install,
  tell: (sentence: string) => void = () => undefined,
): Promise<void> {
  const client = await openClient(owner ?? direct)
  try {
    if (owner === undefined) return requireAll(await missing(client))
    await requireReady(client)
    const isLetIn = await requireServing(client, direct)
    await takeTurn(client, tell)
    await bringUpToDate(client, await missing(client))
    await install(owner)
    await letIn(client, { serving: direct, isLetIn })
  } finally {
    await client.end()
  }
}

/** Makes these migrations, in their order. What only the first one of an installation did is looked for before, each time. */
export async function bringUpToDate(client: pg.Client, all: readonly Migration[]): Promise<void> {
  if (all.length === 0) return
  const version = await versionOf(client)
  // A table that somebody holds for long would keep everybody waiting who comes after us.
  await client.query(`set lock_timeout = '60s'`)
  try {
    await makeRole(client)
    await makeUpFor(client, version)
    for (const migration of all) await make(client, migration, textFor(migration, version))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '55P03') throw error
    throw new Error(
      `A table of this database is held by somebody else${await oldestOf(client)}, so that it could not be changed within a minute; what was begun was undone. Wait until that has ended, or end it, and start again.`,
      { cause: error },
    )
  } finally {
    await client.query('reset lock_timeout')
  }
}

/** Two installations that begin at once on one server make it once. */
async function makeRole(client: pg.Client): Promise<void> {
  const isThere = await hasRow(
    statementsOn(client),
    sql`select 1 from pg_roles where rolname = ${servingRole}`,
  )
  if (isThere) return
  await client.query(`do $$ begin
    create role ${servingRole} nologin nobypassrls;
  exception when duplicate_object or unique_violation then null;
  end $$`)
}

const Version = z.object({ version: z.number() })
const versionOf = async (client: pg.Client) =>
  (
    await requireRow(
      statementsOn(client),
      Version,
      sql`select current_setting('server_version_num')::int as version`,
    )
  ).version

const Session = z.object({ pid: z.number(), name: z.nullable(z.string()), place: z.nullable(z.string()) })
type Session = z.infer<typeof Session>

const sessionColumns = sql`a.pid, nullif(a.application_name, '') as name, host(a.client_addr) as place`

const nameOf = ({ pid, name, place }: Session) =>
  `process ${pid} of the server${name === null ? '' : `, ${name}`}${place === null ? '' : ` from ${place}`}`

/** Names the transaction that has been open for longest. */
async function oldestOf(client: pg.Client): Promise<string> {
  const found = await row(
    statementsOn(client),
    Session,
    sql`select ${sessionColumns} from pg_stat_activity a where a.datname = current_database() and a.pid <> pg_backend_pid()
      and a.xact_start is not null order by a.xact_start limit 1`,
  )
  return found ? ` (perhaps by ${nameOf(found)})` : ''
}

const turn = connectionLock('migration')
const Taken = z.object({ mine: z.boolean() })
const patience = { tellMs: 2_000, mostMs: 600_000, betweenMs: 250 }

/** Waits until no other process changes the tables. Who that is, is said while one waits. */
export async function takeTurn(client: pg.Client, tell: (sentence: string) => void): Promise<void> {
  const began = performance.now()
  let isTold = false
  for (;;) {
    const { rows: found } = await client.query<z.infer<typeof Taken>>(turn.try, [''])
    if (found[0]?.mine === true) return
    const waited = performance.now() - began
    if (waited > patience.mostMs) {
      const { name, pid } = await holderOf(client)
      throw new Error(
        `For ten minutes ${name} has been at the tables of this database. If it is at nothing any more, end it: SELECT pg_terminate_backend(${pid}); then start again.`,
      )
    }
    if (waited > patience.tellMs && !isTold) {
      const { name } = await holderOf(client)
      tell(`Waiting, because ${name} is at the tables of this database.`)
      isTold = true
    }
    await pause(patience.betweenMs)
  }
}

/** Names the process that is at the tables now, as far as it can still be seen. */
async function holderOf(client: pg.Client): Promise<{ name: string; pid: number | '…' }> {
  const found = await row(
    statementsOn(client),
    Session,
    sql`select ${sessionColumns} from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = ${sql.raw(String(locks.migration))} and l.objsubid = 2
        and l.database = (select oid from pg_database where datname = current_database()) limit 1`,
  )
  return found ? { name: nameOf(found), pid: found.pid } : { name: 'another process', pid: '…' }
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

const ServingFacts = z.object({
  hasRole: z.boolean(),
  mayAlter: z.boolean(),
  mayLogIn: z.boolean(),
  elsewhere: z.array(z.string()),
})

const roleOf = (serving: string) => decodeURIComponent(new URL(serving).username)

/** Makes sure that a role can be let in that serves, before anything is changed for it. Returns whether it can log in already. */
async function requireServing(client: pg.Client, serving: string): Promise<boolean> {
  const role = roleOf(serving)
  const refusal = await whyNot(serving)
  if (refusal === undefined) return true
  const facts = await requireRow(
    statementsOn(client),
    ServingFacts,
    sql`select exists (select from pg_roles where rolname = ${role}) as "hasRole",
      coalesce((select rolcanlogin from pg_roles where rolname = ${role}), false) as "mayLogIn",
      coalesce((select bool_or(o.rolsuper or (o.rolcreaterole and pg_has_role(o.oid, r.oid, 'member with admin option')))
        from pg_roles o, pg_roles r where o.rolname = current_user and r.rolname = ${role}), false) as "mayAlter",
      array(select distinct d.datname::text from pg_shdepend s join pg_database d on d.oid = s.dbid join pg_roles r on r.oid = s.refobjid
        where s.refclassid = 'pg_authid'::regclass and r.rolname = ${role} and d.datname <> current_database()
          and d.datdba <> (select oid from pg_roles where rolname = current_user) order by 1) as elsewhere`,
  )
  // It is made with the first tables.
  if (role === servingRole && !facts.hasRole) return false
  if (role !== servingRole) throw saidOfRefusal(refusal, serving)
  if (facts.mayLogIn && facts.elsewhere.length > 0)
    throw new Error(
      `The role ${servingRole} serves another database of this server already (${facts.elsewhere.join(', ')}). Give this one a role of its own: CREATE ROLE sendreel_second LOGIN PASSWORD '…' IN ROLE ${servingRole}; then name that role in DATABASE_URL, and the owner in DATABASE_OWNER_URL. Nothing was changed.`,
    )
  if (!facts.mayAlter)
    throw new Error(
      `The role ${servingRole} is there, and may not be given a password by this owner. Run as an administrator: ALTER ROLE ${servingRole} LOGIN PASSWORD '…'; then name that role with its password in DATABASE_URL, and the owner in DATABASE_OWNER_URL. Nothing was changed.`,
    )
  return false
}

/**
 * Gives the serving role its password, unless it has that already (a role belongs to all databases of a server), and its key. Throws when
 * it is a role that no policy binds.
 */
async function letIn(
  client: pg.Client,
  { serving, isLetIn }: { serving: string; isLetIn: boolean },
): Promise<void> {
  const role = roleOf(serving)
  if (role === servingRole && !isLetIn)
    await client.query(
      `alter role ${servingRole} with login password ${pg.escapeLiteral(decodeURIComponent(new URL(serving).password))}`,
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

/** Returns why a role cannot log in; undefined where it can. */
async function whyNot(serving: string): Promise<Error | undefined> {
  const visitor = new pg.Client({ connectionString: serving })
  visitor.on('error', () => undefined)
  try {
    await visitor.connect()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await visitor.end().catch(() => undefined)
  }
}
