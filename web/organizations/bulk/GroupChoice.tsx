import { Radio, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { listGroups } from '#contract/directory/groups.ts'
import { useList } from '../../api/query.ts'
import '../../ui/fields.ts'
import shapes from '#web/ui/shapes.module.css'

export type GroupChange = {
  action: 'add_to_group' | 'remove_from_group'
  group: { id: string; name: string } | undefined
}

type Props = { orgId: string; chosen: GroupChange; onChoose: (next: GroupChange) => void }

/** Into which group, or out of which one; the server looks for it while one types. */
export function GroupChoice({ orgId, chosen, onChoose }: Props) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  // What was chosen stands in the field as its text, which is no search.
  const { page } = useList(listGroups, {
    params: { orgId },
    query: { q: q === chosen.group?.name ? '' : q, limit: 50 },
  })
  const groups = new Map((page?.items ?? []).map(({ id, name }) => [id, name]))
  if (chosen.group) groups.set(chosen.group.id, chosen.group.name)
  return (
    <div className={shapes.stack}>
      <Radio.Group
        label="What to do"
        value={chosen.action}
        onChange={(action) =>
          onChoose({ ...chosen, action: action === 'add_to_group' ? action : 'remove_from_group' })
        }
      >
        <div className={shapes.stack}>
          <Radio value="add_to_group" label="Put into a group" />
          <Radio value="remove_from_group" label="Take out of a group" />
        </div>
      </Radio.Group>
      <Select
        label="Group"
        placeholder="Search by name"
        data={Array.from(groups, ([value, label]) => ({ value, label }))}
        value={chosen.group?.id ?? null}
        onChange={(id) => onChoose({ ...chosen, group: id ? { id, name: groups.get(id) ?? '' } : undefined })}
        searchable
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options}
        maxDropdownHeight={200}
        nothingFoundMessage={q === '' ? 'There is no group yet' : 'No group has this name'}
      />
    </div>
  )
}
