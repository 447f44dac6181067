import * as z from 'zod/mini'
import { listCell } from '#contract/platform/csv.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { personFields } from '#contract/directory/person-fields.ts'
import type { exportUsers } from '#contract/videos/record-bulk.ts'
import { User } from '#contract/directory/users.ts'
import { rows, type Database, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { orderFrom } from '../../platform/http/lists/keyset.ts'
import { readStretch, type Stretch } from '../../platform/http/lists/list.ts'
import type { ColumnOf } from '../../platform/http/lists/list-export.ts'
import type { Column } from '../../documents/paper.ts'
import type { Visibility } from '../../platform/http/visibility.ts'
import { matchingUsers } from '../people/filter.ts'
import { columns, groupsOf, userSorts } from './queries.ts'

type Order = { db: Database; scope: Scope; visibility: Visibility; query: ParsedQuery<typeof exportUsers> }
const OwnField = z.object({ key: z.string(), label: z.string() })
type OwnField = z.infer<typeof OwnField>
type UserColumn = Column & ColumnOf<User>

/** The columns are in the order of the fields of a person. The organization's own fields stand in the place of `customFields`. */
function columnsWith(own: readonly OwnField[]): UserColumn[] {
  return Object.entries(personFields).flatMap(([field, { export: name }]): UserColumn[] => {
    if (field === 'customFields')
      return own.map(({ key, label }) => ({
        name: label,
        as: 'text',
        cell: (person) => person.customFields[key] ?? null,
      }))
    return name === null ? [] : [{ name, as: 'text', cell: (person) => textOf(person[field as keyof User]) }]
  })
}

/** Returns the columns and rows of a file of people, with headers that the import knows. */
export async function listedUsers(order: Order) {
  const { db, scope, visibility } = order
  const own = await db.as(scope, (tx) => findFields(tx, visibility.organizationId))
  return {
    db,
    scope,
    columns: columnsWith(own),
    find: (tx: Tx, stretch: Stretch) => findStretch(tx, order, stretch),
  }
}

function findFields(tx: Tx, organizationId: string): Promise<OwnField[]> {
  return rows(
    tx,
    OwnField,
    sql`select key, label from custom_fields where organization_id = ${organizationId} and deleted_at is null order by position, id`,
  )
}

function findStretch(tx: Tx, { visibility, query }: Order, stretch: Stretch) {
  const list = {
    Row: User,
    columns: sql`${columns}, ${groupsOf(visibility)}`,
    from: sql`users u`,
    where: matchingUsers(visibility, query),
    order: orderFrom(query.sort, userSorts, sql`u.id`),
    joined: sql`u`,
  }
  return readStretch(tx, list, stretch)
}

function textOf(value: User[keyof User]): string | null {
  if (Array.isArray(value)) return listCell(value.map(({ name }) => name))
  return typeof value === 'string' ? value : null
}
