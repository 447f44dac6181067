import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { exportUsers } from '#contract/users.ts'
import { row, rows, type Database, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { csvLine, utf8Mark } from '../../platform/http/csv.ts'
import { orderFrom } from '../../platform/http/keyset.ts'
import { readStretch } from '../../platform/http/list.ts'
import { encodeCursor } from '../../platform/http/paging.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { matchingUsers } from '../people/filter.ts'
import { membershipsOf, userSorts } from './queries.ts'

type Order = { db: Database; scope: Scope; visibility: Visibility; query: ParsedQuery<typeof exportUsers> }
const Field = z.object({ key: z.string(), label: z.string() })
type Field = z.infer<typeof Field>

const Line = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  externalId: z.nullable(z.string()),
  role: z.nullable(z.string()),
  state: z.string(),
  groups: z.array(z.string()),
  custom: z.record(z.string(), z.string()),
  lastSeenAt: z.nullable(z.string()),
  createdAt: z.string(),
})
type Line = z.infer<typeof Line>

/** People of one statement and of one piece of the file. */
const stretch = 1_000

const SlugRow = z.object({ slug: z.string() })

/** Like `acme-people-2026-11-21.csv`. */
export async function nameOfExport(tx: Tx, organizationId: string): Promise<string> {
  const found = await row(
    tx,
    SlugRow,
    sql`select slug from organizations where id = ${organizationId} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return `${found.slug.replaceAll(/[^\w-]/g, '')}-people-${new Date().toISOString().slice(0, 10)}.csv`
}

/** A file in pieces, with headers that the import knows. Every stretch is a transaction of its own: a slow reader holds no connection. */
export async function* exportedUsers(order: Order): AsyncGenerator<string> {
  const { db, scope, visibility } = order
  const fields = await db.as(scope, (tx) => findFields(tx, visibility.organizationId))
  const own = fields.map(({ label }) => label)
  yield (
    utf8Mark +
      csvLine([
        'Name',
        'Email',
        'Phone',
        'External ID',
        'Role',
        'State',
        'Groups',
        ...own,
        'Last in console',
        'Added',
      ])
  )
  let after: string | undefined
  do {
    const position = after
    const found = await db.as(scope, (tx) => findStretch(tx, order, position))
    yield found.map((one) => lineOf(one, fields)).join('')
    const last = found.at(-1)
    after = last && found.length === stretch ? encodeCursor([last.key, last.id]) : undefined
  } while (after !== undefined)
}

function findFields(tx: Tx, organizationId: string): Promise<Field[]> {
  return rows(
    tx,
    Field,
    sql`select key, label from custom_fields where organization_id = ${organizationId} and deleted_at is null order by position, id`,
  )
}

/** `after`: the position behind which the stretch begins. */
function findStretch(tx: Tx, { visibility, query }: Order, after: string | undefined) {
  const groups = membershipsOf(sql`m.user_id = u.id`, visibility)
  const list = {
    Row: Line,
    columns: sql`u.id, u.name, u.email, u.phone, u.external_id as "externalId", u.role, u.state, u.custom_fields as custom,
      array(select g.name from ${groups} order by lower(g.name)) as groups,
      ${isoText(sql`u.last_seen_at`)} as "lastSeenAt", ${isoText(sql`u.created_at`)} as "createdAt"`,
    from: sql`users u`,
    where: matchingUsers(visibility, query),
    order: orderFrom(query.sort, userSorts, sql`u.id`),
    joined: sql`u`,
  }
  return readStretch(tx, list, { after, limit: stretch })
}

function lineOf(one: Line, fields: readonly Field[]): string {
  const { name, email, phone, externalId, role, state, groups, custom, lastSeenAt, createdAt } = one
  const own = fields.map(({ key }) => custom[key] ?? null)
  return csvLine([
    name,
    email,
    phone,
    externalId,
    role,
    state,
    groups.join('; '),
    ...own,
    lastSeenAt,
    createdAt,
  ])
}
