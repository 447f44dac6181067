import * as z from 'zod/mini'
import { CustomFields } from '#contract/directory/fields.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { faultIn, variableNames } from '#contract/transmissions/variables.ts'
import type { Values } from '../../documents/mail/filling.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'

/** A message may name this field. One that was removed has no value any more. */
export const NamedField = z.object({ key: z.string(), isThere: z.boolean() })
export type NamedField = z.infer<typeof NamedField>

/** This expression lists all fields of an organization, those that were removed too. */
export const namedFields = (organizationId: SQL): SQL =>
  sql`select f.key, f.deleted_at is null as "isThere" from custom_fields f where f.organization_id = ${organizationId}`

export const findNamedFields = (tx: Tx, organizationId: string): Promise<NamedField[]> =>
  rows(tx, NamedField, namedFields(sql`${organizationId}`))

/** Returns the names of everything that a text may name. */
export const knownNames = (fields: readonly NamedField[]): ReadonlySet<string> =>
  new Set([...fields.map(({ key }) => key), ...variableNames])

/**
 * Refuses texts with a variable that is not known, or whose braces are broken, at their fields and with the place of the first one.
 */
export async function requireVariables(
  tx: Tx,
  organizationId: string,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const fields = await findNamedFields(tx, organizationId)
  const known = knownNames(fields.filter(({ isThere }) => isThere))
  const faults = Object.entries(texts).flatMap(([field, text]) => {
    const fault = faultIn(text ?? '', known)
    return fault ? [[field, fault] as const] : []
  })
  const [first] = faults
  if (!first) return
  throw refuse('validation_failed', {
    fields: Object.fromEntries(faults.map(([field]) => [field, ['invalid']])),
    reason: { code: 'not_a_variable', params: first[1] },
  })
}

/** A message may name this much of somebody. */
export const Addressee = z.object({
  name: z.string(),
  address: z.string(),
  fields: CustomFields,
  /** They are written to in this language; null means the one of the organization. */
  language: z.nullable(z.enum(languages)),
})
export type Addressee = z.infer<typeof Addressee>

/** These columns are those of `users u`. */
export const addresseeColumns = sql`u.name, lower(btrim(u.email)) as address, u.custom_fields as fields, u.language`

/**
 * This finds the first name behind titles, and behind the comma of "Lovelace, Ada"; an address is no name. JavaScript and PostgreSQL read
 * it alike.
 */
const firstName = String.raw`^(?!.*@)(?:[^,]*,)?\s*(?:(?:prof|dr|mr|mrs|ms|mx)\.\s*)*([^\s,]+)`
const firstNamePattern = new RegExp(firstName, 'i')

export function valuesOf(
  { name, address, fields }: Pick<Addressee, 'name' | 'address' | 'fields'>,
  named: readonly NamedField[],
): Values {
  const own = named.filter(({ isThere }) => isThere).map(({ key }) => [key, fields[key]] as const)
  return { ...Object.fromEntries(own), name, firstName: firstNamePattern.exec(name)?.[1], email: address }
}

/** This condition on `users u` holds for those for whom a variable has no value. */
export function lacks(variable: string): SQL {
  if (variable === 'firstName') return sql`u.name !~* ${firstName}`
  if (variable === 'name') return sql`btrim(u.name) = ''`
  if (variable === 'email') return sql`false`
  return sql`btrim(coalesce(u.custom_fields->>${variable}, '')) = ''`
}
