import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, requiredText, lines } from '../endpoint.ts'
import { OrgParams } from './organizations.ts'
import type { FieldProblem } from '../problems.ts'
import { adminRoles, everyRole } from '../roles.ts'

/** What a field of an organization's own may hold. Values are kept as text: numbers in decimal, dates as YYYY-MM-DD. */
export const fieldTypes = ['text', 'number', 'date', 'choice'] as const
export type FieldType = (typeof fieldTypes)[number]

/** The most fields of one organization. */
export const mostFields = 30
/** The most choices of one field. */
export const mostOptions = 200
/** The most characters of one value. */
export const longestValue = 500
/** Days in which a removed field can be brought back with all of its values. */
export const fieldDays = 30

export const Field = z.object({
  id: Id,
  /** The name by which `users.customFields` and rules know it; made from the first label and never changed. */
  key: z.string(),
  label: z.string(),
  type: z.enum(fieldTypes),
  /** What can be chosen, for a field of type `choice`. */
  options: z.array(z.string()),
  /** When the field was removed; its values go for good `fieldDays` later. */
  removedAt: z.nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Field = z.infer<typeof Field>

/** Values of a person's fields by key; what is empty is not there. */
export const CustomFields = z.record(z.string(), z.string())
/** Keys that are left out stay as they are, an empty value takes the present one away. */
export const CustomFieldsInput = z.record(
  z.string().check(z.maxLength(60, 'too_long')),
  z.string().check(z.maxLength(longestValue, 'too_long'), lines),
)

const Label = requiredText(60)
const Options = z.array(requiredText(100)).check(z.maxLength(mostOptions, 'too_long'))

export const FieldInput = z.object({
  label: Label,
  type: z.enum(fieldTypes),
  /** Needed for `choice`, ignored for everything else. */
  options: z._default(Options, []),
})
export type FieldInput = z.infer<typeof FieldInput>

/** The type stays: values of another one would mean nothing. */
export const FieldChange = z.object({ label: Label, options: z._default(Options, []) })

export const FieldParams = z.object({ orgId: Id, fieldId: Id })
export const FieldList = z.object({ items: z.array(Field) })

export const listFields = endpoint({
  name: 'listFields',
  method: 'GET',
  path: '/organizations/:orgId/fields',
  summary: 'The fields that an organization has defined for its people, in its order',
  access: only(everyRole, 'people:read'),
  params: OrgParams,
  reply: FieldList,
})

export const listRemovedFields = endpoint({
  name: 'listRemovedFields',
  method: 'GET',
  path: '/organizations/:orgId/fields/removed',
  summary: 'Removed fields that can be brought back, last removed first',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: FieldList,
})

export const createField = endpoint({
  name: 'createField',
  method: 'POST',
  path: '/organizations/:orgId/fields',
  summary: `Add a field, at the end; an organization has ${mostFields} at most`,
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: FieldInput,
  reply: Field,
  status: 201,
  idempotent: true,
})

export const readField = endpoint({
  name: 'readField',
  method: 'GET',
  path: '/organizations/:orgId/fields/:fieldId',
  summary: 'One field',
  access: only(everyRole, 'people:read'),
  params: FieldParams,
  reply: Field,
})

export const updateField = endpoint({
  name: 'updateField',
  method: 'PUT',
  path: '/organizations/:orgId/fields/:fieldId',
  summary: 'Change the label or the choices; people keep a value that is no longer offered',
  access: only(adminRoles, 'settings'),
  params: FieldParams,
  body: FieldChange,
  reply: Field,
  ifMatch: true,
})

export const orderFields = endpoint({
  name: 'orderFields',
  method: 'PUT',
  path: '/organizations/:orgId/fields',
  summary: 'Put the fields into another order; each of them is named once',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: z.object({ fieldIds: z.array(Id).check(z.maxLength(mostFields, 'too_long')) }),
  reply: FieldList,
})

export const deleteField = endpoint({
  name: 'deleteField',
  method: 'DELETE',
  path: '/organizations/:orgId/fields/:fieldId',
  summary: `Remove a field; it can be brought back with its values for ${fieldDays} days`,
  access: only(adminRoles, 'settings'),
  params: FieldParams,
  reply: Field,
})

export const restoreField = endpoint({
  name: 'restoreField',
  method: 'POST',
  path: '/organizations/:orgId/fields/:fieldId/restore',
  summary: 'Bring a removed field back, with the values that people had',
  access: only(adminRoles, 'settings'),
  params: FieldParams,
  reply: Field,
})

/** A number as people write it, at most 15 digits before and 10 behind the point. */
const numberPattern = /^([+-]?)0*(\d{1,15})(?:\.(\d{1,10}))?$/

function checkNumber(text: string): Checked {
  const [, sign, whole = '', part = ''] = numberPattern.exec(text) ?? []
  if (sign === undefined) return { problem: 'invalid_number' }
  const digits = part.replace(/0+$/, '')
  const size = digits === '' ? whole : `${whole}.${digits}`
  return { value: sign === '-' && size !== '0' ? `-${size}` : size }
}

function checkDate(text: string): Checked {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN)
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= '1000'
  return isReal ? { value: text } : { problem: 'invalid_date' }
}

/** What can be wrong with a value. */
type ValueProblem = Extract<FieldProblem, 'invalid_number' | 'invalid_date' | 'not_a_choice' | 'too_long'>
export type Checked = { value: string } | { problem: ValueProblem }
type Definition = Pick<Field, 'type' | 'options'>

/**
 * One value of a field as it is kept, or what is wrong with it. An empty one is always right. Numbers are kept in one way of
 * writing (`007.50` is `7.5`), choices as the field writes them, whatever the case of the given one.
 */
export function checkFieldValue({ type, options }: Definition, given: string): Checked {
  const text = given.trim()
  if (text === '') return { value: '' }
  if (text.length > longestValue) return { problem: 'too_long' }
  if (type === 'number') return checkNumber(text)
  if (type === 'date') return checkDate(text)
  if (type === 'text') return { value: text }
  const option =
    options.find((one) => one === text) ?? options.find((one) => one.toLowerCase() === text.toLowerCase())
  return option === undefined ? { problem: 'not_a_choice' } : { value: option }
}
