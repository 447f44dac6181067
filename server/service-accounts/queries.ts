import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { PageQuery } from '#contract/endpoint.ts'
import { Key } from '#contract/service-accounts.ts'
import { arrayOf, asSystem, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { readList } from '../platform/http/lists/list.ts'
import { isAnswered } from '../platform/http/keys.ts'

/** Null: of the installation. */
export type Home = string | null

const KeyRow = z.extend(z.omit(Key, { owner: true, isStopped: true }), { ownerId: z.string() })
type KeyRow = z.infer<typeof KeyRow>

/** Of `service_accounts a`. */
const columns = sql`a.id, a.name, a.owner_id as "ownerId", a.scopes, a.networks::text[] as networks, ${isoText(sql`a.created_at`)} as "createdAt",
  ${isoText(sql`a.updated_at`)} as "updatedAt", p.start, ${isoText(sql`p.expires_at`)} as "expiresAt",
  (select ${isoText(sql`max(c.began)`)} from key_calls c where c.account_id = a.id) as "lastUsedAt",
  (select ${isoText(sql`least(t.replaced_until, t.expires_at)`)} from service_tokens t where t.account_id = a.id
    and t.replaced_until > now() and t.expires_at > now()) as "previousUntil"`

const present = sql`join service_tokens p on p.account_id = a.id and p.replaced_until is null`

const lies = (home: Home): SQL =>
  sql`a.organization_id is not distinct from ${home}::uuid and a.revoked_at is null`

const Owner = z.object({ id: z.string(), name: z.nullable(z.string()), isAnswered: z.boolean() })

/** Owners may be superadmins, whom nobody of an organization sees; of them no more is told than their name. */
function ownersOf(tx: Tx, keys: readonly KeyRow[]) {
  const ids = arrayOf(
    keys.map(({ id }) => id),
    'uuid',
  )
  return asSystem(tx, () =>
    rows(
      tx,
      Owner,
      sql`select a.id, u.name, ${isAnswered} as "isAnswered" from service_accounts a join users u on u.id = a.owner_id
        left join organizations w on w.id = u.organization_id left join organizations o on o.id = a.organization_id
        where a.id = any(${ids})`,
    ),
  )
}

async function shown(tx: Tx, found: readonly KeyRow[]): Promise<Key[]> {
  const owners = new Map((await ownersOf(tx, found)).map((owner) => [owner.id, owner]))
  return found.map(({ ownerId, ...key }) => {
    const owner = owners.get(key.id)
    return Object.assign(key, {
      owner: { id: ownerId, name: owner?.name ?? null },
      isStopped: !owner?.isAnswered,
    })
  })
}

type List = { home: Home; query: z.infer<typeof PageQuery>; request: FastifyRequest }

export async function findKeys(tx: Tx, { home, query, request }: List) {
  const page = await readList(tx, {
    query,
    request,
    Row: KeyRow,
    columns,
    from: sql`service_accounts a`,
    where: lies(home),
    order: { by: sql`a.created_at`, id: sql`a.id`, type: 'timestamptz', descending: true },
    joined: sql`a ${present}`,
  })
  return { ...page, items: await shown(tx, page.items) }
}

/** A key that is not withdrawn. */
export const findKey = (tx: Tx, home: Home, keyId: string): Promise<Key> => oneKey(tx, home, { keyId })

/** The same, locked until the transaction ends. */
export const requireKey = (tx: Tx, home: Home, keyId: string): Promise<Key> =>
  oneKey(tx, home, { keyId, lock: sql`for update of a, p` })

async function oneKey(
  tx: Tx,
  home: Home,
  { keyId, lock = sql`` }: { keyId: string; lock?: SQL },
): Promise<Key> {
  const found = await requireRow(
    tx,
    KeyRow,
    sql`select ${columns} from service_accounts a ${present} where ${lies(home)} and a.id = ${keyId} ${lock}`,
  )
  const [key] = await shown(tx, [found])
  if (!key) throw refuse('not_found')
  return key
}

const Moment = z.object({ at: z.string(), isAhead: z.boolean(), isNear: z.boolean() })

/** The instant of a day or an instant: a day ends where the organization is. Refuses the past, and what lies ten years ahead. */
export async function momentOf(
  tx: Tx,
  home: Home,
  { given, field }: { given: string; field: string },
): Promise<string> {
  const zone = sql`coalesce((select o.time_zone from organizations o where o.id = ${home}::uuid), 'UTC')`
  const at = given.includes('T')
    ? sql`${given}::timestamptz`
    : sql`((${given}::date + 1)::timestamp at time zone ${zone} - interval '1 millisecond')`
  const found = await row(
    tx,
    Moment,
    sql`select ${isoText(sql`m.at`)} as at, m.at > now() as "isAhead",
        m.at < now() + interval '10 years' as "isNear" from (select ${at} as at) m`,
  )
  if (!found?.isAhead) throw refuse('validation_failed', { fields: { [field]: ['not_ahead'] } })
  if (!found.isNear) throw refuse('validation_failed', { fields: { [field]: ['invalid'] } })
  return found.at
}
