import '#web/ui/fields/choice.ts'
import { Radio, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAssignments } from '#contract/assignments/assignments.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { labels, type Plan } from './form.ts'

type Props = {
  plan: Plan
  error: string | undefined
  /** This assignment never waits for itself; null means that it is not there yet. */
  ownId: string | null
  onChange: (patch: Partial<Plan>) => void
}

/** Asks whether people begin at once, or after another assignment. */
export function BeginsFields({ plan, error, ownId, onChange }: Props) {
  const isAfter = plan.begins === 'after'
  return (
    <fieldset className={shapes.stack} id={fieldId('waitsForId')} tabIndex={-1}>
      <legend>{labels['waitsForId']}</legend>
      <Radio
        name="begins"
        label="At once"
        checked={!isAfter}
        onChange={() => onChange({ begins: 'at_once' })}
      />
      <Radio
        name="begins"
        label="Once people have completed another assignment"
        checked={isAfter}
        onChange={() => onChange({ begins: 'after' })}
      />
      {isAfter && (
        <>
          <Earlier {...{ plan, error, ownId, onChange }} />
          <p className={shapes.hint}>
            Until then they owe nothing here and get no mail about it. Whoever is excused from the other one
            for good begins too.
          </p>
        </>
      )}
    </fieldset>
  )
}

function Earlier({ plan, error, ownId, onChange }: Props) {
  const { waitsFor, draft } = plan
  const orgId = draft.organizationId
  const [text, setText] = useState(waitsFor?.name ?? '')
  const [q] = useDebouncedValue(text === waitsFor?.name ? '' : text.trim(), 200)
  const { data } = useQuery({
    // Assignments that have ended come last, and are left out.
    ...queryOf(listAssignments, {
      params: { orgId },
      query: { q: q || undefined, limit: 50, sort: 'state' },
    }),
    enabled: orgId !== '',
  })
  const found = new Map(
    (data?.items ?? [])
      .filter(({ id, state }) => state !== 'ended' && id !== ownId)
      .map(({ id, name }) => [id, name]),
  )
  if (waitsFor && !found.has(waitsFor.id)) found.set(waitsFor.id, waitsFor.name)
  return (
    <Select
      label="Which one"
      placeholder="Search by name"
      error={error}
      data={Array.from(found, ([value, label]) => ({ value, label }))}
      value={waitsFor?.id ?? null}
      allowDeselect={false}
      onChange={(id) => id !== null && onChange({ waitsFor: { id, name: found.get(id) ?? '' } })}
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage="No assignment matches that has not ended"
    />
  )
}
