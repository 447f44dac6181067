import pg from 'pg'
import * as z from 'zod/mini'
import { arrayOf, requireRow, statementsOn } from './client.ts'
import { oldestServer } from './earlier-servers.ts'
import type { Pooling } from './pooling.ts'
import { servingRole } from './roles.ts'
import { sql } from './sql.ts'

export const neededExtensions = ['btree_gin', 'pg_trgm', 'unaccent']

const Facts = z.object({
  version: z.number(),
  versionName: z.string(),
  isStandby: z.boolean(),
  hasIcu: z.boolean(),
  encoding: z.string(),
  database: z.string(),
  role: z.string(),
  isBegun: z.boolean(),
  maySchema: z.boolean(),
  mayDatabase: z.boolean(),
  mayRoles: z.boolean(),
  hasRole: z.boolean(),
  hasQueue: z.boolean(),
  unavailable: z.array(z.string()),
  forbidden: z.array(z.string()),
})
type Facts = z.infer<typeof Facts>

/** Everything is asked in one statement that any PostgreSQL since 13 understands and any role may ask. */
async function factsOf(client: pg.Client): Promise<Facts> {
  return requireRow(
    statementsOn(client),
    Facts,
    sql`select current_setting('server_version_num')::int as version,
      split_part(current_setting('server_version'), ' ', 1) as "versionName",
      pg_is_in_recovery() as "isStandby",
      exists (select from pg_collation where collprovider = 'i') as "hasIcu",
      (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()) as encoding,
      current_database()::text as database, current_user::text as role,
      to_regclass('public.migrations') is not null as "isBegun",
      coalesce(has_schema_privilege(to_regnamespace('public'), 'create') and has_schema_privilege(to_regnamespace('public'), 'usage'), false) as "maySchema",
      has_database_privilege(current_database(), 'create') as "mayDatabase",
      (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as "mayRoles",
      exists (select from pg_roles where rolname = ${servingRole}) as "hasRole",
      to_regnamespace('pgboss') is not null as "hasQueue",
      array(select n from unnest(${arrayOf(neededExtensions, 'text')}) n
        where n not in (select name from pg_available_extensions) and n not in (select extname from pg_extension)) as unavailable,
      array(select n from unnest(${arrayOf(neededExtensions, 'text')}) n
        where n not in (select extname from pg_extension) and not coalesce((select bool_or(v.superuser is false or r.rolsuper
            or (v.trusted and has_database_privilege(current_database(), 'create')))
          from pg_available_extension_versions v, pg_roles r where v.name = n and r.rolname = current_user), false)) as forbidden`,
  )
}

const quoted = pg.escapeIdentifier

/** What is wrong with a database, each with the sentence that says what to do. All are looked at, so that all are told at once. */
const rules: { isWrong: (facts: Facts) => boolean; says: (facts: Facts) => string }[] = [
  {
    isWrong: ({ version }) => version < oldestServer,
    says: ({ versionName }) => `It is PostgreSQL ${versionName}, and 16, 17 or 18 is needed.`,
  },
  {
    isWrong: ({ isStandby }) => isStandby,
    says: () =>
      'It is a standby, where nothing can be written. Let the address lead to the primary, or wait until this one has become it.',
  },
  {
    isWrong: ({ version, hasIcu }) => version < 170_000 && !hasIcu,
    says: () =>
      'This PostgreSQL was built without ICU, which version 16 needs to compare names. Take 17 or 18.',
  },
  {
    isWrong: ({ encoding }) => encoding !== 'UTF8',
    says: ({ encoding, database }) =>
      `Its encoding is ${encoding}, which does not hold every name. Make another: CREATE DATABASE ${quoted(`${database}_utf8`)} ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C';`,
  },
  {
    isWrong: ({ maySchema, isBegun }) => !maySchema && !isBegun,
    says: ({ role }) =>
      `The role ${role} may make no tables. Run there as its owner: CREATE SCHEMA IF NOT EXISTS public; GRANT USAGE, CREATE ON SCHEMA public TO ${quoted(role)};`,
  },
  {
    isWrong: ({ mayDatabase, hasQueue }) => !mayDatabase && !hasQueue,
    says: ({ role, database }) =>
      `The role ${role} may make no schema for the queue of jobs. Run as its owner: GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(role)};`,
  },
  {
    isWrong: ({ unavailable }) => unavailable.length > 0,
    says: ({ unavailable }) =>
      `It does not have ${unavailable.join(', ')}, which come with PostgreSQL. Install its package of contributed modules (postgresql-contrib), or choose an offer that has them.`,
  },
  {
    isWrong: ({ forbidden, unavailable }) => forbidden.some((name) => !unavailable.includes(name)),
    says: ({ role, forbidden }) =>
      `The role ${role} may not add what comes with PostgreSQL. Run there as an administrator: ${forbidden.map((name) => `CREATE EXTENSION ${name};`).join(' ')}`,
  },
  {
    isWrong: ({ hasRole, mayRoles }) => !hasRole && !mayRoles,
    says: ({ role }) =>
      `The role ${role} may make no role for the server to log in with. Run as an administrator: CREATE ROLE ${servingRole} LOGIN PASSWORD '…'; and name that role in DATABASE_URL, and ${role} in DATABASE_OWNER_URL.`,
  },
]

