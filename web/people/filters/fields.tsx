import '#web/ui/fields/choice.ts'
import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listFields, type Field } from '#contract/directory/fields.ts'
import { listGroups, readGroup } from '#contract/directory/groups.ts'
import { listVideos, searchVideos, readVideo } from '#contract/videos/videos.ts'
import { countUsers } from '#contract/directory/users.ts'
import { queryOf, useList } from '#web/api/query.ts'
import { formatNumber } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { useTyped } from '#web/ui/fields/typed.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { adminRoles } from '#contract/roles.ts'
import { useUser } from '#web/session/useSession.ts'

export function VideoTitle({ id }: { id: string }) {
  return useVideoTitle(id) ?? 'a video'
}

/** What a filter names by its id; undefined until it is known. */
function useGroupName(orgId: string, groupId: string | undefined): string | undefined {
  const address = { params: { orgId, groupId: groupId ?? '' } }
  return useQuery({ ...queryOf(readGroup, address), enabled: groupId !== undefined }).data?.name
}

/** Only administrators may look a video up. */
function useVideoTitle(videoId: string | undefined): string | undefined {
  const isAllowed = adminRoles.includes(useUser().role)
  const address = { params: { videoId: videoId ?? '' } }
  return useQuery({ ...queryOf(readVideo, address), enabled: isAllowed && videoId !== undefined }).data?.title
}

export function GroupName({ orgId, id }: { orgId: string; id: string }) {
  return useGroupName(orgId, id) ?? 'one group'
}

type CountProps = { orgId: string; of: 'role' | 'state'; value: string }

/** How many people have this role, or are in this state. */
export function PeopleCount({ orgId, of, value }: CountProps) {
  const { data } = useQuery(queryOf(countUsers, { params: { orgId } }))
  const counts: Readonly<Record<string, number>> | undefined = data?.isMinimum ? undefined : data?.[of]
  return counts && formatNumber(counts[value] ?? 0)
}

type ChoiceProps = { value: string | undefined; onChange: (value: string | undefined) => void }

export function VideoChoice({ orgId, ...field }: ChoiceProps & { orgId: string }) {
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

export function GroupChoice({ orgId, ...field }: ChoiceProps & { orgId: string }) {
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

/** Such as `site:Berlin`; a value may hold further colons. */
function partsOf(value: string | undefined): [key: string, is: string] {
  const colon = value?.indexOf(':') ?? -1
  return value === undefined || colon < 0 ? ['', ''] : [value.slice(0, colon), value.slice(colon + 1)]
}

/** The filter in the words of the organization; the key stands in until its label is known. */
export function FieldText({ orgId, value }: { orgId: string; value: string }) {
  const [key, is] = partsOf(value)
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  return `${data?.items.find((field) => field.key === key)?.label ?? key}: ${is}`
}

/** One of the organization's own fields, and what it has to hold. Nothing where there is no such field. */
export function FieldChoice({ orgId, value, onChange }: ChoiceProps & { orgId: string }) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  const fields = data?.items ?? []
  const [chosen, is] = partsOf(value)
  // A field without a value asks for nothing, so only this panel knows of it.
  const [begun, begin] = useState('')
  const key = chosen || begun
  const field = fields.find((one) => one.key === key)
  if (fields.length === 0) return null
  return (
    <div className={shapes.grid}>
      <NativeChoice
        label="Own field"
        data={[{ value: '', label: 'Any' }, ...fields.map((one) => ({ value: one.key, label: one.label }))]}
        value={key}
        onChange={({ currentTarget }) => {
          begin(currentTarget.value)
          onChange(undefined)
        }}
      />
      {field && (
        <Value
          key={key}
          field={field}
          value={is}
          onChange={(next) => {
            begin(key)
            onChange(next === '' ? undefined : `${key}:${next}`)
          }}
        />
      )}
    </div>
  )
}

type ValueProps = { field: Field; value: string; onChange: (value: string) => void }

function Value({ field: { label, type, options }, value, onChange }: ValueProps) {
  const [text, setText] = useTyped(value, onChange)
  const common = {
    label: `${label} is`,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
  }
  if (type !== 'choice') return <TextInput {...common} type={type === 'date' ? 'date' : 'text'} />
  const data = ['', ...options].map((option) => ({ value: option, label: option || 'Choose' }))
  return <NativeChoice {...common} data={data} />
}
