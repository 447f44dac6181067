import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { deliveryStates } from '#contract/transmissions/transmissions.ts'
import { membershipCauses } from '#contract/directory/membership.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  type listPersonHistory,
  type PersonEvent,
  personEventKinds,
  membershipChanges,
  Way,
} from '#contract/person/person.ts'
import { rows, type Tx, arrayOf } from '../platform/db/client.ts'
import { parseRanges } from '../platform/db/multirange.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText, dayOnly } from '../platform/db/search.ts'
import { deviceOf } from '../platform/http/agent.ts'
import { readList } from '../platform/http/lists/list.ts'
import { seesGroup, type Visibility } from '../platform/http/visibility.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { byPeople } from '../tracking/programs.ts'
import { reasonOf, stateOf } from '../deliveries.ts'

type Query = ParsedQuery<typeof listPersonHistory>
type Kind = PersonEvent['kind']
type About = { visibility: Visibility; userId: string }

const shows = ({ organizationId }: Visibility) => showsPersons(sql`${organizationId}::uuid`)

/** Where each kind of event comes from: its id, its instant and its kind, of rows that the reader may see. */
const sources: Record<Kind, (about: About) => SQL | undefined> = {
  transmission: ({ visibility, userId }) =>
    sql`select d.id, d.created_at as at, 'transmission' as kind from deliveries d
      where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId}`,
  viewing: ({ visibility, userId }) =>
    sql`select p.id, p.started_at as at, 'viewing' as kind from deliveries d
      join play_sessions p on p.transmission_id = d.transmission_id and p.delivery_id = d.id and ${byPeople(sql`p.flags`)}
      where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and ${shows(visibility)}
    union all select w.delivery_id, ${dayOnly(sql`w.completed_at`)}, 'viewing' from deliveries d
      join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
      where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and not ${shows(visibility)}
        and w.completed_at is not null`,
  group: ({ visibility, userId }) =>
    sql`select l.id, l.created_at as at, 'group' as kind from membership_log l
      where ${all([sql`l.user_id = ${userId} and l.organization_id = ${visibility.organizationId}`, seesGroup(visibility, sql`l.group_id`)])}`,
  // The audit belongs to administrators.
  change: ({ visibility, userId }) =>
    visibility.groupIds
      ? undefined
      : sql`select a.id, a.at, 'change' as kind from audit a
          where a.entity_id = ${userId} and a.entity in ('user', 'invitation') and a.organization_id = ${visibility.organizationId}`,
}

function eventsOf(about: About, kind: Kind | undefined): SQL {
  const wanted = kind === undefined ? Object.values(sources) : [sources[kind]]
  const parts = wanted.flatMap((source) => source(about) ?? [])
  return parts.length === 0
    ? sql`(select null::uuid as id, null::timestamptz as at, '' as kind where false)`
    : sql`(${sql.join(parts, sql` union all `)})`
}

const Listed = z.object({ id: z.string(), kind: z.enum(personEventKinds) })
type Listed = z.infer<typeof Listed>

/** The page is cut first, over all kinds; what each event is about is read for its rows alone. */
export async function findHistory(
  tx: Tx,
  { about, query, request }: { about: About; query: Query; request: FastifyRequest },
) {
  const page = await readList(tx, {
    query,
    request,
    Row: Listed,
    columns: sql`e.id, e.kind`,
    from: sql`${eventsOf(about, query.kind)} e`,
    where: sql`true`,
    order: { by: sql`e.at`, id: sql`e.id`, type: 'timestamptz', descending: true },
  })
  const known = new Map<string, PersonEvent>()
  for (const event of await details(tx, about, page.items)) known.set(event.id, event)
  return { ...page, items: page.items.flatMap(({ id }) => known.get(id) ?? []) }
}

async function details(tx: Tx, about: About, listed: readonly Listed[]): Promise<PersonEvent[]> {
  const events: PersonEvent[] = []
  for (const kind of ['transmission', 'viewing', 'group', 'change'] as const) {
    const ids = listed.filter((one) => one.kind === kind).map(({ id }) => id)
    if (ids.length > 0) events.push(...(await readers[kind](tx, about, ids)))
  }
  return events
}

