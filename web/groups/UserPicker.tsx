import { Button, MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { addGroupUsers, type Group } from '#contract/directory/groups.ts'
import { listUsers, type User } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '../api/query.ts'
import '../ui/fields.ts'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/toasts.ts'
import classes from './UserPicker.module.css'
import { memberEndpoints } from './endpoints.ts'
import { tip } from '#web/ui/tips.ts'
import shapes from '#web/ui/shapes.module.css'

type Option = Pick<User, 'id' | 'name' | 'email'> & { isMember: boolean }

/** `children`: other ways to add people, beside the button. */
type Props = { orgId: string; group: Group; children: ReactNode }

/** Finds people by name or email on the server and puts those chosen into the group. */
export function UserPicker({ orgId, group, children }: Props) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const [chosen, setChosen] = useState<Option[]>([])
  const add = useChange(addGroupUsers, memberEndpoints)
  const { page, isStale } = useList(listUsers, { params: { orgId }, query: { q, limit: 25 } })
  // Enter must never choose somebody whom an earlier text has found.
  const isLate = isStale || text.trim() !== q
  const found = (page?.items ?? []).map(({ id, name, email, groups }) => ({
    id,
    name,
    email,
    isMember: groups.some((one) => one.id === group.id),
  }))
  const people = new Map([...found, ...chosen].map((person) => [person.id, person]))
  const submit = async () => {
    const body = { userIds: chosen.map(({ id }) => id), organizationId: orgId, groupId: group.id }
    await attempt(async () => {
      const { added } = await add.mutateAsync({ params: { orgId, groupId: group.id }, body })
      toast.success(`${plural(added, 'person was', 'people were')} added to ${group.name}.`)
      setChosen([])
      setText('')
    })
  }
  return (
    <div className={`${shapes.row} ${classes.picker}`} data-screen-only>
      <MultiSelect
        label="Add people"
        placeholder={chosen.length === 0 ? 'Search by name or email' : ''}
        data={Array.from(people.values(), ({ id, name, isMember }) => ({
          value: id,
          label: name,
          disabled: isMember,
        }))}
        value={chosen.map(({ id }) => id)}
        onChange={(ids) => setChosen(ids.flatMap((id) => people.get(id) ?? []))}
        searchable
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => (isLate ? [] : options)}
        hidePickedOptions
        maxDropdownHeight={280}
        renderOption={({ option }) => <Person person={people.get(option.value)} />}
        nothingFoundMessage={isLate ? 'Searching…' : q === '' ? 'Nobody to add' : 'Nobody matches'}
      />
      <Button
        variant={chosen.length === 0 ? 'default' : 'filled'}
        loading={add.isPending}
        aria-disabled={chosen.length === 0}
        {...tip(chosen.length === 0 ? 'Choose people first' : undefined)}
        onClick={() => (chosen.length > 0 ? void submit() : toast.info('Choose people first.'))}
      >
        {chosen.length === 0 ? 'Add to the group' : `Add ${plural(chosen.length, 'person', 'people')}`}
      </Button>
      {children}
    </div>
  )
}

function Person({ person }: { person: Option | undefined }) {
  if (!person) return null
  return (
    <span>
      {person.name}
      <br />
      <small>{person.isMember ? 'Is in the group already' : person.email}</small>
    </span>
  )
}
