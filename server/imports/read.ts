import { checkFieldValue } from '#contract/fields.ts'
import { inOneLine } from '#contract/text.ts'
import { because } from '#contract/import-reasons.ts'
import type { ImportMapping, ImportOptions } from '#contract/imports.ts'
import type { OwnField } from './columns.ts'
import { readImportedFields, type Cells, type Fault, type ImportedFields } from './fields.ts'

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
  custom: Record<string, string | null>
  /** What is wrong with the row whoever is there already. */
  faults: string[]
}

/** Reads the cells of one row; what is wrong with it is said, never thrown. */
export function readRow(position: number, cells: readonly string[], plan: Plan): ReadRow {
  const faults: string[] = []
  const fault: Fault = (reason, about) => void faults.push(because(reason, about))
  if (cells.slice(plan.width).some((cell) => cell.trim() !== '')) fault('too_many_cells')
  const byTarget = cellsOf(cells, plan)
  return {
    position,
    given: readImportedFields(byTarget, fault),
    groups: readGroups(byTarget, fault),
    custom: readCustomFields(byTarget, plan, fault),
    faults,
  }
}

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

function readGroups({ of }: Cells, fault: Fault): string[] {
  const names = (of('groups') ?? '').split(/[;|\n]/).map(inOneLine)
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

function readCustomFields({ of, clears }: Cells, { fields }: Plan, fault: Fault): ReadRow['custom'] {
  const custom: ReadRow['custom'] = {}
  for (const field of fields) {
    const target = `field:${field.key}` as const
    const given = of(target)
    if (given === undefined) {
      if (clears(target)) custom[field.key] = null
      continue
    }
    const checked = checkFieldValue(field, given)
    if ('value' in checked) custom[field.key] = checked.value
    else fault(fieldReasons[checked.problem], checked.problem === 'too_long' ? field.label : given)
  }
  return custom
}
