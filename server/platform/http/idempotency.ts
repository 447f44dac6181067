import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { requestHeaders } from '#contract/platform/headers.ts'
import { asSystem, hasRow, row, type Tx, type Database } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { refuse } from '../errors.ts'
import { sha256 } from '../keys.ts'
import { headerOf } from './declared.ts'

type Attempt = { endpoint: EndpointDefinition; request: FastifyRequest; actorId: string; tx: Tx }
type KeptReply = { status: number; body: unknown }

function keyOf({ endpoint, request }: Attempt): string | undefined {
  const key = endpoint.idempotent ? headerOf(request, 'idempotent') : undefined
  if (key !== undefined && !requestHeaders.idempotent.schema.safeParse(key).success)
    throw refuse('invalid_request', { reason: { code: 'idempotency_key_length' } })
  return key
}

function bodyHash(attempt: Attempt): Buffer {
  return sha256(JSON.stringify([attempt.request.url, attempt.request.body ?? null]))
}

/**
 * The answer of an earlier request with the same key, if there was one. Key, work and answer share one transaction: a second
 * request with the key waits on the first one's row, and a crash leaves neither the work nor the key.
 */
export async function replayed(attempt: Attempt): Promise<KeptReply | undefined> {
  const key = keyOf(attempt)
  return key === undefined ? undefined : asSystem(attempt.tx, () => earlierAnswer(attempt, key))
}

const Earlier = z.object({ status: z.nullable(z.number()), body: z.unknown(), same: z.boolean() })

/** What is kept belongs to no organization: a superadmin's requests are kept beside all others. */
async function earlierAnswer(attempt: Attempt, key: string): Promise<KeptReply | undefined> {
  const hash = bodyHash(attempt)
  const { tx, actorId, endpoint } = attempt
  const mine = await hasRow(
    tx,
    sql`insert into idempotency_keys (actor_id, route, key, body_hash) values (${actorId}, ${endpoint.name}, ${key}, ${hash})
      on conflict (actor_id, route, key) do update set body_hash = excluded.body_hash, status = null, reply = null, created_at = now()
        where idempotency_keys.created_at < now() - interval '24 hours'
      returning 1`,
  )
  if (mine) return undefined
  const earlier = await row(
    tx,
    Earlier,
    sql`select status, reply as body, body_hash = ${hash} as same from idempotency_keys
      where actor_id = ${actorId} and route = ${endpoint.name} and key = ${key}`,
  )
  if (!earlier || earlier.status === null) throw refuse('in_progress')
  if (!earlier.same) throw refuse('idempotency_key_reused')
  return { status: earlier.status, body: earlier.body }
}

export async function remember(attempt: Attempt, answer: KeptReply): Promise<void> {
  const key = keyOf(attempt)
  if (key === undefined) return
  const { tx, actorId, endpoint } = attempt
  const kept = withoutSecret(endpoint, answer.body)
  await asSystem(tx, () =>
    tx.execute(
      sql`update idempotency_keys set status = ${answer.status}, reply = ${JSON.stringify(kept)}::jsonb
        where actor_id = ${actorId} and route = ${endpoint.name} and key = ${key}`,
    ),
  )
}

/** What is told once is null in the answer to a repeat: nothing that was kept can tell it again. */
function withoutSecret({ toldOnce }: EndpointDefinition, body: unknown): unknown {
  return toldOnce && typeof body === 'object' ? { ...body, [toldOnce]: null } : body
}

/** Answers are kept for a day. */
export const forgetAnswers = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
