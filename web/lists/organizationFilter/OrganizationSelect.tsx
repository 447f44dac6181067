import '#web/ui/fields/choice.ts'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { queryOf } from '#web/api/query.ts'
import organizationClasses from './OrganizationFilter.module.css'

type Props = { value: string; name: string | undefined; onChange: (organizationId: string) => void }

/** Organizations to search and choose from, open as soon as it is there. */
export function OrganizationSelect({ value, name, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text === name ? '' : text.trim(), 250)
  const { data } = useQuery({
    ...queryOf(listOrganizations, { query: { q, limit: 50 } }),
    placeholderData: keepPreviousData,
  })
  const found = (data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))
  const isKnown = found.some((one) => one.value === value)
  return (
    <Select
      className={organizationClasses.organization}
      aria-label="Organization"
      placeholder="All organizations"
      data={isKnown || value === '' || name === undefined ? found : [{ value, label: name }, ...found]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage={data ? 'No organization has this in its name' : 'Loading …'}
      allowDeselect={false}
      searchable
      ref={field}
      defaultDropdownOpened
      clearable
      clearButtonProps={{ 'aria-label': 'Show all organizations' }}
    />
  )
}