type Reader = (tx: Tx, about: About, ids: readonly string[]) => Promise<PersonEvent[]>

const one = (ids: readonly string[]) => sql`any(${sql.param(ids)}::uuid[])`
const sent = sql`json_build_object('id', t.id, 'subject', message_name(t)) as transmission`
const video = sql`json_build_object('id', v.id, 'title', v.title) as video`

const ChangeRow = z.object({
  kind: z.literal('change'),
  id: z.string(),
  at: z.string(),
  action: z.string(),
  actor: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
  key: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
  before: z.unknown(),
  after: z.unknown(),
})

const Readers = z.object({
  kind: z.literal('group'),
  id: z.string(),
  at: z.string(),
  group: z.object({ id: z.string(), name: z.string() }),
  change: z.enum(membershipChanges),
  cause: z.enum(membershipCauses),
  by: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
})

const ViewingRow = z.extend(
  z.omit(
    z.object({
      kind: z.literal('viewing'),
      id: z.string(),
      at: z.string(),
      transmission: z.object({ id: z.string(), subject: z.string() }),
      video: z.object({ id: z.string(), title: z.string() }),
      lastAt: z.string(),
      watchedMs: z.nullable(z.number()),
      durationMs: z.number(),
      coverage: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
      browser: z.nullable(z.object({ browser: z.nullable(z.string()), system: z.nullable(z.string()) })),
    }),
    { coverage: true, browser: true },
  ),
  { coverage: z.nullable(z.string()), userAgent: z.nullable(z.string()) },
)

const EventRow = z.omit(
  z.object({
    kind: z.literal('transmission'),
    id: z.string(),
    at: z.string(),
    transmission: z.object({ id: z.string(), subject: z.string() }),
    video: z.object({ id: z.string(), title: z.string() }),
    sender: z.string(),
    state: z.enum(deliveryStates),
    reason: z.nullable(z.string()),
    ways: z.array(
      z.union([
        z.object({ by: z.literal('name') }),
        z.object({ by: z.literal('everyone') }),
        z.object({
          by: z.literal('group'),
          group: z.object({ id: z.string(), name: z.string() }),
          since: z.string(),
        }),
      ]),
    ),
  }),
  { ways: true },
)

type WaysQuery = { visibility: Visibility; userId: string; transmissionIds: readonly string[] }

const WayRow = z.object({ transmissionId: z.string(), way: Way })

/**
 * By transmission, how the person came into its audience: by name, with everybody, or through groups of which they were a
 * member when it was worked out, as the history of memberships tells. A groupadmin learns of no group but their own.
 */
async function waysInto(
  tx: Tx,
  { visibility, userId, transmissionIds }: WaysQuery,
): Promise<Map<string, Way[]>> {
  const asked = arrayOf(transmissionIds, 'uuid')
  const mine = sql`t.organization_id = ${visibility.organizationId} and t.id = any(${asked})`
  const found = await rows(
    tx,
    WayRow,
    sql`select t.id as "transmissionId", json_build_object('by', 'name') as way from transmissions t
        where ${mine} and t.audience->'userIds' ? ${userId}
      union all select t.id, json_build_object('by', 'everyone') from transmissions t
        where ${mine} and (t.audience->>'everyone')::boolean
      union all select t.id, json_build_object('by', 'group', 'group', json_build_object('id', g.id, 'name', g.name),
          'since', ${isoText(sql`l.created_at`)})
        from transmissions t cross join lateral jsonb_array_elements_text(t.audience->'groupIds') named(id)
        join groups g on g.id = named.id::uuid and g.organization_id = t.organization_id
        cross join lateral (select l.change, l.created_at from membership_log l
          where l.user_id = ${userId} and l.group_id = g.id and l.change in ('added', 'removed')
            and l.created_at <= coalesce(t.prepared_at, t.created_at)
          order by l.created_at desc, l.id desc limit 1) l
        where ${all([mine, sql`l.change = 'added'`, seesGroup(visibility, sql`g.id`)])}`,
  )
  const ways = new Map<string, Way[]>()
  for (const { transmissionId, way } of found)
    ways.set(transmissionId, [...(ways.get(transmissionId) ?? []), way])
  return ways
}

