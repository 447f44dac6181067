import { TextInput, Select, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import { optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { LanguageField } from '../LanguageField.tsx'
import { BrandColor } from './BrandColor.tsx'
import { PolicyFields } from './PolicyFields.tsx'
import type { OrganizationForm } from './values.ts'
import { useState, type ReactNode, useEffect } from 'react'
import { language } from '#contract/platform/text/language.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  form: OrganizationForm
  /** Left out while there is none yet: a new organization has a name and a time zone, the rest are its settings. */
  orgId?: string
  logo?: string | null
}

type TimeZoneFieldProps = {
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
function TimeZoneField({ value = 'UTC', error, ...field }: TimeZoneFieldProps) {
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
        <span className={shapes.spaceBetween} style={{ flex: 1 }}>
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

/** The present time, renewed as often as a clock without seconds changes. */
function useMinute(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setTimeout(() => setNow(new Date()), 60_000 - (now.getTime() % 60_000))
    return () => clearTimeout(timer)
  }, [now])
  return now
}

export function OrganizationFields({ form: { form, field }, orgId, logo = null }: Props) {
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      {orgId !== undefined && (
        <TextInput
          {...field('domain')}
          label={optional('Domain')}
          description="Such as acme.com. It stands beside the name, so that organizations of the same name are told apart."
          value={form.values.domain ?? ''}
          onChange={(event) => form.setFieldValue('domain', event.currentTarget.value || null)}
          autoComplete="off"
        />
      )}
      <TimeZoneField {...field('timeZone')} />
      <LanguageField
        {...field('language')}
        description="For mails, videos and certificates, unless a person has another."
        value={form.values.language}
        onChange={(chosen) => form.setFieldValue('language', chosen ?? 'en')}
      />
      <BrandColor form={{ form, field }} logo={logo} />
      {orgId !== undefined && <PolicyFields form={form} orgId={orgId} />}
    </>
  )
}
