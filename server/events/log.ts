import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedBody, ParsedQuery } from '#contract/endpoint.ts'
import {
  EventPost,
  mostReplayed,
  type listEventPosts,
  type replayEvents,
} from '#contract/events/event-addresses.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { all, isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import { orderFrom } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import { readAddress, type AddressChange, type AddressKey } from './addresses.ts'
import { eventBody } from './body.ts'
import { queued } from './sort.ts'

const LoggedRow = z.extend(z.omit(EventPost, { request: true }), { data: z.unknown() })

const columns = sql`p.id, p.event_id as "eventId", p.type, p.state, ${isoText(sql`e.at`)} as at, ${isoText(sql`p.queued_at`)} as "queuedAt",
  p.is_replay as "isReplay", p.tries, ${isoText(sql`p.last_try_at`)} as "lastTryAt",
  ${isoText(sql`case when p.state = 'waiting' and p.tries > 0 then (select greatest(l.due_at, a.rests_until) from event_lines l
    join event_addresses a on a.id = l.address_id where l.address_id = p.address_id and l.subject = p.subject) end`)} as "nextTryAt",
  e.data, p.result, p.status, p.answer`

type Asking = AddressKey & { query: ParsedQuery<typeof listEventPosts>; request: FastifyRequest }

/** What was posted to an address, and what waits. Secrets are in none of it: what is signed is the body alone, and that is what is shown. */
export async function findPosts(tx: Tx, { query, request, orgId, eventAddressId }: Asking) {
  await readAddress(tx, { orgId, eventAddressId })
  const page = await readList(tx, {
    query,
    request,
    Row: LoggedRow,
    columns,
    from: sql`event_posts p join events e on e.id = p.event_id`,
    where: all([
      sql`p.organization_id = ${orgId} and p.address_id = ${eventAddressId}`,
      query.type && sql`p.type = ${query.type}`,
      query.state && sql`p.state = ${query.state}`,
    ]),
    order: orderFrom('-queuedAt', { queuedAt: { by: sql`p.queued_at`, type: 'timestamptz' } }, sql`p.id`),
  })
  return { ...page, items: page.items.map(toPost) }
}

function toPost({ data, ...post }: z.infer<typeof LoggedRow>): EventPost {
  return { ...post, request: eventBody({ type: post.type, at: post.at, data }) }
}

/**
 * Puts what happened in a period into the queue of an address once more, in its order and behind what waits. Of whom nothing is kept any
 * more, nothing is replayed.
 */
export async function replay(
  tx: Tx,
  { by, orgId, eventAddressId }: Omit<AddressChange, 'services'>,
  { from, to, types }: ParsedBody<typeof replayEvents>,
): Promise<{ count: number }> {
  const key = { orgId, eventAddressId }
  if (to <= from) throw refuse('validation_failed', { fields: { to: ['invalid'] } })
  const address = await readAddress(tx, key, true)
  const asked = types ?? address.types
  const which = sql`e.organization_id = ${key.orgId} and e.at >= ${from} and e.at < ${to} and e.type = any(${arrayOf(asked, 'text')})
    and e.sorted_at is not null`
  const found = await readCount(
    tx,
    sql`select count(*)::int as n from (select from events e where ${which} limit ${mostReplayed + 1}) n`,
  )
  if (found > mostReplayed)
    throw refuse('conflict', { reason: { code: 'too_many_events', params: { most: mostReplayed } } })
  const count = await queued(
    tx,
    sql`select e.organization_id, ${key.eventAddressId}::uuid, e.id, e.subject, e.type, true, e.place from events e where ${which}`,
  )
  await audit(tx, by, {
    organizationId: key.orgId,
    entity: 'event_address',
    entityId: key.eventAddressId,
    action: 'event_address.replayed',
    after: { host: new URL(address.url).host, from, to, types: asked, count },
  })
  return { count }
}
