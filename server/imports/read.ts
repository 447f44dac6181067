import { checkFieldValue } from '#contract/directory/fields.ts'
import { readListCell } from '#contract/platform/csv.ts'
import { because, type ImportReason } from '#contract/imports/import-reasons.ts'
import type { ImportMapping, ImportOptions } from '#contract/imports/imports.ts'
import type { OwnField } from './columns.ts'
import { lineOf, readImportedFields, type Cells, type Fault, type ImportedFields } from './fields.ts'
import { plainText } from './written.ts'

/** How the cells of a file are to be understood. */
export type Plan = {
  mapping: ImportMapping
  options: ImportOptions
  fields: readonly OwnField[]
  width: number
}

/** What a row of the file says. */
export type ReadRow = {
  position: number
  /** A field is missing where the row says nothing about it; null: there is to be none. */
  given: Partial<ImportedFields>
  groups: string[]
  /** The whole cell of the groups where it has a divider: one group may be called so. */
  groupsAsOne: string | undefined
  custom: Record<string, string | null>
  /** What is wrong with the row whoever is there already. */
  faults: string[]
  warnings: Warning[]
}

/** A cell that a person can do without cannot be read: the rest of the row is imported. `key`: of a field of the organization's own. */
export type Warning = { reason: string; key?: string; given?: string }

/** Reads the cells of one row; what is wrong with it is said, never thrown. */
export function readRow(position: number, cells: readonly string[], plan: Plan): ReadRow {
  const faults: string[] = []
  const warnings: Warning[] = []
  const fault: Fault = (reason, about) => {
    if (optional.has(reason)) warnings.push({ reason: because(reason, about) })
    else faults.push(because(reason, about))
  }
  if (cells.slice(plan.width).some((cell) => cell.trim() !== '')) fault('too_many_cells')
  const byTarget = cellsOf(cells, plan)
  return {
    position,
    given: readImportedFields(byTarget, fault),
    ...readGroups(byTarget, fault),
    custom: readCustomFields(byTarget, plan, warnings),
    faults,
    warnings,
  }
}

/** Of cells without which a person is still who they are and may do what they may. */
const optional: ReadonlySet<ImportReason> = new Set([
  'phone_too_long',
  'manager_too_long',
  'unknown_language',
  'unknown_time_zone',
])

function cellsOf(cells: readonly string[], { mapping, options }: Plan): Cells {
  const columns = new Map(Object.entries(mapping).map(([index, target]) => [target, Number(index)]))
  const raw = (target: string) => {
    const index = columns.get(target)
    return index === undefined ? undefined : cells[index]
  }
  return {
    of: (target) => raw(target)?.trim() || undefined,
    // A row that ends before the column says nothing about it.
    clears: (target) => options.emptyCells === 'clear' && raw(target)?.trim() === '',
  }
}

function readGroups({ of }: Cells, fault: Fault): Pick<ReadRow, 'groups' | 'groupsAsOne'> {
  const cell = of('groups') ?? ''
  const names = readListCell(cell).map(lineOf)
  const known = new Map(names.map((name) => [name.toLowerCase(), name]))
  if (names.some((name) => name.length > 200)) fault('group_name_too_long')
  return { groups: [...known.values()], groupsAsOne: names.length > 1 ? lineOf(cell) : undefined }
}

const fieldReasons = {
  invalid_number: 'invalid_number',
  invalid_date: 'invalid_date',
  not_a_choice: 'unknown_choice',
  too_long: 'value_too_long',
} as const

type Unread = { fault: ImportReason } | { problem: keyof typeof fieldReasons }

function reasonOf(unread: Unread, label: string, given: string): [ImportReason, string] {
  if ('fault' in unread) return [unread.fault, given]
  return [fieldReasons[unread.problem], unread.problem === 'too_long' ? label : given]
}

function readCustomFields(
  { of, clears }: Cells,
  { fields, options }: Plan,
  warnings: Warning[],
): ReadRow['custom'] {
  const custom: ReadRow['custom'] = {}
  for (const field of fields) {
    const target = `field:${field.key}` as const
    const given = of(target)
    if (given === undefined) {
      if (clears(target)) custom[field.key] = null
      continue
    }
    const read = plainText(field.type, given, options)
    const checked = 'fault' in read ? read : checkFieldValue(field, read.text)
    if ('value' in checked) custom[field.key] = checked.value
    else warnings.push({ reason: because(...reasonOf(checked, field.label, given)), key: field.key, given })
  }
  return custom
}
