import * as z from 'zod/mini'
import { checkFieldValue } from '#contract/fields.ts'
import { because, type ImportReason } from '#contract/import-reasons.ts'
import type { ImportMapping, ImportOptions } from '#contract/imports.ts'
import { asRole } from '#contract/roles.ts'
import { Email } from '#contract/users.ts'
import type { OwnField } from './columns.ts'

/** How the cells of a file are to be understood. */
export type Plan = {
  mapping: ImportMapping
  options: ImportOptions
  fields: readonly OwnField[]
  width: number
}

/** Undefined: the file says nothing about it. Null: there is to be none. */
type Optional<T> = T | null | undefined

/** A row as it was understood. */
export type Understood = {
  position: number
  name: string | undefined
  email: string | undefined
  phone: Optional<string>
  externalId: Optional<string>
  role: Optional<'admin' | 'groupadmin'>
  state: 'active' | 'disabled' | undefined
  groups: string[]
  custom: Record<string, string | null>
  /** What is wrong with the row whoever is there already. */
  faults: string[]
}

type Cells = {
  of: (target: string) => string | undefined
  isEmpty: (target: string) => boolean
}

/** Reads the cells of one row; what is wrong with it is said, never thrown. */
export function readRow(position: number, cells: readonly string[], plan: Plan): Understood {
  const faults: string[] = []
  const given = cellsOf(cells, plan)
  const { options } = plan
  const fault = (reason: ImportReason, about?: string) => void faults.push(because(reason, about))
  if (cells.slice(plan.width).some((cell) => cell.trim() !== '')) fault('too_many_cells')
  return {
    position,
    name: readName(given, fault),
    email: readEmail(given, fault),
    phone: readText(given, { target: 'phone', most: 50, reason: 'phone_too_long', options }, fault),
    externalId: readText(
      given,
      { target: 'externalId', most: 200, reason: 'external_id_too_long', options },
      fault,
    ),
    role: readRole(given, fault),
    state: readState(given, fault),
    groups: readGroups(given, fault),
    custom: readFields(given, plan, fault),
    faults,
  }
}

type Fault = (reason: ImportReason, about?: string) => void

function cellsOf(cells: readonly string[], { mapping }: Plan): Cells {
  const columns = new Map(Object.entries(mapping).map(([index, target]) => [target, Number(index)]))
  const raw = (target: string) => {
    const index = columns.get(target)
    return index === undefined ? undefined : cells[index]
  }
  return {
    of: (target) => raw(target)?.trim() || undefined,
    // A row that ends before the column says nothing about it.
    isEmpty: (target) => raw(target)?.trim() === '',
  }
}

function readName({ of }: Cells, fault: Fault): string | undefined {
  const parts = of('name') ?? [of('firstName'), of('lastName')].filter(Boolean).join(' ')
  const name = parts.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (name.length > 200) fault('name_too_long')
  return name || undefined
}

function readEmail({ of }: Cells, fault: Fault): string | undefined {
  const given = of('email')?.replace(/^mailto:/i, '')
  if (given === undefined) return undefined
  const read = z.safeParse(Email, given)
  if (!read.success) fault('invalid_email', given)
  return read.success ? read.data : undefined
}

type Text = { target: 'phone' | 'externalId'; most: number; reason: ImportReason; options: ImportOptions }

function readText(
  { of, isEmpty }: Cells,
  { target, most, reason, options }: Text,
  fault: Fault,
): Optional<string> {
  const text = of(target)
  if (text === undefined) return options.emptyCells === 'clear' && isEmpty(target) ? null : undefined
  if (text.length > most) fault(reason)
  return text
}

/** What people call somebody without a role. */
const noRole = new Set(['none', 'recipient', 'user', 'member', '-', '–', 'no role'])
const roleLabels: Record<string, string> = {
  administrator: 'admin',
  'group administrator': 'groupadmin',
  'group admin': 'groupadmin',
}

function readRole({ of }: Cells, fault: Fault): Understood['role'] {
  const given = of('role')?.toLowerCase()
  if (given === undefined) return undefined
  if (noRole.has(given)) return null
  const role = asRole(roleLabels[given] ?? given)
  if (role === 'superadmin') fault('role_not_allowed', given)
  else if (role === null) fault('unknown_role', given)
  return role === 'superadmin' || role === null ? undefined : role
}

const stateLabels: Record<string, 'active' | 'disabled' | undefined> = {
  active: 'active',
  enabled: 'active',
  disabled: 'disabled',
  inactive: 'disabled',
  blocked: 'disabled',
}

/** `invited` is what an export says of people who have not accepted yet; it asks for nothing. */
function readState({ of }: Cells, fault: Fault): Understood['state'] {
  const given = of('state')?.toLowerCase()
  if (given === undefined || given === 'invited') return undefined
  const state = Object.hasOwn(stateLabels, given) ? stateLabels[given] : undefined
  if (!state) fault('unknown_state', given)
  return state
}

function readGroups({ of }: Cells, fault: Fault): string[] {
  const names = (of('groups') ?? '').split(/[;|\n]/).map((name) => name.trim())
  const known = new Map(names.filter(Boolean).map((name) => [name.toLowerCase(), name]))
  if (names.some((name) => name.length > 200)) fault('group_name_too_long')
  return [...known.values()]
}

const fieldReasons = {
  invalid_number: 'invalid_number',
  invalid_date: 'invalid_date',
  not_a_choice: 'unknown_choice',
  too_long: 'value_too_long',
} as const

function readFields({ of, isEmpty }: Cells, { fields, options }: Plan, fault: Fault): Understood['custom'] {
  const custom: Understood['custom'] = {}
  for (const field of fields) {
    const target = `field:${field.key}`
    const given = of(target)
    if (given === undefined) {
      if (options.emptyCells === 'clear' && isEmpty(target)) custom[field.key] = null
      continue
    }
    const checked = checkFieldValue(field, given)
    if ('value' in checked) custom[field.key] = checked.value
    else fault(fieldReasons[checked.problem], checked.problem === 'too_long' ? field.label : given)
  }
  return custom
}
