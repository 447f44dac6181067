import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { liftBar, listBarredAddresses, BarredAddress } from '#contract/barred-addresses.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { arrayOf, asSystem, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { all, isoText, literal } from '../platform/db/search.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { readList, readStretch, type Stretch } from '../platform/http/list.ts'
import type { Mount } from '../platform/http/mount.ts'

/** Condition on `suppressions s`. */
export const isBarred = sql`(s.expires_at is null or s.expires_at > now())`

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

export function barredRoutes(mount: Mount): void {
  mount(listBarredAddresses, ({ tx, params: { orgId }, query, request }) =>
    list(tx, { orgId, query, request }),
  )
  mount(liftBar, ({ tx, params: { orgId }, body: { address }, caller, request }) =>
    lift(tx, { orgId, address, by: { caller, request } }),
  )
}
