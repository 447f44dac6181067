import { Select, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import type { ReactNode } from 'react'
import { language } from '#contract/language.ts'
import './organization.css'
import { useMinute } from './useMinute.ts'

type Props = {
  id: string
  label: string
  value?: string
  onChange?: (zone: string | null) => void
  error?: ReactNode
}

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** What the clocks there show now. */
function clockOf(timeZone: string, now: Date): string {
  return new Intl.DateTimeFormat(language, {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now)
}

const asTyped = (text: string) => text.toLowerCase().replaceAll(/[_/]/g, ' ').trim()

/** `new york` finds `America/New_York`. */
const byWords: OptionsFilter = ({ options, search, limit }) => {
  const words = asTyped(search).split(/\s+/)
  const found = (options as ComboboxItem[]).filter(({ label }) =>
    words.every((word) => asTyped(label).includes(word)),
  )
  return found.slice(0, limit)
}

/** One of the time zones of the IANA, each with its present time. */
export function TimeZoneField({ value = 'UTC', error, ...field }: Props) {
  const now = useMinute()
  return (
    <Select
      {...field}
      {...(error ? { error } : {})}
      value={value}
      description={`Days in lists begin at midnight there. Now it is ${clockOf(value, now)}.`}
      data={zones.includes(value) ? zones : [value, ...zones]}
      renderOption={({ option }) => (
        <span className="time-zone">
          <span>{option.label.replaceAll('_', ' ')}</span>
          <span>{clockOf(option.value, now)}</span>
        </span>
      )}
      filter={byWords}
      searchable
      limit={50}
      allowDeselect={false}
      nothingFoundMessage="No time zone has this name"
    />
  )
}
