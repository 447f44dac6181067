import { Select, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { language } from '#contract/platform/language.ts'
import { zoneText } from '#contract/platform/time-zones.ts'
import { useMinute } from './useMinute.ts'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  id: string
  label: string
  value?: string
  onChange?: (zone: string | null) => void
  error?: ReactNode
}

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** By the words that people know. */
const choicesOf = (names: readonly string[]) =>
  names.map((name) => ({ value: name, label: zoneText(name) })).sort((a, b) => a.label.localeCompare(b.label))

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

/** `new york` finds `America/New_York`, `eastern` too. */
const byWords: OptionsFilter = ({ options, search, limit }) => {
  const words = asTyped(search).split(/\s+/)
  const found = (options as ComboboxItem[]).filter(({ label, value }) =>
    words.every((word) => asTyped(`${label} ${value}`).includes(word)),
  )
  return found.slice(0, limit)
}

/** One of the time zones of the world, each with its present time. */
export function TimeZoneField({ value = 'UTC', error, ...field }: Props) {
  const now = useMinute()
  const [choices] = useState(() => choicesOf(zones.includes(value) ? zones : [value, ...zones]))
  return (
    <Select
      {...field}
      {...(error ? { error } : {})}
      value={value}
      description={`Days in lists begin at midnight there. Now it is ${clockOf(value, now)}.`}
      data={choices}
      renderOption={({ option }) => (
        <span className={shapes.apart} style={{ flex: 1 }}>
          <span>{option.label}</span>
          <span className={shapes.updated}>{clockOf(option.value, now)}</span>
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
