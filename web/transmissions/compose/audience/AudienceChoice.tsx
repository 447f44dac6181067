import '#web/ui/fields/fields.ts'
import { Button, Input, MultiSelect, Radio } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listGroups } from '#contract/directory/groups.ts'
import { followUpParts } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { plural } from '#web/ui/format.ts'
import type { Choice, Draft } from '../draft.ts'
import { followUpLabels } from '../../labels.ts'
import { ViewingChoice } from './ViewingChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  draft: Draft
  error: string | undefined
  /** This says what is wrong with how people are narrowed by what they watched; null means that they are not narrowed. */
  viewingError: string | undefined | null
  onChange: (patch: Partial<Draft>) => void
}

/** Chooses the whole organization, or people and groups found by search. */
export function AudienceChoice({ draft, error, viewingError, onChange }: Props) {
  const { organizationId, everyone } = draft
  return (
    <fieldset
      className={shapes.stack}
      id="field-audience"
      tabIndex={-1}
      aria-describedby={error && 'error-audience'}
    >
      <legend>Recipients</legend>
      {organizationId === '' ? (
        <p>Choose the organization first.</p>
      ) : draft.follows ? (
        <Followed follows={draft.follows} onChange={onChange} />
      ) : (
        <>
          <Radio
            name="audience"
            label="People and groups that I choose"
            checked={!everyone}
            onChange={() => onChange({ everyone: false })}
          />
          <Radio
            name="audience"
            label="Everybody in the organization"
            checked={everyone}
            onChange={() => onChange({ everyone: true })}
          />
          {!everyone && (
            <>
              <Groups
                label="Groups"
                organizationId={organizationId}
                chosen={draft.groups}
                onChoose={(groups) => onChange({ groups })}
              />
              <People
                label="People"
                organizationId={organizationId}
                chosen={draft.people}
                onChoose={(people) => onChange({ people })}
              />
            </>
          )}
          {viewingError !== null && <ViewingChoice draft={draft} error={viewingError} onChange={onChange} />}
        </>
      )}
      {error && (
        <div>
          <Input.Error id="error-audience">{error}</Input.Error>
        </div>
      )}
    </fieldset>
  )
}

type FollowedProps = { follows: NonNullable<Draft['follows']>; onChange: Props['onChange'] }

/** Names the people of an earlier transmission, as they are when the mails leave. */
function Followed({ follows, onChange }: FollowedProps) {
  return (
    <>
      <p>
        People of <Link to={paths.transmission(follows.id)}>{follows.subject}</Link>
      </p>
      {followUpParts.map((part) => (
        <Radio
          key={part}
          name="follow-up"
          label={followUpLabels[part]}
          checked={follows.part === part}
          onChange={() => onChange({ follows: { ...follows, part } })}
        />
      ))}
      <div>
        <Button variant="default" size="sm" onClick={() => onChange({ follows: null })}>
          Choose other people
        </Button>
      </div>
    </>
  )
}

/** Chooses who gets nothing, whatever else was chosen. */
export function Exceptions({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const { organizationId, exceptGroups, exceptPeople } = draft
  if (organizationId === '') return null
  return (
    <>
      <Groups
        label="Except members of"
        organizationId={organizationId}
        chosen={exceptGroups}
        onChoose={(groups) => onChange({ exceptGroups: groups })}
      />
      <People
        label="Except these people"
        organizationId={organizationId}
        chosen={exceptPeople}
        onChoose={(people) => onChange({ exceptPeople: people })}
      />
    </>
  )
}

type PartProps = {
  label: string
  organizationId: string
  chosen: readonly Choice[]
  onChoose: (chosen: readonly Choice[]) => void
}

function Groups({ organizationId, ...part }: PartProps) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const { data } = useQuery(
    queryOf(listGroups, { params: { orgId: organizationId }, query: { q, limit: 25 } }),
  )
  const found = data?.items.map(({ id, name, memberCount }) => ({
    id,
    name,
    detail: plural(memberCount, 'person', 'people'),
  }))
  return <Search {...part} placeholder="Search by name" text={text} onText={setText} found={found} />
}

function People({ organizationId, ...part }: PartProps) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const { data } = useQuery(
    queryOf(listUsers, { params: { orgId: organizationId }, query: { q, limit: 25 } }),
  )
  const found = data?.items.map(({ id, name, email }) => ({ id, name, detail: email }))
  return <Search {...part} placeholder="Search by name or email" text={text} onText={setText} found={found} />
}

type SearchProps = {
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  found: readonly Choice[] | undefined
  chosen: readonly Choice[]
  onChoose: (chosen: readonly Choice[]) => void
}

function Search({ label, placeholder, text, onText, found, chosen, onChoose }: SearchProps) {
  const known = new Map([...(found ?? []), ...chosen].map((choice) => [choice.id, choice]))
  return (
    <MultiSelect
      label={label}
      placeholder={chosen.length === 0 ? placeholder : ''}
      data={Array.from(known.values(), ({ id, name }) => ({ value: id, label: name }))}
      value={chosen.map(({ id }) => id)}
      onChange={(ids) => onChoose(ids.flatMap((id) => known.get(id) ?? []))}
      searchable
      searchValue={text}
      onSearchChange={onText}
      filter={({ options }) => options}
      hidePickedOptions
      maxDropdownHeight={280}
      nothingFoundMessage={text === '' ? 'Nothing left to choose' : 'Nothing matches'}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <div className={shapes.hint}>{known.get(option.value)?.detail}</div>
        </div>
      )}
    />
  )
}
