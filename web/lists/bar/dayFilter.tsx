import { formatDay } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import type { Filter } from './filters.ts'

const DayField = onDemand(async () => (await import('#web/ui/fields/DayField.tsx')).DayField)

type Choice = {
  label: string
  /** '' for none. */
  value: string
  onChange: (day: string) => void
  /** The days that there are, both among them. */
  from?: string | undefined
  until?: string | undefined
}

/** A filter by a day. */
export function dayFilter(choice: Choice): Filter {
  const { label, value, onChange } = choice
  return {
    label,
    chosen: value === '' ? null : formatDay(value),
    clear: () => onChange(''),
    field: <DayField {...choice} />,
  }
}
