import Fastify from 'fastify'
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/** The barest program that lists users correctly: token looked up on each request, one prepared statement, exact total. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const app = Fastify()

const session = {
  name: 'session',
  text: `select u.organization_id as "organizationId" from sessions s join users u on u.id = s.user_id and u.deleted_at is null
    where s.token_hash = $1 and s.revoked_at is null and s.idle_expires_at > now() and s.expires_at > now()`,
}
const columns = `id, organization_id as "organizationId", name, email, role, state, phone, external_id as "externalId",
  last_seen_at as "lastSeenAt", created_at as "createdAt", updated_at as "updatedAt"`
const all = 'organization_id = $1 and deleted_at is null'
const list = {
  name: 'list',
  text: `select ${columns}, (select count(*)::int from users where ${all}) as total
    from users where ${all} order by lower(name), id limit $2 offset $3`,
}
const filtered = {
  name: 'filtered',
  text: `select ${columns}, (select count(*)::int from users where ${all} and state = $4) as total
    from users where ${all} and state = $4 order by lower(name), id limit $2 offset $3`,
}

type Address = {
  Params: { orgId: string }
  Querystring: { limit: string; offset: string; state?: string }
}

app.get<Address>('/api/organizations/:orgId/users', async (request, reply) => {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const hash = createHash('sha256').update(token).digest()
  const found = await pool.query<{ organizationId: string }>({ ...session, values: [hash] })
  if (found.rows[0]?.organizationId !== request.params.orgId) return reply.status(401).send()
  const { limit, offset, state } = request.query
  const page = [request.params.orgId, Number(limit), Number(offset)]
  const { rows } = await pool.query<{ total?: number }>(
    state === undefined ? { ...list, values: page } : { ...filtered, values: [...page, state] },
  )
  const total = rows[0]?.total ?? 0
  for (const row of rows) delete row.total
  return { items: rows, total, offset: Number(offset), limit: Number(limit) }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
const { port } = app.server.address() as AddressInfo
console.log(`The floor is ready at http://127.0.0.1:${port}`)
process.on('SIGTERM', () => process.exit(0))
