import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { queryOf } from '#web/api/query.ts'
import '#web/ui/fields/fields.ts'
import menu from '#web/ui/overlays/menu.module.css'
import classes from './OrganizationPanel.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { chosen: string; onChoose: (organizationId: string) => void }

/** All organizations, or one of them, found by name. */
export function OrganizationPanel({ chosen, onChoose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 250)
  const { data, error } = useQuery({
    ...queryOf(listOrganizations, { query: { q, limit: 50 } }),
    placeholderData: keepPreviousData,
  })
  const found = data?.items ?? []
  const rows = q === '' ? [{ id: '', name: 'All organizations' }, ...found] : found
  return (
    <>
      <TextInput
        ref={field}
        type="search"
        aria-label="Find an organization"
        placeholder="Find an organization"
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <ul className={classes.list}>
        {rows.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              className={menu.row}
              aria-pressed={id === chosen}
              onClick={() => onChoose(id)}
            >
              <span className={shapes.grow}>{name}</span>
              {id === chosen && <IconCheck size={16} aria-hidden />}
            </button>
          </li>
        ))}
      </ul>
      <p className={shapes.hint} role="status">
        {error && 'The organizations could not be loaded. Open this again.'}
        {data && found.length === 0 && q !== '' && 'No organization has this in its name.'}
      </p>
    </>
  )
}