const readers: Record<Kind, Reader> = {
  async transmission(tx, { visibility, userId }, ids) {
    const found = await rows(
      tx,
      EventRow,
      sql`select 'transmission' as kind, d.id, ${isoText(sql`d.created_at`)} as at, ${sent}, ${video},
          t.sender_name as sender, ${stateOf('d')}, ${reasonOf('d')}
        from deliveries d join transmissions t on t.id = d.transmission_id
        join videos v on v.id = t.video_id
        where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and d.id = ${one(ids)}`,
    )
    const ways = await waysInto(tx, {
      visibility,
      userId,
      transmissionIds: found.map(({ transmission }) => transmission.id),
    })
    return found.map((event) => Object.assign(event, { ways: ways.get(event.transmission.id) ?? [] }))
  },
  async viewing(tx, { visibility, userId }, ids) {
    const found = await rows(
      tx,
      ViewingRow,
      sql`select 'viewing' as kind, p.id, ${isoText(sql`p.started_at`)} as at, ${sent}, ${video},
          ${isoText(sql`p.last_at`)} as "lastAt", p.watch_ms::float8 as "watchedMs", p.duration_ms as "durationMs",
          p.coverage::text as coverage, p.user_agent as "userAgent"
        from deliveries d
        join play_sessions p on p.transmission_id = d.transmission_id and p.delivery_id = d.id
        join transmissions t on t.id = d.transmission_id join videos v on v.id = p.video_id
        where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and p.id = ${one(ids)} and ${shows(visibility)}
        union all select 'viewing', w.delivery_id, ${isoText(dayOnly(sql`w.completed_at`))}, ${sent}, ${video},
          ${isoText(dayOnly(sql`w.completed_at`))}, null, n.duration_ms, null, null
        from deliveries d
        join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
        join transmissions t on t.id = d.transmission_id join videos v on v.id = t.video_id
        join video_versions n on n.id = t.version_id
        where d.user_id = ${userId} and d.organization_id = ${visibility.organizationId} and d.id = ${one(ids)} and not ${shows(visibility)}
          and w.completed_at is not null`,
    )
    return found.map(({ userAgent, coverage, ...event }) => {
      const parts = coverage === null ? null : parseRanges(coverage)
      return Object.assign(event, { coverage: parts, browser: parts && deviceOf(userAgent) })
    })
  },
  group(tx, { visibility, userId }, ids) {
    return rows(
      tx,
      Readers,
      sql`select 'group' as kind, l.id, ${isoText(sql`l.created_at`)} as at, l.change, l.cause,
          json_build_object('id', g.id, 'name', g.name) as group,
          case when l.actor_id is not null then json_build_object('id', l.actor_id, 'name', (select u.name from users u where u.id = l.actor_id)) end as by
        from membership_log l join groups g on g.id = l.group_id
        where l.user_id = ${userId} and l.organization_id = ${visibility.organizationId} and l.id = ${one(ids)}`,
    )
  },
  change(tx, { visibility, userId }, ids) {
    return rows(
      tx,
      ChangeRow,
      sql`select 'change' as kind, a.id, ${isoText(sql`a.at`)} as at, a.action, a.before, a.after,
          case when a.actor_id is not null then json_build_object('id', a.actor_id, 'name', a.actor_name) end as actor,
          case when a.key_id is not null then json_build_object('id', a.key_id,
            'name', (select k.name from service_accounts k where k.id = a.key_id)) end as key
        from audit a where a.entity_id = ${userId} and a.organization_id = ${visibility.organizationId} and a.id = ${one(ids)}`,
    )
  },
}