/** Throws one sentence for each thing without which the tables could not be made, before anything is changed. Returns the version. */
export async function requireReady(client: pg.Client): Promise<number> {
  const facts = await factsOf(client)
  const wrong = rules.filter(({ isWrong }) => isWrong(facts)).map(({ says }) => says(facts))
  if (wrong.length > 0)
    throw new Error(
      [`The database ${facts.database} cannot be used yet; nothing was changed.`, ...wrong].join('\n  '),
    )
  return facts.version
}

/** What the driver and the server say where nobody gets in, and what to do then. */
const refusals: { says: RegExp; todo: (url: URL) => string }[] = [
  {
    says: /no encryption|SSL off/,
    todo: () =>
      'The server wants an encrypted connection. Add ?sslmode=verify-full at the end of the address (or no-verify, which trusts whoever answers).',
  },
  {
    says: /^(28P01|28000)|password authentication failed/,
    todo: ({ username }) =>
      `The role ${decodeURIComponent(username)} is not let in. Compare name and password with those of the server (signs such as / and @ are written as %2F and %40), and look into its pg_hba.conf.`,
  },
  {
    says: /does not support SSL/,
    todo: () =>
      'The server does not encrypt connections. Take sslmode out of the address, or switch ssl on there.',
  },
  {
    says: /self-signed|unable to (verify|get)|certificate|altnames/i,
    todo: () =>
      'The certificate of the server is not trusted. Name the authority that signed it: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem, or NODE_EXTRA_CA_CERTS.',
  },
  {
    says: /^3D000/,
    todo: ({ pathname }) =>
      `There is no such database. Make it: CREATE DATABASE ${quoted(decodeURIComponent(pathname.slice(1)))} ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C';`,
  },
  {
    says: /startup parameter/i,
    todo: () =>
      'A pooler stands in between. Set DATABASE_POOL=session or DATABASE_POOL=transaction, as it is configured: see docs/operating.md.',
  },
  {
    says: /^53300|too many connections|no more connections/i,
    todo: () =>
      'The server takes no more connections. Lower DATABASE_CONNECTIONS of the processes, or raise max_connections there.',
  },
  {
    says: /ENOTFOUND|EAI_AGAIN/,
    todo: ({ hostname }) => `Nobody knows the name ${hostname}.`,
  },
  {
    says: /ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|timeout/,
    todo: ({ host }) =>
      `Nobody answers at ${host}. Look whether the server runs and may be reached from here.`,
  },
]

/**
 * Opens a connection to an address that an operator has named. Throws a sentence that says what to do where nobody gets in; it shows no
 * password.
 */
export async function openClient(connectionString: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis, options })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw saidOfRefusal(error, connectionString)
  }
}

const connectionTimeoutMillis = 10_000

/** Returns the same error in words that say what to do, or as it is where nothing is known about it. */
export function saidOfRefusal(error: unknown, connectionString: string): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const refusal = refusals.find(({ says }) => says.test(code) || says.test(error.message))
  const url = new URL(connectionString)
  if (refusal === undefined) return error
  return new Error(`The database at ${url.host} cannot be reached. ${refusal.todo(url)} (${error.message})`, {
    cause: error,
  })
}

const Way = z.object({ patience: z.string(), backend: z.number() })

/**
 * Makes sure that the way to the database is the one that the settings tell of. What a pooler drops or hands to another connection without
 * a word (limits, the scope of a transaction, locks) would be missed much later.
 */
export async function requireWay(serving: string, pooling: Pooling | undefined): Promise<void> {
  if (pooling === 'transaction') return
  const ask = async (client: pg.Client) =>
    requireRow(
      statementsOn(client),
      Way,
      sql`select current_setting('statement_timeout') as patience, pg_backend_pid() as backend`,
    )
  const given = pooling === undefined ? '-c statement_timeout=30001' : undefined
  const one = await openClient(serving, given)
  const other = await openClient(serving, given)
  try {
    const { patience, backend } = await ask(one)
    if (given !== undefined && patience !== '30001ms')
      throw new Error(
        'A pooler between this process and its database drops the settings of a connection. Set DATABASE_POOL=session or DATABASE_POOL=transaction, as it is configured: see docs/operating.md.',
      )
    if (backend === (await ask(other)).backend)
      throw new Error(
        'A pooler between this process and its database hands connections on after each transaction. Set DATABASE_POOL=transaction, and DATABASE_DIRECT_URL to the address past it: see docs/operating.md.',
      )
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}
