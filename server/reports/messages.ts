import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { type listMessageReports, MessageReport, type reportMessages } from '#contract/reports/reports.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, all, countOf, isoText } from '../platform/db/search.ts'
import {
  behind,
  keyOf,
  orderBy,
  orderFrom,
  pageOf,
  slice,
  type ListQuery,
  Sorted,
} from '../platform/http/lists/keyset.ts'
import { compared, dayIn, during, headOf, ofVideos, owned, paired, personSet, seriesOf } from './scope.ts'
import type { ReportScope } from './scope.ts'
import { Count } from '../platform/db/rows.ts'
import { hasArrived, hasFailed, isResting, isToRecipient, isUncertain, wasSent } from '../deliveries.ts'

/** Condition on `t`: what was sent in the period. */
function sent(scope: ReportScope): SQL {
  const { transmission } = scope.subjects
  return all([
    owned(scope, sql`t.organization_id`),
    during(scope, sql`t.dated_at`),
    wasSent('t'),
    transmission !== null && sql`t.id = ${transmission.id}`,
    ofVideos(scope.subjects, sql`t.video_id`),
  ])
}

/** What became of them, where `of` counts the rows of an alias that meet a condition; `resting`: how many of those that arrived rest in the outbox. */
const sending = (of: (which: typeof hasArrived) => SQL, resting: SQL): SQL =>
  sql`${of(isToRecipient)} as recipients, ${of(hasArrived)} - ${resting} as accepted, ${resting} as resting,
    ${of(hasFailed)} as failed, ${of(isUncertain)} as unknown`

const viewing = sql`count(w.opened_at)::int as opened, count(w.first_play_at)::int as started, count(w.completed_at)::int as completed`

/** For everybody, the counters of the ledger tell what was sent, and an index what its recipients did. */
function ofAll(scope: ReportScope): SQL {
  const summed = sending(
    (which) => sql`coalesce(sum(c.n) filter (where ${which('c')}), 0)::int`,
    sql`(select count(*)::int from deliveries d where d.transmission_id = t.id and ${isResting})`,
  )
  return sql`(select t.*, message_name(t) as named, s.*, v.* from transmissions t
    cross join lateral (select ${summed} from transmission_counts c where c.transmission_id = t.id) s
    cross join lateral (select ${viewing} from delivery_viewing w where w.transmission_id = t.id) v where ${sent(scope)}) t`
}

/** For the members of some groups, the ledger of each transmission is read. */
function ofMembers(scope: ReportScope, theirs: SQL): SQL {
  const counted = sending(
    (which) => sql`count(*) filter (where ${which('d')})::int`,
    sql`count(*) filter (where ${isResting})::int`,
  )
  return sql`(select x.*, message_name(x) as named from transmissions x) t join (select d.transmission_id, ${counted}, ${viewing}
      from transmissions t
      join deliveries d on d.transmission_id = t.id
      left join delivery_viewing w on w.transmission_id = d.transmission_id and w.delivery_id = d.id
      where ${sent(scope)} and d.user_id in (${theirs}) group by d.transmission_id) s on s.transmission_id = t.id`
}

function transmissions(scope: ReportScope): SQL {
  const theirs = personSet(withoutTransmission(scope))
  return theirs ? ofMembers(scope, theirs) : ofAll(scope)
}

/** A transmission does not narrow the people here: its recipients are what is counted. */
function withoutTransmission(scope: ReportScope): ReportScope {
  return { ...scope, subjects: { ...scope.subjects, transmission: null } }
}

const counts = [
  'recipients',
  'accepted',
  'resting',
  'failed',
  'unknown',
  'opened',
  'started',
  'completed',
] as const
const columns = sql.raw(counts.join(', '))
const sums = sql.raw(counts.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', '))

export const MessageSums = z.object({
  unknown: z.number(),
  accepted: z.number(),
  resting: z.number(),
  failed: z.number(),
  transmissions: z.number(),
  completed: z.number(),
  recipients: z.number(),
  opened: z.number(),
  started: z.number(),
})
export type MessageSums = z.infer<typeof MessageSums>

const MessagesByDayRow = z.extend(MessageSums, { day: z.string() })

/** By the day of the transmission, to which its messages belong whenever they left. */
export function messagesByDay(tx: Tx, scope: ReportScope): Promise<(MessageSums & { day: string })[]> {
  return rows(
    tx,
    MessagesByDayRow,
    sql`select ${dayIn(scope, sql`t.dated_at`)}::text as day, count(*)::int as transmissions, ${sums} from ${transmissions(scope)} group by 1`,
  )
}

const names = ['transmissions', ...counts] as const

export function sumOf(days: readonly MessageSums[]): MessageSums {
  const entries = names.map((name) => [name, days.reduce((sum, day) => sum + day[name], 0)])
  return Object.fromEntries(entries) as MessageSums
}

export async function messageAnalytics(tx: Tx, scope: ReportScope): Promise<Reply<typeof reportMessages>> {
  const [now, before] = await compared(scope, (one) => messagesByDay(tx, one))
  const byDay = ['accepted', 'opened', 'started', 'completed'] as const
  const { accepted: steps, ...series } = seriesOf(scope, [now, before], byDay)
  return { ...(await headOf(tx, scope)), ...paired(sumOf(now), sumOf(before)), steps, series }
}

const keys = {
  createdAt: { by: sql`r.dated_at`, type: 'timestamptz' },
  subject: { by: called(sql`r.subject`), type: 'text' },
  recipients: { by: sql`r.recipients::float8`, type: 'float8' },
  opened: { by: sql`r.opened::float8`, type: 'float8' },
  completed: { by: sql`r.completed::float8`, type: 'float8' },
} as const

type RowsQuery = Pick<ParsedQuery<typeof listMessageReports>, 'sort'>
export const FoundMessages = z.extend(MessageReport, Sorted.shape)
export type FoundMessages = z.infer<typeof FoundMessages>

export function findTransmissions(
  tx: Tx,
  scope: ReportScope,
  query: RowsQuery & ListQuery,
): Promise<FoundMessages[]> {
  const order = orderFrom(query.sort, keys, sql`r.id`)
  return rows(
    tx,
    FoundMessages,
    sql`select r.id, r.organization_id as "organizationId", o.name as "organizationName", r.subject, r.state,
        ${isoText(sql`r.dated_at`)} as "createdAt", r.recipients, r.accepted, r.resting, r.failed,
        r.unknown, r.opened, r.started, r.completed, ${keyOf(order)} as key
      from (select t.id, t.organization_id, t.named as subject, t.state, t.dated_at, ${columns} from ${transmissions(scope)}) r
      join organizations o on o.id = r.organization_id
      where ${all([query.after !== undefined && behind(order, query.after)])} order by ${orderBy(order)} ${slice(query)}`,
  )
}

type ListRequest = {
  scope: ReportScope
  query: ParsedQuery<typeof listMessageReports>
  request: FastifyRequest
}

export async function messageReports(tx: Tx, { scope, query, request }: ListRequest) {
  const isWhole = personSet(withoutTransmission(scope)) === undefined
  const [total, found] = await together(
    row(
      tx,
      Count,
      sql`select ${countOf(isWhole ? sql`transmissions t where ${sent(scope)}` : transmissions(scope))} as n`,
    ),
    findTransmissions(tx, scope, query),
  )
  return pageOf({ request, query, total: { n: total?.n ?? 0, counted: true }, found })
}
