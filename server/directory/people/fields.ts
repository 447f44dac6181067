import { checkFieldValue, Field } from '#contract/directory/fields.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { arrayOf, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'

/** These columns are those of `custom_fields f`. */
export const fieldColumns = sql`f.id, f.key, f.label, f.type, f.options, ${isoText(sql`f.deleted_at`)} as "removedAt",
  ${isoText(sql`f.created_at`)} as "createdAt", ${isoText(sql`f.updated_at`)} as "updatedAt"`

/** Finds the fields of an organization in their order. */
export function findFields(tx: Tx, organizationId: string): Promise<Field[]> {
  return rows(
    tx,
    Field,
    sql`select ${fieldColumns} from custom_fields f
      where f.organization_id = ${organizationId} and f.deleted_at is null order by f.position, f.id`,
  )
}

export function findField(tx: Tx, organizationId: string, id: string): Promise<Field> {
  return requireRow(
    tx,
    Field,
    sql`select ${fieldColumns} from custom_fields f
      where f.organization_id = ${organizationId} and f.id = ${id} and f.deleted_at is null`,
  )
}

/** This expression gives the values of `users u` that belong to a field. Those of a removed one are kept, but shown to nobody. */
export const shownFields = sql`coalesce((select jsonb_object_agg(f.key, u.custom_fields -> f.key) from custom_fields f
  where f.organization_id = u.organization_id and f.deleted_at is null and u.custom_fields ? f.key), '{}')`

type FieldValues = Readonly<Record<string, string>>

/**
 * Returns values as they are kept, by key. Refuses what does not fit its field. A value that the person has already is right whatever the
 * field says by now.
 */
export async function checkedFields(
  tx: Tx,
  organizationId: string,
  { given, before = {} }: { given: FieldValues | undefined; before?: FieldValues },
): Promise<FieldValues> {
  if (!given || Object.keys(given).length === 0) return {}
  const known = new Map((await findFields(tx, organizationId)).map((field) => [field.key, field]))
  const values: Record<string, string> = {}
  const problems: Record<string, FieldProblem[]> = {}
  for (const [key, value] of Object.entries(given)) {
    const field = known.get(key)
    const checked = field ? checkFieldValue(field, value) : { problem: 'unknown_field' as const }
    if ('value' in checked) values[key] = checked.value
    else if (before[key] === value) values[key] = value
    else problems[`customFields.${key}`] = [checked.problem]
  }
  if (Object.keys(problems).length > 0) throw refuse('validation_failed', { fields: problems })
  return values
}

/** Returns a person's values with these changes. An empty one takes the present one away. */
export function withFields(present: SQL, changes: FieldValues): SQL {
  const entries = Object.entries(changes)
  const filled = Object.fromEntries(entries.filter(([, value]) => value !== ''))
  const emptied = entries.filter(([, value]) => value === '').map(([key]) => key)
  return sql`(${present} || ${JSON.stringify(filled)}::jsonb) - ${arrayOf(emptied, 'text')}`
}
