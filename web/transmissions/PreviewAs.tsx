import '#web/ui/choice.ts'
import { Select } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { findRecipients } from '#contract/transmissions/preflight.ts'
import { call } from '#web/api/client.ts'
import shapes from '#web/ui/shapes.module.css'
import { whomOf, type Draft } from './draft.ts'
import { useDebounced } from './usePreview.ts'

export type Reader = { id: string; name: string }
type Props = { draft: Draft; person: Reader; onChoose: (person: Reader) => void }

/** Somebody of the audience, found by name or address. */
export function PreviewAs({ draft, person, onChoose }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const q = text === person.name ? '' : text.trim()
  const { settled: body } = useDebounced({ ...whomOf(draft), q })
  const { data } = useQuery({
    queryKey: [findRecipients.name, body],
    queryFn: ({ signal }) => call(findRecipients, { body, signal }),
    enabled: isOpen,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  const found = data?.items ?? []
  const known = found.some(({ id }) => id === person.id) || q !== '' ? found : [person, ...found]
  const addresses = new Map(found.map(({ id, email }) => [id, email]))
  return (
    <Select
      label="As it goes to"
      data={known.map(({ id, name }) => ({ value: id, label: name }))}
      value={person.id}
      onChange={(chosen) => {
        const one = known.find(({ id }) => id === chosen)
        if (one) onChoose({ id: one.id, name: one.name })
      }}
      searchable
      onSearchChange={setText}
      filter={({ options }) => options}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={data ? 'Nobody among the recipients' : 'Loading …'}
      allowDeselect={false}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <div className={shapes.hint}>{addresses.get(option.value)}</div>
        </div>
      )}
    />
  )
}
