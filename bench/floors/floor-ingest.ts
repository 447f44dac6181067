import Fastify from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/** The barest program that keeps evidence: token verified, written with its group by one unnest, acknowledged after COMMIT. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 2 })
await pool.query(`create table if not exists floor_batches (id uuid primary key default uuidv7(), received_at timestamptz not null,
  organization_id uuid not null, session_id uuid not null, video_id uuid not null, batch bigint not null, elapsed_ms bigint not null,
  claims jsonb not null, spans jsonb not null, events jsonb not null)`)
const key = createHmac('sha256', process.env['SECRET_KEY'] ?? '')
  .update('sendreel:play')
  .digest()
const insert = {
  name: 'append',
  text: `insert into floor_batches (received_at, organization_id, session_id, video_id, batch, elapsed_ms, claims, spans, events)
    select r, o, s, v, b, e, c::jsonb, p::jsonb, x::jsonb from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[],
      $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[]) as g(r, o, s, v, b, e, c, p, x)`,
}

type Claims = { org: string; session: string; video: string; exp: number }
type Batch = { playToken: string; batch: number; elapsedMs: number; spans: number[][]; events: unknown[][] }
type Waiting = { row: unknown[]; resolve: () => void; reject: (error: unknown) => void }

let waiting: Waiting[] = []
let running = false

async function run(): Promise<void> {
  running = true
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    const values =
      insert.text.match(/\$\d/g)?.map((_mark, column) => group.map(({ row }) => row[column])) ?? []
    try {
      await pool.query({ ...insert, values })
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  running = false
}

function append(row: unknown[]): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ row, resolve, reject })
    if (!running) void run()
  })
}

function claimsOf(token: string): Claims | undefined {
  const cut = token.lastIndexOf('.')
  const expected = createHmac('sha256', key).update(token.slice(0, cut)).digest()
  const given = Buffer.from(token.slice(cut + 1), 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const claims = JSON.parse(Buffer.from(token.slice(2, cut), 'base64url').toString()) as Claims
  return claims.exp > Date.now() ? claims : undefined
}

const app = Fastify()
app.post<{ Body: Batch }>('/api/tracks', async ({ body }, reply) => {
  const claims = claimsOf(body.playToken)
  if (!claims) return reply.status(401).send()
  const { org, session, video } = claims
  const facts = [new Date(), org, session, video, body.batch, body.elapsedMs]
  await append([...facts, JSON.stringify(claims), JSON.stringify(body.spans), JSON.stringify(body.events)])
  return { ack: { spans: body.spans.at(-1)?.[0] ?? -1, events: body.events.at(-1)?.[0] ?? -1 }, next: 10_000 }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
const { port } = app.server.address() as AddressInfo
console.log(`The floor is ready at http://127.0.0.1:${port}`)
process.on('SIGTERM', () => process.exit(0))
