import '#web/ui/choice.ts'
import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { listGroups } from '#contract/groups.ts'
import { adminRoles } from '#contract/roles.ts'
import { seenChoices } from '#contract/users.ts'
import { listVideos, searchVideos } from '#contract/videos.ts'
import { useList } from '#web/api/query.ts'
import { readSearch } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { FieldChoice } from './FieldChoice.tsx'
import { useGroupName, useVideoTitle } from './names.ts'
import { seenNames, userSearch, type Change, type UserSearch } from './userSearch.ts'

type Props = { orgId: string; state: UserSearch; change: Change; onClose: () => void }

const seenOptions = [
  { value: '', label: 'At any time, or never' },
  ...seenChoices.map((value) => ({ value, label: seenNames[value] })),
]

/** The filters that are needed now and then. They take effect together. */
export function MoreFilters({ orgId, state, change, onClose }: Props) {
  const [draft, setDraft] = useState(state)
  const set: Change = (patch) => setDraft((now) => ({ ...now, ...patch }))
  const { group, seen, unwatched, field, from, until } = draft
  const submit = async () => {
    // A field without a value asks for nothing.
    change({ group, seen, unwatched, field: field?.endsWith(':') ? undefined : field, from, until })
    onClose()
  }
  return (
    <FormDialog title="Filters" submitLabel="Show people" isBusy={false} onSubmit={submit} onClose={onClose}>
      <div className="ui-stack">
        <NativeChoice
          label="Last in console"
          description="In the console. “Not in the last …” includes who never used it."
          data={seenOptions}
          value={seen ?? ''}
          onChange={({ currentTarget: { value } }) =>
            set({ seen: readSearch(userSearch, { seen: value }).seen })
          }
        />
        {adminRoles.includes(useUser().role) && (
          <VideoChoice orgId={orgId} value={unwatched} onChange={(id) => set({ unwatched: id })} />
        )}
        <GroupChoice orgId={orgId} value={group} onChange={(id) => set({ group: id })} />
        <FieldChoice orgId={orgId} value={draft.field} onChange={(next) => set({ field: next })} />
        <div className="org-days">
          <DayChoice label="Added from" value={from} onChange={(day) => set({ from: day })} />
          <DayChoice label="Added until" value={until} onChange={(day) => set({ until: day })} />
        </div>
      </div>
    </FormDialog>
  )
}

type ChoiceProps = { value: string | undefined; onChange: (value: string | undefined) => void }

function VideoChoice({ orgId, ...field }: ChoiceProps & { orgId: string }) {
  const [text, setText] = useState('')
  const [keyword] = useDebouncedValue(text.trim(), 200)
  const title = useVideoTitle(field.value)
  const searched = keyword === title ? '' : keyword
  const query = { organizationId: orgId, limit: 25, ...(searched === '' ? {} : { keyword: searched }) }
  // Both answer alike; only one of them takes no keyword.
  const endpoint = searched === '' ? (listVideos as unknown as typeof searchVideos) : searchVideos
  const { page } = useList(endpoint, { query })
  const found = (page?.items ?? []).map((video) => ({ value: video.id, label: video.title }))
  return (
    <RemoteChoice
      label="Has not completed"
      description="People who have not completed this video, by the share that the organization asks for."
      placeholder="Any video"
      found={found}
      known={title}
      onText={setText}
      {...field}
    />
  )
}

function GroupChoice({ orgId, ...field }: ChoiceProps & { orgId: string }) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const name = useGroupName(orgId, field.value)
  const { page } = useList(listGroups, { params: { orgId }, query: { q: q === name ? '' : q, limit: 25 } })
  const found = (page?.items ?? []).map((group) => ({ value: group.id, label: group.name }))
  return (
    <RemoteChoice
      label="Group"
      placeholder="Any group"
      found={found}
      known={name}
      onText={setText}
      {...field}
    />
  )
}

type RemoteProps = ChoiceProps & {
  label: string
  description?: string
  placeholder: string
  found: readonly { value: string; label: string }[]
  /** The name of the present value. */
  known: string | undefined
  onText: (text: string) => void
}

/** One of many, looked for on the server while one types. */
function RemoteChoice({ found, known, value, onText, onChange, ...field }: RemoteProps) {
  const isListed = value === undefined || found.some((one) => one.value === value)
  const present = isListed || known === undefined ? [] : [{ value, label: known }]
  return (
    <Select
      {...field}
      data={[...found, ...present]}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${field.label}` }}
      onSearchChange={onText}
      filter={({ options }) => options}
      maxDropdownHeight={200}
      nothingFoundMessage="Nothing has this name"
    />
  )
}

function DayChoice({ label, value, onChange }: ChoiceProps & { label: string }) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  )
}
