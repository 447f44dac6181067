import '#web/ui/choice.ts'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listOrganizations, readOrganization } from '#contract/organizations.ts'
import { queryOf, useList } from '#web/api/query.ts'

type Props = { value: string; onChange: (organizationId: string) => void }

/** For superadmins, who are in no organization: whose content is shown, and where uploads go. */
export function OrganizationPicker({ value, onChange }: Props) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text, 250)
  const { page } = useList(listOrganizations, { query: { q, limit: 50 } })
  const chosen = useChosen(value)
  const options = (page?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const known = options.some((option) => option.value === value)
  return (
    <Select
      aria-label="Organization"
      placeholder="All organizations"
      data={known || chosen === undefined ? options : [{ value, label: chosen }, ...options]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      onSearchChange={(next) => setText(next === chosen ? '' : next)}
      filter={({ options: all }) => all}
      nothingFoundMessage="No organization has this in its name"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Show all organizations' }}
    />
  )
}

function useChosen(orgId: string): string | undefined {
  return useQuery({ ...queryOf(readOrganization, { params: { orgId } }), enabled: orgId !== '' }).data?.name
}
