import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import {
  barReasons,
  BarredAddress,
  listBarredAddresses,
  type BarredFilter,
} from '#contract/transmissions/barred-addresses.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { arrayOf, asSystem, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { all, isoText, literal } from '../../platform/db/search.ts'
import { readList, readStretch, type Stretch } from '../../platform/http/lists/list.ts'
import type { Mount } from '../../platform/http/mount.ts'

/** This condition on `suppressions s` holds while a bar has not run out. */
export const isBarred = sql`(s.expires_at is null or s.expires_at > now())`

/** This condition on `transmissions t` holds when its people owe it, by a day or to an assignment. */
export const isDuty = sql`(t.due_at is not null or t.assignment_id is not null)`

type Message = { organizationId: SQL; userId: SQL; address: SQL; isDuty: SQL }

/**
 * This condition holds when the message must not go to this person at this address. Facts about an address bar everything. The will of a
 * person goes with them wherever they are written to, and does not bar what they owe.
 */
export const bars = ({ organizationId, userId, address, isDuty }: Message): SQL =>
  sql`(exists (select from suppressions s where s.organization_id = ${organizationId} and s.address = ${address} and ${isBarred})
    or not ${isDuty} and ${isUnwilling({ organizationId, userId })})`

/** This condition holds when this person has unsubscribed. */
export const isUnwilling = ({ organizationId, userId }: Pick<Message, 'organizationId' | 'userId'>): SQL =>
  sql`exists (select from unsubscriptions w where w.organization_id = ${organizationId} and w.user_id = ${userId})`

/** The bar ends after this time, because a mailbox that is not there may be made again. */
export const nobodyFor = sql`interval '30 days'`

/**
 * Writes down facts about addresses, `given` as (organization_id, address, reason, expires_at). A bar that lasts longer is never shortened.
 */
export const noteFacts = (given: SQL): SQL =>
  sql`insert into suppressions (organization_id, address, reason, expires_at) select * from (${given}) g order by 1, 2
    on conflict (organization_id, address) do update set reason = excluded.reason, created_by = null, created_at = now(),
      expires_at = excluded.expires_at where suppressions.expires_at < coalesce(excluded.expires_at, 'infinity')`

/** Bars addresses at which nobody is for a while, `given` as (organization_id, address). */
export const barNobody = (given: SQL): SQL =>
  noteFacts(
    sql`select distinct organization_id, address, 'no_such_mailbox', now() + ${nobodyFor} from (${given}) n`,
  )

/** This table has both kinds of bars, as `s`. A will is shown at the address where its person is written to. */
export const bothKinds = sql`(select s.id, s.organization_id, s.address, s.reason, s.created_by, s.created_at, s.expires_at, 'address' as kind
    from suppressions s where ${isBarred}
  union all select w.id, w.organization_id, w.address, 'unsubscribed', w.created_by, w.created_at, null, 'person' from unsubscriptions w) s`

const columns = sql`s.id, s.address, s.kind, s.reason, s.created_by as "createdBy", ${isoText(sql`s.created_at`)} as since, ${isoText(sql`s.expires_at`)} as until`
const BarredRow = z.extend(z.omit(BarredAddress, { by: true }), { createdBy: z.nullable(z.string()) })
type BarredRow = z.infer<typeof BarredRow>

const Named = z.object({ id: z.string(), name: z.string() })

/** Reads the names of those who barred an address. A superadmin belongs to no organization, and still has a name. */
async function namesFor(tx: Tx, found: readonly BarredRow[]): Promise<ReadonlyMap<string | null, string>> {
  const ids = arrayOf(
    found.flatMap(({ createdBy }) => createdBy ?? []),
    'uuid',
  )
  const named = await asSystem(tx, () =>
    rows(tx, Named, sql`select id, name from users where id = any(${ids})`),
  )
  return new Map(named.map(({ id, name }) => [id, name]))
}

const withName = (
  { createdBy, ...one }: BarredRow,
  names: ReadonlyMap<string | null, string>,
): BarredAddress => ({
  ...one,
  by: names.get(createdBy) ?? null,
})

type BarredQuery = { orgId: string; filter: BarredFilter }

/** Returns the condition on both kinds of bars, `s`, for those of the organization that fit the filter. */
export function matchingBarred({ orgId, filter: { q, reason, day } }: BarredQuery): SQL {
  const words = q?.trim()
  const known = arrayOf(barReasons, 'text')
  return all([
    sql`s.organization_id = ${orgId}`,
    words && sql`s.address ilike ${`%${literal(words)}%`}`,
    reason && (reason === 'other' ? sql`s.reason <> all(${known})` : sql`s.reason = ${reason}`),
    day &&
      sql`(s.created_at at time zone (select time_zone from organizations where id = ${orgId}))::date = ${day}::date`,
  ])
}

/** The list begins with the newest. */
const listOf = (asked: BarredQuery) => ({
  Row: BarredRow,
  columns,
  from: bothKinds,
  where: matchingBarred(asked),
  order: { by: sql`s.created_at`, id: sql`s.id`, type: 'timestamptz' as const, descending: true },
})

type ListRequest = { orgId: string; query: ParsedQuery<typeof listBarredAddresses>; request: FastifyRequest }

async function list(tx: Tx, { orgId, query, request }: ListRequest) {
  const page = await readList(tx, { query, request, ...listOf({ orgId, filter: query }) })
  const names = await namesFor(tx, page.items)
  return { ...page, items: page.items.map((one) => withName(one, names)) }
}

/** Finds a stretch of the same list, for a file. */
export async function findBarred(tx: Tx, asked: BarredQuery, stretch: Stretch) {
  const found = await readStretch(tx, listOf(asked), stretch)
  const names = await namesFor(tx, found)
  return found.map((one) => Object.assign(withName(one, names), { key: one.key }))
}

export async function readBarred(tx: Tx, id: string): Promise<BarredAddress> {
  const found = await requireRow(tx, BarredRow, sql`select ${columns} from ${bothKinds} where s.id = ${id}`)
  return withName(found, await namesFor(tx, [found]))
}

export function barredRoutes(mount: Mount): void {
  mount(listBarredAddresses, ({ tx, params: { orgId }, query, request }) =>
    list(tx, { orgId, query, request }),
  )
}
