import Fastify from 'fastify'
import { argon2, createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import pg from 'pg'

/**
 * The barest program that keeps people correctly: token looked up on each request, one prepared statement, exact total up to
 * 10,000, a record with its entry of the audit in one statement. Its tables have no more indexes than these jobs need.
 */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const { rows: tables } = await pool.query<{ there: boolean }>(
  `select to_regclass('floor_people') is not null as there`,
)
// Several of it share the tables of the first.
if (tables[0]?.there !== true)
  await pool.query(`create table floor_people as select id, organization_id, name, email, role, state, phone, external_id, last_seen_at,
    created_at, updated_at, search, password_hash from users where deleted_at is null;
  alter table floor_people add primary key (id), alter id set default uuidv7(), alter state set default 'active',
    alter created_at set default now(), alter updated_at set default now(), alter organization_id set not null;
  create unique index on floor_people (organization_id, email);
  create index on floor_people (organization_id, lower(name), id);
  create index on floor_people using gin (organization_id, search gin_trgm_ops);
  create table floor_audit (id bigint generated always as identity primary key, at timestamptz not null default now(),
    organization_id uuid not null, actor_id uuid not null, action text not null, entity_id uuid not null, after jsonb not null);
  create index on floor_audit (organization_id, id)`)
await pool.query('vacuum analyze floor_people')

const session = {
  name: 'session',
  text: `select u.id, u.organization_id as "organizationId" from sessions s join users u on u.id = s.user_id and u.deleted_at is null
    where s.token_hash = $1 and s.revoked_at is null and s.idle_expires_at > now() and s.expires_at > now()`,
}
const columns = `id, organization_id as "organizationId", name, email, role, state, phone, external_id as "externalId",
  last_seen_at as "lastSeenAt", created_at as "createdAt", updated_at as "updatedAt"`
const everybody = 'from floor_people where organization_id = $1'
const named = 'order by lower(name), id limit $2'
const total = (of: string) => `(select count(*)::int from (select 1 ${of} limit 10001) counted) as total`
const pageOf = (of: string) => `select ${columns}, ${total(of)} ${of} ${named} offset $3`
const list = { name: 'list', text: pageOf(everybody) }
const filtered = { name: 'filtered', text: pageOf(`${everybody} and state = $4`) }
// Without a name, so that it is planned for the letters that it has.
const searched = { text: pageOf(`${everybody} and state = $4 and search like $5`) }
const behind = {
  name: 'behind',
  text: `select ${columns}, ${total(everybody)} ${everybody} and (lower(name), id) > ($3, $4::uuid) ${named}`,
}
const one = { name: 'one', text: `select ${columns} ${everybody} and id = $2` }
const create = {
  name: 'create',
  text: `with made as (insert into floor_people (organization_id, name, email, search) values ($1, $3, $4, lower($3 || ' ' || $4)) returning *),
    entry as (insert into floor_audit (organization_id, actor_id, action, entity_id, after)
      select organization_id, $2, 'user.created', id, jsonb_build_object('name', name, 'email', email) from made)
    select ${columns} from made`,
}
const account = {
  name: 'account',
  text: `select id, password_hash as hash from floor_people where email = $1 and password_hash is not null`,
}
const signedIn = {
  name: 'signed_in',
  text: `insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
    values ($1, $2, now() + interval '1 hour', now() + interval '1 day')`,
}

type Page = {
  Params: { orgId: string }
  Querystring: { limit: string; offset?: string; state?: string; q?: string; after?: string }
}
type One = { Params: { orgId: string; userId: string } }
type Made = { Params: { orgId: string }; Body: { name: string; email: string } }
type SignIn = { Body: { identifier: string; password: string } }
type Caller = { id: string; organizationId: string }

const app = Fastify()
const sha256 = (text: string) => createHash('sha256').update(text).digest()

async function callerOf(authorization: string | undefined, orgId: string): Promise<Caller | undefined> {
  const hash = sha256(authorization?.slice('Bearer '.length) ?? '')
  const { rows } = await pool.query<Caller>({ ...session, values: [hash] })
  return rows[0]?.organizationId === orgId ? rows[0] : undefined
}

function statementOf(
  { orgId }: Page['Params'],
  { limit, offset = '0', state, q, after }: Page['Querystring'],
) {
  const page = [orgId, Number(limit), Number(offset)]
  if (q !== undefined) return { ...searched, values: [...page, state, `%${q}%`] }
  if (state !== undefined) return { ...filtered, values: [...page, state] }
  if (after === undefined) return { ...list, values: page }
  const [name, id] = JSON.parse(Buffer.from(after, 'base64url').toString()) as string[]
  return { ...behind, values: [orgId, Number(limit), name, id] }
}

app.get<Page>('/api/organizations/:orgId/users', async ({ headers, params, query }, reply) => {
  if (!(await callerOf(headers.authorization, params.orgId))) return reply.status(401).send()
  const { rows } = await pool.query<{ total?: number }>(statementOf(params, query))
  const found = rows[0]?.total ?? 0
  for (const row of rows) delete row.total
  return { items: rows, total: found, offset: Number(query.offset ?? 0), limit: Number(query.limit) }
})

app.get<One>('/api/organizations/:orgId/users/:userId', async ({ headers, params }, reply) => {
  if (!(await callerOf(headers.authorization, params.orgId))) return reply.status(401).send()
  const { rows } = await pool.query<object>({ ...one, values: [params.orgId, params.userId] })
  return rows[0] ?? reply.status(404).send()
})

app.post<Made>('/api/organizations/:orgId/users', async ({ headers, params, body }, reply) => {
  const caller = await callerOf(headers.authorization, params.orgId)
  if (!caller) return reply.status(401).send()
  const { rows } = await pool.query<object>({
    ...create,
    values: [params.orgId, caller.id, body.name, body.email],
  })
  return reply.status(201).send(rows[0])
})

const derive = promisify(argon2)

app.post<SignIn>('/api/auth/login', async ({ body }, reply) => {
  const { rows } = await pool.query<{ id: string; hash: string }>({ ...account, values: [body.identifier] })
  const [, , , cost, salt = '', tag = ''] = rows[0]?.hash.split('$') ?? []
  const [memory, passes, parallelism] = cost?.match(/\d+/g)?.map(Number) ?? []
  if (!rows[0] || !memory || !passes || !parallelism) return reply.status(401).send()
  const expected = Buffer.from(tag, 'base64')
  const given = await derive('argon2id', {
    message: body.password,
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory,
    passes,
    parallelism,
  })
  if (!timingSafeEqual(given, expected)) return reply.status(401).send()
  const token = `sr_${crypto.randomUUID()}`
  await pool.query({ ...signedIn, values: [rows[0].id, sha256(token)] })
  return { token }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
const { port } = app.server.address() as AddressInfo
console.log(`The floor is ready at http://127.0.0.1:${port}`)
process.on('SIGTERM', () => process.exit(0))
