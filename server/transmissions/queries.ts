import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  deliveryStates,
  transmissionStates,
  type listTransmissions,
  Transmission,
  type TransmissionFilter,
  type transmissionSorts,
} from '#contract/transmissions/transmissions.ts'
import { TransmissionVideo } from '#contract/transmissions/transmission-video.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import { needsTransmission } from '../alerts/lists.ts'
import { orderFrom, type Sorts } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import type { Keys } from '../platform/keys.ts'
import { refusalWords } from './ledger/refused.ts'
import { unlisted } from './ledger/states.ts'
import { posterPath } from '../platform/http/pages/poster.ts'
import { goesOnAt } from './ledger/window.ts'
import { isResting } from '../deliveries.ts'

/** Undefined means every organization, because the caller is a superadmin. */
export type Tenant = string | undefined
export type Reader = { keys: Keys; tenant: Tenant }

function owned(alias: string, tenant: Tenant): SQL {
  return tenant === undefined ? sql`true` : sql`${sql.raw(alias)}.organization_id = ${tenant}`
}

const noCounts = JSON.stringify(Object.fromEntries(deliveryStates.map((state) => [state, 0])))

const transmissionColumns = sql`t.id, t.organization_id as "organizationId", o.name as "organizationName", t.subject, message_name(t) as name, t.body, t.state, t.state_reason as reason, ${refusalWords} as refusal,
  t.version, case when v.id is not null then jsonb_build_object('id', v.id, 'title', v.title, 'versionId', vv.id, 'poster', coalesce(vv.poster_small, vv.poster),
    'durationMs', vv.duration_ms) end as video,
  jsonb_build_object('id', t.sender_id, 'name', t.sender_name) as sender, t.audience_total::float8 as "audienceTotal",
  (select jsonb_build_object('id', p.id, 'subject', message_name(p), 'part', t.audience->'of'->'part') from transmissions p
    where p.id = t.follows_id and p.organization_id = t.organization_id and t.audience ? 'of') as follows,
  coalesce(t.audience->>'channel', 'email') as channel,
  (select jsonb_build_object('id', a.id, 'name', a.name) from assignments a
    where a.id = t.assignment_id and a.organization_id = t.organization_id) as assignment,
  ${noCounts}::jsonb || coalesce((select jsonb_object_agg(c.state, c.n) from transmission_counts c
    where c.transmission_id = t.id), '{}') as counts,
  ${unlisted} as unlisted,
  (select count(*) from deliveries d where d.transmission_id = t.id and ${isResting})::int as resting,
  seen.opened, seen.started, seen.completed, ${isoText(sql`t.due_at`)} as "dueAt", t.reminders,
  (select jsonb_build_object('id', a.id, 'name', a.name) from assignments a
    where a.message_id = t.id and a.organization_id = t.organization_id) as duty,
  ${isoText(sql`case when t.state = 'scheduled' then t.scheduled_at when t.state in ('draft', 'pending_approval', 'held') then t.leaves_at end`)} as "leavesAt", ${isoText(goesOnAt)} as "goesOnAt", t.waves, t.outside_window as "outsideHours", t.leaves_clock is not null as "inOwnZones", ${isoText(sql`t.links_end_at`)} as "linksEndAt", o.time_zone as "timeZone",
  (select jsonb_build_object('state', a.state, 'askedAt', ${isoText(sql`a.asked_at`)}, 'askedFor', a.asked_for,
      'decidedBy', a.decided_by_name, 'decidedAt', ${isoText(sql`a.decided_at`)}, 'decidedFor', a.decided_for, 'reason', a.reason)
    from transmission_approvals a where a.transmission_id = t.id order by a.id desc limit 1) as approval,
  ${isoText(sql`t.created_at`)} as "createdAt", ${isoText(sql`t.released_at`)} as "releasedAt", ${isoText(sql`t.updated_at`)} as "updatedAt"`

const transmissionJoins = sql`join organizations o on o.id = t.organization_id
  left join videos v on v.id = t.video_id
  left join video_versions vv on vv.id = t.version_id
  cross join lateral (select count(w.opened_at)::int as opened, count(w.first_play_at)::int as started,
    count(w.completed_at)::int as completed from delivery_viewing w where w.transmission_id = t.id) seen`

/** The row has the poster as a file of the version. */
const TransmissionRow = z.extend(z.omit(Transmission, { video: true }), {
  video: z.nullable(z.extend(TransmissionVideo, { versionId: z.nullable(z.string()) })),
})
type TransmissionRow = z.infer<typeof TransmissionRow>

function asTransmission(keys: Keys, { video, ...rest }: TransmissionRow): Transmission {
  if (!video) return { ...rest, video }
  const { versionId, poster, ...shown } = video
  const { organizationId } = rest
  const path =
    versionId === null ? null : posterPath(keys, { organizationId, videoId: video.id, versionId, poster })
  return { ...rest, video: { ...shown, poster: path } }
}

export async function readOne(tx: Tx, { keys, tenant }: Reader, id: string): Promise<Transmission> {
  const found = await requireRow(
    tx,
    TransmissionRow,
    sql`select ${transmissionColumns} from transmissions t ${transmissionJoins} where t.id = ${id} and ${owned('t', tenant)}`,
  )
  return asTransmission(keys, found)
}

type ListRequest<Query> = Reader & { query: Query; request: FastifyRequest }

type Sort = (typeof transmissionSorts)[number]

/**
 * This expression gives the place of a state in the order in which transmissions go through them. It is written out, as the index has it.
 */
const stateRank = sql.raw(
  `(array_position(array[${transmissionStates.map((state) => `'${state}'`).join(', ')}]::text[], t.state)::float8)`,
)

export const sorts: Sorts<Sort> = {
  subject: { by: called(sql`t.subject`), type: 'text' },
  createdAt: { by: sql`t.dated_at`, type: 'timestamptz' },
  state: { by: stateRank, type: 'float8' },
  recipients: { by: sql`(t.audience_total::float8)`, type: 'float8' },
}

/** Returns the condition on `transmissions t` for what a list shows, a change in bulk is about, and a file holds. */
export function matchingTransmissions(tenant: Tenant, filter: TransmissionFilter): SQL {
  const { state, organizationId, attention, follows } = filter
  return all([
    owned('t', tenant),
    state && sql`t.state = ${state}`,
    organizationId && sql`t.organization_id = ${organizationId}`,
    follows && sql`t.follows_id = ${follows}`,
    attention && needsTransmission(attention, tenant ?? organizationId ?? null),
  ])
}

export async function listPage(
  tx: Tx,
  { keys, tenant, query, request }: ListRequest<ParsedQuery<typeof listTransmissions>>,
): Promise<Reply<typeof listTransmissions>> {
  const page = await readList(tx, {
    query,
    request,
    Row: TransmissionRow,
    columns: transmissionColumns,
    from: sql`transmissions t`,
    where: matchingTransmissions(tenant, query),
    order: orderFrom(query.sort, sorts, sql`t.id`),
    joined: sql`t ${transmissionJoins}`,
  })
  return { ...page, items: page.items.map((found) => asTransmission(keys, found)) }
}
