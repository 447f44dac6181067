import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import {
  countDeliveries,
  type DeliveryFilter,
  type DeliverySort,
  type listDeliveries,
  watchedStates,
  type WatchedState,
} from '#contract/transmissions/deliveries.ts'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import type { Standing } from '#contract/matrix/standing.ts'
import { deliveryStates, Delivery } from '#contract/transmissions/transmissions.ts'
import { parseRanges } from '../../platform/db/multirange.ts'
import { arrayOf, requireRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { called, all, hasWords, isoText } from '../../platform/db/search.ts'
import { cellsKept, matrixNow } from '../../matrix/current.ts'
import { cellIsDone, CellSigns, signsOf, standingBy } from '../../matrix/standing.ts'
import { isLetOff, stands } from '../../duty/obligations.ts'
import { hasEvidence } from '../../tracking/served/sources.ts'
import { failedOf } from '../../quizzes/failing.ts'
import { showsPersons } from '../../directory/organizations/privacy.ts'
import { dayOnly } from '../../platform/db/search.ts'
import { orderFrom, type Sorts } from '../../platform/http/lists/keyset.ts'
import { readList, readStretch, type Stretch } from '../../platform/http/lists/list.ts'
import type { Key } from '../ledger/states.ts'
import { isResting, mayHaveArrived } from '../../deliveries.ts'

const DeliveryRow = z.extend(z.omit(Delivery, { coverage: true, standing: true }), {
  coverage: z.nullable(z.string()),
  signs: CellSigns,
})
export type DeliveryRow = z.infer<typeof DeliveryRow>

/** Hides a value that nobody may see where the organization records only completions. */
const seen = (value: SQL) => sql`case when p.shows then ${value} end`

const isLeftOut = sql`d.state in ('skipped', 'cancelled')`
const completedAt = sql`case when p.shows then r.finished_at else ${dayOnly(sql`r.finished_at`)} end`
const isUnfinished = sql`(r.finished_at is null and not ${isLeftOut} and not r.is_excused)`

const everAt = sql`(select min(v.completed_at) from viewer_videos v where v.organization_id = d.organization_id and v.user_id = d.user_id
  and v.video_id = t.video_id)`

/**
 * This expression gives the instant at which the recipient of `deliveries d` did it another way. For the message of an assignment only what
 * counts towards that matters; for any other whatever they ever completed does, as for those who are reminded of it.
 */
const elsewhereAt = sql`case when ${isLeftOut} then null when o.id is not null then o.done_at
  when t.assignment_id is null then ${everAt}
  when ${cellIsDone} then coalesce((select max(n.done_at) from obligations n where n.assignment_id = t.assignment_id
    and n.user_id = d.user_id and n.organization_id = d.organization_id), ${everAt}) end`

/** These joins work out once for each recipient, as `r`, when they finished and whether they are excused. */
const dutyOfEach = sql`left join assignments y on y.message_id = t.id and y.organization_id = t.organization_id
  left join obligations o on o.assignment_id = y.id and o.user_id = d.user_id and o.organization_id = d.organization_id
  cross join lateral (select coalesce(w.completed_at, ${elsewhereAt}) as finished_at offset 0) f
  cross join lateral (select f.finished_at, case when f.finished_at is not null or ${isLeftOut} then false
    when o.id is null then coalesce(c.waived_until > now(), false) else ${isLetOff} end as is_excused offset 0) r`
/**
 * This condition holds when it was done by another message. Towards an assignment counts what was watched by each of its messages, so that
 * none of them need have all of it.
 */
const isElsewhere = sql`(r.finished_at is not null and w.completed_at is null
  and (t.assignment_id is null or not p.shows or coalesce(w.covered_ms, 0) = 0))`
const excused = sql`case when r.is_excused then jsonb_build_object('state', case when o.state = 'ended' then 'ended' else 'waived' end,
  'reason', coalesce(o.reason, (select x.reason from training_waivers x where x.organization_id = d.organization_id and x.user_id = d.user_id
    and x.video_id = t.video_id and ${stands} limit 1))) end`
const share = seen(
  sql`case when vv.duration_ms > 0 then least(1, coalesce(w.covered_ms, 0)::float8 / vv.duration_ms) else 0 end`,
)
const failed = sql`case when p.shows and r.finished_at is null then
  ${failedOf(sql`a.organization_id = d.organization_id and a.user_id = d.user_id and a.video_id = t.video_id`)} end`

const columns = sql`d.id, jsonb_build_object('id', d.user_id, 'name', coalesce(u.name, ''), 'email', d.address) as user,
  d.state, coalesce(${isResting}, false) as resting, ${isoText(sql`d.link_revoked_at`)} as "linkRevokedAt", d.link_revoked_reason as "linkRevokedReason", d.reason,
  (select c.handed_by_name from cards c where c.organization_id = d.organization_id and c.delivery_id = d.id) as "handedBy", d.attempt, ${isoText(sql`d.accepted_at`)} as "sentAt",
  ${isoText(seen(sql`w.opened_at`))} as "openedAt", ${isoText(seen(sql`w.first_play_at`))} as "firstPlayAt",
  ${isoText(seen(sql`w.last_at`))} as "lastWatchedAt", ${isoText(completedAt)} as "completedAt",
  ${isElsewhere} as "completedElsewhere", ${signsOf(sql`p.shows`)} as signs, ${excused} as excused, ${failed} as failed,
  ${seen(sql`coalesce(w.covered_ms, 0)`)} as "watchedMs", ${share} as share, ${seen(sql`coalesce(w.coverage::text, '{}')`)} as coverage,
  ${seen(sql`coalesce(w.evidence, 'none')`)} as evidence`

/** The name of a removed user is kept here. */
const from = (
  organizationId: string,
  cells: SQL,
) => sql`deliveries d join transmissions t on t.id = d.transmission_id
  join video_versions vv on vv.id = t.version_id
  cross join (select ${showsPersons(sql`${organizationId}::uuid`)} as shows) p
  left join users u on u.id = d.user_id
  left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
  left join ${cells} c on c.user_id = d.user_id and c.video_id = t.video_id
  ${dutyOfEach}`

async function fromNow(tx: Tx, { organizationId }: Key): Promise<SQL> {
  const { cells } = await matrixNow(tx, organizationId)
  return from(organizationId, cells)
}

function asDelivery({ coverage, signs, ...rest }: DeliveryRow): Delivery {
  return {
    ...rest,
    standing: standingOf({ signs, ...rest }),
    coverage: coverage === null ? null : parseRanges(coverage),
  }
}

export const standingOf = ({
  signs,
  completedAt,
  failed,
  watchedMs,
}: Pick<DeliveryRow, 'signs' | 'completedAt' | 'failed' | 'watchedMs'>): Standing | null =>
  standingBy(signs, { completedAt, failed, hasWatched: Boolean(watchedMs) })

export async function readDelivery(tx: Tx, key: Key, deliveryId: string): Promise<Delivery> {
  const found = await requireRow(
    tx,
    DeliveryRow,
    sql`select ${columns} from ${await fromNow(tx, key)}
      where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId} and d.id = ${deliveryId}`,
  )
  return asDelivery(found)
}

/** Where only completions are recorded, people who have not completed are not told apart any further. */
const watched: Record<WatchedState, SQL> = {
  opened: sql`p.shows and w.opened_at is not null`,
  started: sql`p.shows and w.first_play_at is not null`,
  all: sql`r.finished_at is not null`,
  elsewhere: isElsewhere,
  unfinished: isUnfinished,
  unopened: sql`${isUnfinished} and ${mayHaveArrived('d')} and not coalesce(${isResting}, false)
    and (not p.shows or w.opened_at is null)`,
  none: sql`${isUnfinished} and (not p.shows or coalesce(w.covered_ms, 0) = 0)`,
  part: sql`${isUnfinished} and p.shows and w.covered_ms > 0`,
  failed: sql`${isUnfinished} and (${failed}) is not null`,
  excused: sql`r.is_excused`,
}

/** Counts what each of these choices finds among the recipients of one transmission. */
export async function countWatched(tx: Tx, key: Key): Promise<Record<WatchedState, number>> {
  const count = (state: WatchedState) =>
    sql`count(*) filter (where ${watched[state]})::int as ${sql.raw(state)}`
  const counts = sql.join(watchedStates.map(count), sql`, `)
  return requireRow(
    tx,
    countDeliveries.reply,
    sql`select ${counts} from ${await fromNow(tx, key)} where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId}`,
  )
}

export type ChosenDeliveries = {
  filter: DeliveryFilter
  ids?: readonly string[] | undefined
  exceptIds: readonly string[]
}

function matching(key: Key, { filter, ids, exceptIds }: ChosenDeliveries): SQL {
  return all([
    sql`d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId}`,
    filter.state && sql`d.state = ${filter.state}`,
    filter.watched && watched[filter.watched],
    filter.evidence && sql`p.shows and ${hasEvidence(sql`w.evidence`, filter.evidence)}`,
    filter.q && hasWords(sql`u.search`, filter.q),
    ids && sql`d.id = any(${arrayOf(ids, 'uuid')})`,
    exceptIds.length > 0 && sql`d.id <> all(${arrayOf(exceptIds, 'uuid')})`,
  ])
}

/** Selects the ids of those that were chosen. */
export function chosenIds(key: Key, chosen: ChosenDeliveries): SQL {
  return sql`select d.id from ${from(key.organizationId, cellsKept(key.organizationId))} where ${matching(key, chosen)}`
}

/** A row without an instant stands before all that have one. */
const instant = (value: SQL) => ({
  by: sql`coalesce(extract(epoch from ${value}), 0)::float8`,
  type: 'float8' as const,
})

/** A digit comes before the name, because no collation leaves a digit out of account. */
const progress = sql`case when r.finished_at is not null then '2' when ${isLeftOut} then '4' when r.is_excused then '3'
  when p.shows and w.covered_ms > 0 then '0' else '1' end || lower(coalesce(u.name, ''))`

const sorts: Sorts<DeliverySort> = {
  progress: { by: progress, type: 'text' },
  name: { by: called(sql`coalesce(u.name, '')`), type: 'text' },
  state: { by: sql`array_position(${arrayOf(deliveryStates, 'text')}, d.state)::float8`, type: 'float8' },
  opened: instant(seen(sql`w.opened_at`)),
  share: { by: sql`coalesce(${share}, 0)::float8`, type: 'float8' },
  completed: instant(completedAt),
  lastWatched: instant(seen(sql`w.last_at`)),
}

const listOf = async (tx: Tx, key: Key, { sort, ...chosen }: ChosenDeliveries & { sort: DeliverySort }) => ({
  Row: DeliveryRow,
  columns,
  from: await fromNow(tx, key),
  where: matching(key, chosen),
  order: orderFrom(sort, sorts, sql`d.id`),
})

export async function findDeliveries(
  tx: Tx,
  key: Key,
  { after, limit, ...chosen }: ChosenDeliveries & Stretch & { sort: DeliverySort },
) {
  return readStretch(tx, await listOf(tx, key, chosen), { after, limit })
}

export async function listPage(
  tx: Tx,
  { key, query, request }: { key: Key; query: ParsedQuery<typeof listDeliveries>; request: FastifyRequest },
): Promise<Reply<typeof listDeliveries>> {
  const list = await listOf(tx, key, { filter: query, exceptIds: [], sort: query.sort })
  const page = await readList(tx, { query, request, ...list })
  return { ...page, items: page.items.map(asDelivery) }
}
