import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { liftBar, listBarredAddresses, BarredAddress } from '#contract/barred-addresses.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { arrayOf, asSystem, hasRow, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText, literal } from '../platform/db/search.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { readList, readStretch, type Stretch } from '../platform/http/list.ts'
import type { Mount } from '../platform/http/mount.ts'
import { Id } from '../platform/db/rows.ts'

/** Condition on `suppressions s`. */
export const isBarred = sql`(s.expires_at is null or s.expires_at > now())`

/** Condition on `transmissions t`: what its people owe, by a day or to an assignment. */
export const isDuty = sql`(t.due_at is not null or t.assignment_id is not null)`

type Message = { organizationId: SQL; address: SQL; isDuty: SQL }

/** Condition: the message must not go to this address. Whoever unsubscribed still gets what they owe. */
export const bars = ({ organizationId, address, isDuty }: Message): SQL =>
  sql`exists (select from suppressions s where s.organization_id = ${organizationId} and s.address = ${address} and ${isBarred}
    and not (${isDuty} and ${hasUnsubscribed}))`

/** Condition on `suppressions s`: its reader wanted it. */
export const hasUnsubscribed = sql`(s.reason = 'unsubscribed' and s.created_by is null)`

const columns = sql`s.id, s.address, s.reason, s.created_by as "createdBy", ${isoText(sql`s.created_at`)} as since, ${isoText(sql`s.expires_at`)} as until`
const BarredRow = z.extend(z.omit(BarredAddress, { by: true }), { createdBy: z.nullable(z.string()) })
type BarredRow = z.infer<typeof BarredRow>

const Named = z.object({ id: z.string(), name: z.string() })

/** A superadmin who barred it belongs to no organization, and still has a name. */
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

type Asked = { orgId: string; q: string | undefined }

/** Those that hold, newest first. */
function listOf({ orgId, q }: Asked) {
  const words = q?.trim()
  return {
    Row: BarredRow,
    columns,
    from: sql`suppressions s`,
    where: all([
      sql`s.organization_id = ${orgId}`,
      isBarred,
      words && sql`s.address ilike ${`%${literal(words)}%`}`,
    ]),
    order: { by: sql`s.created_at`, id: sql`s.id`, type: 'timestamptz' as const, descending: true },
  }
}

type ListRequest = { orgId: string; query: ParsedQuery<typeof listBarredAddresses>; request: FastifyRequest }

async function list(tx: Tx, { orgId, query, request }: ListRequest) {
  const page = await readList(tx, { query, request, ...listOf({ orgId, q: query.q }) })
  const names = await namesFor(tx, page.items)
  return { ...page, items: page.items.map((one) => withName(one, names)) }
}

/** Some of the same list, for a file. */
export async function findBarred(tx: Tx, asked: Asked, stretch: Stretch) {
  const found = await readStretch(tx, listOf(asked), stretch)
  const names = await namesFor(tx, found)
  return found.map((one) => Object.assign(withName(one, names), { key: one.key }))
}

export async function readBarred(tx: Tx, id: string): Promise<BarredAddress> {
  const found = await requireRow(tx, BarredRow, sql`select ${columns} from suppressions s where s.id = ${id}`)
  return withName(found, await namesFor(tx, [found]))
}

type Lift = { orgId: string; address: string; by: Exclude<Actor, 'system'> }

const LiftedBar = z.object({ id: z.string(), reason: z.string() })

async function lift(tx: Tx, { orgId, address, by }: Lift): Promise<{ lifted: boolean }> {
  const gone = await row(
    tx,
    LiftedBar,
    sql`delete from suppressions where organization_id = ${orgId} and address = ${address} returning id, reason`,
  )
  if (!gone) return { lifted: false }
  const entry = { organizationId: orgId, entity: 'barred_address', entityId: gone.id }
  await audit(tx, by, { ...entry, action: 'address.bar_lifted', before: { address, reason: gone.reason } })
  return { lifted: true }
}

type Reader = { organizationId: string; userId: string; address: string }

/** Nothing that they do not owe is sent to them. */
export const isUnsubscribed = (tx: Tx, { organizationId, address }: Reader): Promise<boolean> =>
  hasRow(
    tx,
    sql`select from suppressions s where s.organization_id = ${organizationId} and s.address = ${address} and ${hasUnsubscribed}`,
  )

/** They want messages again; whatever else bars their address stays. */
export async function subscribeAgain(
  tx: Tx,
  request: FastifyRequest,
  { organizationId, userId, address }: Reader,
): Promise<void> {
  const gone = await row(
    tx,
    Id,
    sql`delete from suppressions s where s.organization_id = ${organizationId} and s.address = ${address} and ${hasUnsubscribed} returning id`,
  )
  if (!gone) return
  const entry = { organizationId, entity: 'barred_address', entityId: gone.id }
  const before = { address, reason: 'unsubscribed' }
  await audit(tx, { caller: { userId }, request }, { ...entry, action: 'address.bar_lifted', before })
}

export function barredRoutes(mount: Mount): void {
  mount(listBarredAddresses, ({ tx, params: { orgId }, query, request }) =>
    list(tx, { orgId, query, request }),
  )
  mount(liftBar, ({ tx, params: { orgId }, body: { address }, caller, request }) =>
    lift(tx, { orgId, address, by: { caller, request } }),
  )
}
