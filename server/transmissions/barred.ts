import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { barAddress, liftBar, listBarredAddresses, BarredAddress } from '#contract/barred-addresses.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { arrayOf, asSystem, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { all, isoText, literal } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { readList } from '../platform/http/list.ts'
import type { Mount } from '../platform/http/mount.ts'
import { Id } from '../platform/db/rows.ts'

const isBarred = sql`(s.expires_at is null or s.expires_at > now())`
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

type ListRequest = { orgId: string; query: ParsedQuery<typeof listBarredAddresses>; request: FastifyRequest }

async function list(tx: Tx, { orgId, query, request }: ListRequest) {
  const q = query.q?.trim()
  const page = await readList(tx, {
    query,
    request,
    Row: BarredRow,
    columns,
    from: sql`suppressions s`,
    where: all([sql`s.organization_id = ${orgId}`, isBarred, q && sql`s.address ilike ${`%${literal(q)}%`}`]),
    order: { by: sql`s.created_at`, id: sql`s.id`, type: 'timestamptz', descending: true },
  })
  const names = await namesFor(tx, page.items)
  return { ...page, items: page.items.map((one) => withName(one, names)) }
}

type Bar = { orgId: string; address: string; reason: string; by: Exclude<Actor, 'system'> }

/** One whose time is over is set again. */
async function bar(tx: Tx, { orgId, address, reason, by }: Bar): Promise<BarredAddress> {
  const set = await row(
    tx,
    Id,
    sql`insert into suppressions as s (organization_id, address, reason, created_by)
      values (${orgId}, ${address}, ${reason}, ${by.caller?.userId ?? null})
      on conflict (organization_id, address) do update set reason = excluded.reason, created_by = excluded.created_by,
        created_at = now(), expires_at = null where not ${isBarred} returning id`,
  )
  if (!set) throw refuse('already_exists', { fields: { address: ['taken'] } })
  const entry = { organizationId: orgId, entity: 'barred_address', entityId: set.id }
  await audit(tx, by, { ...entry, action: 'address.barred', after: { address, reason } })
  const made = await requireRow(
    tx,
    BarredRow,
    sql`select ${columns} from suppressions s where s.id = ${set.id}`,
  )
  return withName(made, await namesFor(tx, [made]))
}

const LiftedBar = z.object({ id: z.string(), reason: z.string() })

async function lift(tx: Tx, { orgId, address, by }: Omit<Bar, 'reason'>): Promise<{ lifted: boolean }> {
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
  mount(barAddress, ({ tx, params: { orgId }, body, caller, request }) =>
    bar(tx, { orgId, ...body, by: { caller, request } }),
  )
  mount(liftBar, ({ tx, params: { orgId }, body: { address }, caller, request }) =>
    lift(tx, { orgId, address, by: { caller, request } }),
  )
}
