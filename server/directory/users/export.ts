import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { personFields } from '#contract/person-fields.ts'
import { User, type exportUsers } from '#contract/users.ts'
import { row, rows, type Database, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { csvLine, utf8Mark } from '../../platform/http/csv.ts'
import { orderFrom } from '../../platform/http/keyset.ts'
import { readStretch } from '../../platform/http/list.ts'
import { encodeCursor } from '../../platform/http/paging.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { matchingUsers } from '../people/filter.ts'
import { columns, groupsOf, userSorts } from './queries.ts'

type Order = { db: Database; scope: Scope; visibility: Visibility; query: ParsedQuery<typeof exportUsers> }
const OwnField = z.object({ key: z.string(), label: z.string() })
type OwnField = z.infer<typeof OwnField>

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

/** Fields of a person in the order of their columns; those of the organization's own stand in the place of `customFields`. */
const exportedFields = Object.entries(personFields).flatMap(([field, { export: heading }]) =>
  heading === null && field !== 'customFields' ? [] : [{ field: field as keyof User, heading }],
)

/** A file in pieces, with headers that the import knows. Every stretch is a transaction of its own: a slow reader holds no connection. */
export async function* exportedUsers(order: Order): AsyncGenerator<string> {
  const { db, scope, visibility } = order
  const own = await db.as(scope, (tx) => findFields(tx, visibility.organizationId))
  yield utf8Mark + csvLine(exportedFields.flatMap(({ heading }) => heading ?? own.map(({ label }) => label)))
  let after: string | undefined
  do {
    const position = after
    const found = await db.as(scope, (tx) => findStretch(tx, order, position))
    yield found.map((person) => lineOf(person, own)).join('')
    const last = found.at(-1)
    after = last && found.length === stretch ? encodeCursor([last.key, last.id]) : undefined
  } while (after !== undefined)
}

function findFields(tx: Tx, organizationId: string): Promise<OwnField[]> {
  return rows(
    tx,
    OwnField,
    sql`select key, label from custom_fields where organization_id = ${organizationId} and deleted_at is null order by position, id`,
  )
}

/** `after`: the position behind which the stretch begins. */
function findStretch(tx: Tx, { visibility, query }: Order, after: string | undefined) {
  const list = {
    Row: User,
    columns: sql`${columns}, ${groupsOf(visibility)}`,
    from: sql`users u`,
    where: matchingUsers(visibility, query),
    order: orderFrom(query.sort, userSorts, sql`u.id`),
    joined: sql`u`,
  }
  return readStretch(tx, list, { after, limit: stretch })
}

const lineOf = (person: User, own: readonly OwnField[]): string =>
  csvLine(exportedFields.flatMap(({ field }) => cellsOf(person, field, own)))

function cellsOf(
  person: User,
  field: keyof User,
  own: readonly OwnField[],
): string | null | (string | null)[] {
  const value = person[field]
  if (value === null || typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(({ name }) => name).join('; ')
  return own.map(({ key }) => value[key] ?? null)
}
