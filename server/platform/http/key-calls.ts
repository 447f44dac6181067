import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { Id, scopeOf, type EndpointDefinition } from '#contract/endpoint.ts'
import { cut } from '#contract/platform/text/text.ts'
import { requireRow, type Database } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { refuse, type Refusal } from '../errors.ts'
import { audit } from './audit.ts'
import type { Caller, CallingKey } from './bearer.ts'

/** So many calls a key may make in any minute, whichever process they come to. */
export const callsPerMinute = 600

/** A minute is counted in slices; one that any part of the minute reaches into counts whole, as in `lists/windows.ts`. */
const sliceSeconds = 5
const windowSeconds = 60 + sliceSeconds
const places = windowSeconds / sliceSeconds

const Counted = z.object({ isTaken: z.boolean(), used: z.number(), seconds: z.number() })

/** Counts one call of a key before it is made; refuses with 429 where the minute has no more, and says in headers how many are left. */
async function countCall(db: Database, { id, organizationId }: CallingKey, reply: FastifyReply) {
  const { isTaken, used, seconds } = await requireRow(
    db.single,
    Counted,
    sql`with slice as (select date_bin(make_interval(secs => ${sliceSeconds}), now(), timestamptz '2000-01-01') as began),
      earlier as (select coalesce(sum(c.count), 0)::int as n, min(c.began) as first from key_calls c, slice
        where c.account_id = ${id} and c.began > now() - make_interval(secs => ${windowSeconds}) and c.began < slice.began),
      taken as (
        insert into key_calls as k (account_id, organization_id, place, began, count)
        select ${id}, ${organizationId}::uuid, extract(epoch from slice.began)::bigint / ${sliceSeconds} % ${places}, slice.began, 1
          from slice, earlier where earlier.n < ${callsPerMinute}
        on conflict (account_id, place) do update
          set count = case when k.began = excluded.began then k.count + 1 else 1 end, began = excluded.began
          where (select n from earlier) + case when k.began = excluded.began then k.count else 0 end < ${callsPerMinute}
        returning k.count)
      select exists (select from taken) as "isTaken", (select n from earlier) + coalesce((select count from taken), 0) as used,
        ceil(extract(epoch from coalesce(earlier.first, slice.began) - now()) + ${windowSeconds})::int as seconds from slice, earlier`,
  )
  const left = isTaken ? callsPerMinute - used : 0
  reply.header('ratelimit-policy', `"calls";q=${callsPerMinute};w=60`)
  reply.header('ratelimit', `"calls";r=${left};t=${seconds}`)
  if (!isTaken) throw refuse('too_many_requests', { retryAfter: Math.max(1, seconds) })
}

/** Why a key may not make this call; undefined where it may. */
export function keyRefusal(endpoint: EndpointDefinition, { role, key }: Pick<Caller, 'role' | 'key'>) {
  const scope = scopeOf(endpoint)
  if (!key || endpoint.access.kind !== 'roles' || scope === 'public') return undefined
  if (scope === 'person') return refuse('forbidden', { reason: { code: 'needs_person' } })
  if (!key.scopes.includes(scope))
    return refuse('scope_missing', { reason: { code: 'scope_missing', params: { scope } } })
  return endpoint.access.roles.includes(role) ? undefined : refuse('forbidden')
}

type KeyCall = { what: string; refusal: Refusal | undefined; request: FastifyRequest; reply: FastifyReply }

/** Those whose call is counted and written down already: some are looked at twice, before their body is read and after. */
const admitted = new WeakSet<FastifyRequest>()

/**
 * Counts a call of a key and writes it into the audit before anything is done for it, also where it is refused for its scope: whatever is
 * answered to a key stands there. People pass.
 */
export async function admitKey(
  db: Database,
  caller: Caller,
  { what, refusal, request, reply }: KeyCall,
): Promise<void> {
  const { key } = caller
  if (!key || admitted.has(request)) return
  admitted.add(request)
  await countCall(db, key, reply)
  const [address = ''] = request.url.split('?')
  await audit(
    db.single,
    { caller, request },
    {
      organizationId: key.organizationId ?? organizationIn(request.params),
      action: refusal ? 'key.refused' : 'key.called',
      entity: 'service_account',
      entityId: key.id,
      after: { call: what, address: cut(address, 300), ...(refusal ? { refused: refusal.fault.code } : {}) },
    },
  )
  if (refusal) throw refusal
}

/** Which organization a key of the installation names in the address, so that its people read there that it called. */
function organizationIn(params: unknown): string | null {
  const found = z.object({ orgId: Id }).safeParse(params)
  return found.success ? found.data.orgId : null
}
