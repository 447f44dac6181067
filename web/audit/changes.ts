import type { AuditEntry } from '#contract/platform/audit.ts'
import { asRole } from '#contract/roles.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { dash } from '#web/ui/format.ts'
import { labelOf } from './field-labels.ts'

export type ShownChange = { field: string; label: string; before: string | null; after: string | null }

/** Of no interest to people: they follow from the rest. */
const silent = new Set(['id', 'updatedAt', 'createdAt', 'organizationId', 'lastSeenAt', 'version'])

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

/** What differs between before and after; with only one of them, all that it says. Fields within fields are on their own. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): ShownChange[] {
  const [was, is] = [flat(record(before)), flat(record(after))]
  // What a change leaves out has stayed.
  const isChange = was.size > 0 && is.size > 0
  const fields = isChange ? [...is.keys()] : [...new Set([...was.keys(), ...is.keys()])]
  return fields
    .filter((field) => !silent.has(field) && was.get(field) !== is.get(field))
    .map((field) => {
      return { field, label: labelOf(field), before: was.get(field) ?? null, after: is.get(field) ?? null }
    })
}

function flat(value: Record<string, unknown>, above = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, one] of Object.entries(value)) {
    const field = above === '' ? name : `${above}.${name}`
    const inside = flat(record(one), field)
    const role = name === 'role' && typeof one === 'string' ? asRole(one) : null
    if (inside.size === 0) found.set(field, role ? roleNames[role] : textOf(one))
    for (const [deeper, text] of inside) found.set(deeper, text)
  }
  return found
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return dash
  if (typeof value === 'boolean') return value ? /* text */ 'yes' : /* text */ 'no'
  if (Array.isArray(value)) return value.map(nameIn).join(', ') || dash
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Things of a list go by their name. */
function nameIn(value: unknown): string {
  const { name } = record(value)
  return typeof name === 'string' ? name : typeof value === 'string' ? value : JSON.stringify(value)
}
