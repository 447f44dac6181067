import * as z from 'zod/mini'
import { personFields } from '#contract/directory/person-fields.ts'
import { rows, unlessTaken, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

type Field = keyof typeof personFields
type Place = { organizationId: string; fields: readonly Field[] }

/** One of many people, with each of the named fields; `position`: by which the caller knows them. */
export type Given = { position: number; id: string | undefined; wanted: { custom: Record<string, string> } }

const columnOf = (field: Field) => personFields[field].column ?? field
const listed = (fields: readonly Field[], write: (field: Field) => string) =>
  sql.raw(fields.map(write).join(', '))

/** Fields of `users u` by their names in the contract. */
export const selectedFields = (fields: readonly Field[]): SQL =>
  listed(fields, (field) => `u.${columnOf(field)} as "${field}"`)

function recordsOf(fields: readonly Field[], people: readonly Given[]): SQL {
  const records = people.map(({ position, id, wanted }) => ({ ...wanted, position, id }))
  return sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
    as g(position int, id uuid, ${listed(fields, (field) => `"${field}" text`)}, custom jsonb)`
}

const AddedPerson = z.object({ position: z.number(), id: z.string() })

/** Position to the new person; whoever has the email or the external id already is left out by the database itself. */
export async function addPeople(
  tx: Tx,
  { organizationId, fields }: Place,
  people: readonly Given[],
): Promise<Map<number, string>> {
  if (people.length === 0) return new Map()
  const added = await rows(
    tx,
    AddedPerson,
    sql`with given as materialized (select uuidv7() as new_id, g.* from ${recordsOf(fields, people)}),
      added as (
        insert into users (id, organization_id, ${listed(fields, columnOf)}, custom_fields)
        select new_id, ${organizationId}, ${listed(fields, (field) => `g."${field}"`)}, custom from given g order by position
        on conflict do nothing returning id)
      select given.position, added.id from added join given on given.new_id = added.id`,
  )
  return new Map(added.map(({ position, id }) => [position, id]))
}

/** Writes these fields of people by their ids, all of them or none: false where somebody else has the email or the external id. */
export function changePeople(
  tx: Tx,
  { organizationId, fields }: Place,
  people: readonly Given[],
): Promise<boolean> {
  const changed = listed(fields, (field) => `${columnOf(field)} = g."${field}"`)
  return unlessTaken(tx, async () => {
    await tx.execute(
      sql`update users u set ${changed}, custom_fields = g.custom, updated_at = now()
        from ${recordsOf(fields, people)} where u.organization_id = ${organizationId} and u.id = g.id`,
    )
  })
}
