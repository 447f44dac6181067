import '#web/ui/fields/choice.ts'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listOrganizations, readOrganization } from '#contract/directory/organizations.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import { labels } from './draft.ts'

type Props = { chosen: string; error: string | undefined; onChoose: (organizationId: string) => void }

/** Lets superadmins choose an organization, because they are in none themselves. */
export function OrganizationChoice({ chosen, error, onChoose }: Props) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [q] = useDebouncedValue(text === name ? '' : text.trim(), 200)
  const { data } = useQuery(queryOf(listOrganizations, { query: { q, limit: 25 } }))
  const given = useQuery({
    ...queryOf(readOrganization, { params: { orgId: chosen } }),
    enabled: chosen !== '' && name === '',
  })
  const found = new Map((data?.items ?? []).map((one) => [one.id, one.name]))
  if (chosen !== '' && !found.has(chosen)) found.set(chosen, name || (given.data?.name ?? ''))
  return (
    <Select
      id={fieldId('accountId')}
      label={labels['accountId']}
      error={error}
      placeholder="Search by name"
      data={Array.from(found, ([value, label]) => ({ value, label }))}
      value={chosen === '' ? null : chosen}
      // Choosing another one begins the rest of the form anew; choosing the same one again changes nothing.
      allowDeselect={false}
      onChange={(id) => {
        if (id === null || id === chosen) return
        setName(found.get(id) ?? '')
        onChoose(id)
      }}
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage="Nothing matches"
    />
  )
}
