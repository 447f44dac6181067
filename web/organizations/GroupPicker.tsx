import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { listGroups, readGroup } from '#contract/directory/groups.ts'
import { queryOf, useList } from '../api/query.ts'

type Named = { id: string; name: string }
/**
 * Chosen groups with their names. Those whose names are not at hand, as after somebody else has put a person into one or the
 * form was brought back, are read.
 */
export function useNamedGroups(orgId: string, ids: readonly string[], known: readonly Named[]): Named[] {
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const missing = ids.filter((id) => !names.has(id))
  const read = useQueries({
    queries: missing.map((groupId) => queryOf(readGroup, { params: { orgId, groupId } })),
    combine: (answers) =>
      answers.map(({ data, isError }) => data?.name ?? (isError ? 'A removed group' : '…')),
  })
  missing.forEach((id, at) => names.set(id, read[at] ?? '…'))
  return Array.from(names, ([id, name]) => ({ id, name }))
}

type Props = {
  orgId: string
  label?: ReactNode
  description?: string
  value: string[]
  /** The chosen groups with their names, so that the caller can offer them elsewhere. */
  onPick: (groups: Named[]) => void
  /** Groups whose names are known from the start. */
  known: readonly Named[]
  /** A group that is not offered. */
  without?: string
  /** Groups into which people are put by hand, and no others. */
  isByHand?: boolean
} & Pick<ComponentProps<typeof MultiSelect>, 'id' | 'error' | 'placeholder' | 'aria-label'>

/** Chooses groups; looks for them on the server while one types. */
export function GroupPicker({ orgId, value, onPick, known, without, isByHand = false, ...field }: Props) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const { page } = useList(listGroups, { params: { orgId }, query: { q, limit: 50 } })
  const found = (page?.items ?? []).filter(({ id, kind }) => id !== without && !(isByHand && kind === 'rule'))
  const names = new Map([...found, ...known].map(({ id, name }) => [id, name]))
  return (
    <MultiSelect
      {...field}
      data={Array.from(names, ([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={(ids) => onPick(ids.map((id) => ({ id, name: names.get(id) ?? id })))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      hidePickedOptions
      nothingFoundMessage={
        page?.total === 0 && q === '' ? 'There is no group yet' : 'No further group has this name'
      }
    />
  )
}
