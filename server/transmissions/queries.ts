import type { FastifyRequest } from 'fastify'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  deliveryStates,
  type Delivery,
  type listDeliveries,
  type listTransmissions,
  type Transmission,
  type TransmissionFilter,
  type transmissionSorts,
} from '#contract/transmissions.ts'
import { parseRanges } from '../db/columns.ts'
import { row, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { all, hasWords, countOf, isoText } from '../db/search.ts'
import { transmissionRank } from '../db/schema/sending.ts'
import { needsTransmission } from '../matters/lists.ts'
import { failedOf, failures } from '../plays/failing.ts'
import { dayOnly, showsPersons } from '../plays/privacy.ts'
import { refuse } from '../errors.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../http/keyset.ts'
import type { Keys } from '../keys.ts'
import { posterPath } from './poster.ts'
import type { Key } from './states.ts'

/** Undefined: every organization (the caller is a superadmin). */
export type Tenant = string | undefined
export type Reader = { keys: Keys; tenant: Tenant }

function owned(alias: string, tenant: Tenant): SQL {
  return tenant === undefined ? sql`true` : sql`${sql.raw(alias)}.organization_id = ${tenant}`
}

const noCounts = JSON.stringify(Object.fromEntries(deliveryStates.map((state) => [state, 0])))

const notPassed = sql`(select count(*)::int from ${failures(sql`q.video_id = t.video_id and a.organization_id = t.organization_id`)} f
    join deliveries d on d.transmission_id = t.id and d.user_id = f.user_id and d.state not in ('skipped', 'cancelled')
    left join delivery_viewing w on w.transmission_id = t.id and w.delivery_id = d.id
  where w.completed_at is null and ${showsPersons(sql`t.organization_id`)})`

/** A delivery `d` whose mail rests in the outbox, for want of a mail server. */
export const isResting = sql`d.state = 'accepted' and d.provider_ref = 'outbox'`

const transmissionColumns = sql`t.id, t.organization_id as "organizationId", o.name as "organizationName", t.subject, t.body, t.state, t.state_reason as reason,
  t.version, jsonb_build_object('id', v.id, 'title', v.title, 'versionId', vv.id, 'poster', coalesce(vv.poster_small, vv.poster),
    'durationMs', vv.duration_ms) as video,
  jsonb_build_object('id', t.sender_id, 'name', t.sender_name) as sender, t.audience_total::float8 as "audienceTotal",
  ${noCounts}::jsonb || coalesce((select jsonb_object_agg(c.state, c.n) from transmission_counts c
    where c.transmission_id = t.id), '{}') as counts,
  (select count(*) from deliveries d where d.transmission_id = t.id and ${isResting})::int as resting,
  seen.opened, seen.started, seen.completed, ${notPassed} as "notPassed", ${isoText(sql`t.due_at`)} as "dueAt", ${isoText(sql`t.links_end_at`)} as "linksEndAt", o.time_zone as "timeZone",
  (select jsonb_build_object('state', a.state, 'askedAt', ${isoText(sql`a.asked_at`)}, 'askedFor', a.asked_for,
      'decidedBy', a.decided_by_name, 'decidedAt', ${isoText(sql`a.decided_at`)}, 'decidedFor', a.decided_for, 'reason', a.reason)
    from transmission_approvals a where a.transmission_id = t.id order by a.id desc limit 1) as approval,
  ${isoText(sql`t.created_at`)} as "createdAt", ${isoText(sql`t.released_at`)} as "releasedAt", ${isoText(sql`t.updated_at`)} as "updatedAt"`

const transmissionJoins = sql`join organizations o on o.id = t.organization_id
  join videos v on v.id = t.video_id
  join video_versions vv on vv.id = t.version_id
  cross join lateral (select count(w.opened_at)::int as opened, count(w.first_play_at)::int as started,
    count(w.completed_at)::int as completed from delivery_viewing w where w.transmission_id = t.id) seen`

/** As it comes from the table: the poster is a file of the version. */
type TransmissionRow = Omit<Transmission, 'video'> & { video: Transmission['video'] & { versionId: string } }

function asTransmission(keys: Keys, { video, ...rest }: TransmissionRow): Transmission {
  const { versionId, poster, ...shown } = video
  const { organizationId } = rest
  return {
    ...rest,
    video: { ...shown, poster: posterPath(keys, { organizationId, videoId: video.id, versionId, poster }) },
  }
}

export async function readOne(tx: Tx, { keys, tenant }: Reader, id: string): Promise<Transmission> {
  const found = await row<TransmissionRow>(
    tx,
    sql`select ${transmissionColumns} from transmissions t ${transmissionJoins} where t.id = ${id} and ${owned('t', tenant)}`,
  )
  if (!found) throw refuse('not_found')
  return asTransmission(keys, found)
}

type Asked<Query> = Reader & { query: Query; request: FastifyRequest }

type Sort = (typeof transmissionSorts)[number]

/** With its key as text. */
export function orderOf(sort: Sort): Order & { key: SQL } {
  const order = { id: sql`t.id`, descending: sort.startsWith('-') }
  if (sort.endsWith('createdAt'))
    return { ...order, by: sql`t.dated_at`, type: 'timestamptz', key: isoText(sql`t.dated_at`) }
  if (sort.endsWith('subject'))
    return { ...order, by: sql`lower(t.subject)`, type: 'text', key: sql`lower(t.subject)` }
  const by = sort.endsWith('state') ? transmissionRank('t.state') : sql`(t.audience_total::float8)`
  return { ...order, by, type: 'float8', key: sql`${by}::text` }
}

/** Condition on `transmissions t`: what a list shows, a change in bulk is about, and a file holds. */
export function matchingTransmissions(tenant: Tenant, filter: TransmissionFilter): SQL {
  const { state, organizationId, attention } = filter
  return all([
    owned('t', tenant),
    state && sql`t.state = ${state}`,
    organizationId && sql`t.organization_id = ${organizationId}`,
    attention && needsTransmission(attention, tenant ?? organizationId ?? null),
  ])
}

export async function listPage(
  tx: Tx,
  { keys, tenant, query, request }: Asked<ParsedQuery<typeof listTransmissions>>,
): Promise<Reply<typeof listTransmissions>> {
  const where = matchingTransmissions(tenant, query)
  const { key, ...order } = orderOf(query.sort)
  const found = await rows<TransmissionRow & { key: string }>(
    tx,
    sql`select ${transmissionColumns}, ${key} as key from (select * from transmissions t
        where ${all([where, query.after !== undefined && behind(order, query.after)])}
        order by ${orderBy(order)} ${slice(query)}) t ${transmissionJoins} order by ${orderBy(order)}`,
  )
  const counted = await row<{ n: number }>(
    tx,
    sql`select ${countOf(sql`transmissions t where ${where}`)} as n`,
  )
  const toItem = ({ key: _key, ...item }: TransmissionRow & { key: string }) => asTransmission(keys, item)
  return pageOf({ request, query, total: { n: counted?.n ?? 0, counted: true }, found, toItem })
}

type DeliveryRow = Omit<Delivery, 'coverage'> & { coverage: string | null; key: string }

/** What nobody may see where the organization records only completions. */
const seen = (value: SQL) => sql`case when p.shows then ${value} end`

const deliveryColumns = sql`d.id, jsonb_build_object('id', d.user_id, 'name', coalesce(u.name, ''), 'email', d.address) as user,
  d.state, coalesce(${isResting}, false) as resting, ${isoText(sql`d.link_revoked_at`)} as "linkRevokedAt", d.link_revoked_reason as "linkRevokedReason", d.reason, d.attempt, lower(coalesce(u.name, '')) as key, ${isoText(sql`d.accepted_at`)} as "sentAt",
  ${isoText(seen(sql`w.opened_at`))} as "openedAt", ${isoText(seen(sql`w.first_play_at`))} as "firstPlayAt",
  ${isoText(seen(sql`w.last_at`))} as "lastWatchedAt",
  ${isoText(sql`case when p.shows then w.completed_at else ${dayOnly(sql`w.completed_at`)} end`)} as "completedAt",
  ${seen(sql`case when w.completed_at is null then
    ${failedOf(sql`a.organization_id = d.organization_id and a.user_id = d.user_id and a.video_id = t.video_id`)} end`)} as failed,
  ${seen(sql`coalesce(w.covered_ms, 0)`)} as "watchedMs",
  ${seen(sql`case when vv.duration_ms > 0 then least(1, coalesce(w.covered_ms, 0)::float8 / vv.duration_ms) else 0 end`)} as share,
  ${seen(sql`coalesce(w.coverage::text, '{}')`)} as coverage`

/** A removed user keeps the name here. */
const deliveryJoins = (organizationId: string) => sql`join transmissions t on t.id = d.transmission_id
  join video_versions vv on vv.id = t.version_id
  cross join (select ${showsPersons(sql`${organizationId}::uuid`)} as shows) p
  left join users u on u.id = d.user_id
  left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id`

function asDelivery({ coverage, key: _key, ...rest }: DeliveryRow): Delivery {
  return { ...rest, coverage: coverage === null ? null : parseRanges(coverage) }
}

export async function readDelivery(tx: Tx, key: Key, deliveryId: string): Promise<Delivery> {
  const found = await row<DeliveryRow>(
    tx,
    sql`select ${deliveryColumns} from deliveries d ${deliveryJoins(key.organizationId)}
      where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId} and d.id = ${deliveryId}`,
  )
  if (!found) throw refuse('not_found')
  return asDelivery(found)
}

const byName: Order = { by: sql`lower(coalesce(u.name, ''))`, id: sql`d.id`, type: 'text', descending: false }

export async function listByName(
  tx: Tx,
  { key, query, request }: { key: Key; query: ParsedQuery<typeof listDeliveries>; request: FastifyRequest },
): Promise<Reply<typeof listDeliveries>> {
  const where = all([
    sql`d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId}`,
    query.state && sql`d.state = ${query.state}`,
    query.q && hasWords(sql`u.search`, query.q),
  ])
  const found = await rows<DeliveryRow>(
    tx,
    sql`select ${deliveryColumns} from deliveries d ${deliveryJoins(key.organizationId)}
      where ${all([where, query.after !== undefined && behind(byName, query.after)])} order by ${orderBy(byName)} ${slice(query)}`,
  )
  const counted = await row<{ n: number }>(
    tx,
    sql`select ${countOf(sql`deliveries d left join users u on u.id = d.user_id where ${where}`)} as n`,
  )
  return pageOf({ request, query, total: { n: counted?.n ?? 0, counted: true }, found, toItem: asDelivery })
}
