import '#web/ui/fields/choice.ts'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { listReportChoices } from '#contract/reports/report-scope.ts'
import { queryOf } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'
import { subjectLabels, type SubjectFilterProps } from './SubjectFilter.tsx'

/** Groups, projects, videos or transmissions to search and choose from, open as soon as it is there. */
export function SubjectSelect({ of, value, name, organization, onChange }: SubjectFilterProps) {
  const words = subjectLabels[of]
  const isOfAll = useUser().role === 'superadmin' && organization === ''
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const [text, setText] = useState('')
  // The field begins with what is chosen, which nobody has searched for.
  const isTouched = value === '' || name === undefined || !text.startsWith(name)
  const [q] = useDebouncedValue(isTouched ? text.trim() : '', 250)
  const { data } = useQuery({
    ...queryOf(listReportChoices, {
      query: { of, q, ...(organization ? { organizationId: organization } : {}) },
    }),
    placeholderData: keepPreviousData,
  })
  const found = (data?.items ?? []).map((one) => ({
    value: one.id,
    label: isOfAll ? `${one.name} (${one.organizationName})` : one.name,
  }))
  const isKnown = value === '' || name === undefined || found.some((one) => one.value === value)
  return (
    <Select
      label={words.one}
      placeholder={words.all}
      data={isKnown ? found : [{ value, label: name }, ...found]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage={data ? words.none : 'Loading …'}
      searchable
      ref={field}
      defaultDropdownOpened
      clearable
      clearButtonProps={{ 'aria-label': `Show ${words.all.toLowerCase()}` }}
    />
  )
}
