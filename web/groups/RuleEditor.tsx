import { Button, MultiSelect, TagsInput, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { IconButton } from '#web/ui/IconButton.tsx'
import { useQueries, useQuery, keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { listFields, type Field } from '#contract/directory/fields.ts'
import { readGroup } from '#contract/directory/groups.ts'
import type { GroupRule, RuleCondition } from '#contract/directory/rules.ts'
import { queryOf } from '../api/query.ts'
import { roleNames } from '../session/roleNames.ts'
import '../ui/fields/fields.ts'
import { NativeChoice } from '../ui/fields/NativeChoice.tsx'
import { GroupPicker } from '../organizations/GroupPicker.tsx'
import classes from './RuleEditor.module.css'
import { askedBy, conditionAbout, subjectOf, valueKindOf, waysFor, type Subject, isComplete } from './rule.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { useDebouncedValue } from '@mantine/hooks'
import type { Reply } from '#contract/endpoint.ts'
import { previewRule } from '#contract/directory/members.ts'
import { call } from '../api/client.ts'
import { sentence } from '../api/errors.ts'
import { Notice } from '../ui/feedback/Notice.tsx'
import { formatNumber, plural } from '../ui/format.ts'

type Props = {
  orgId: string
  /** Of an existing group, so that the preview can tell who joins and leaves. */
  groupId: string | undefined
  rule: GroupRule
  /** Field path to sentence, such as `rule.conditions.0.values`. */
  errors: Readonly<Record<string, unknown>>
  onChange: (rule: GroupRule) => void
}

/** Milliseconds without a change before the server is asked. */
const pause = 300

/** How many people a rule means while it is being written, and who joins and leaves a group that has it. */
function RulePreview({
  orgId,
  groupId,
  rule,
}: {
  orgId: string
  groupId: string | undefined
  rule: GroupRule
}) {
  const body = { rule, ...(groupId === undefined ? {} : { groupId }) }
  const text = JSON.stringify(body)
  const [late] = useDebouncedValue(text, pause)
  const isLate = late !== text
  const isAsked = isComplete(rule)
  const { data, error, isFetching } = useQuery({
    queryKey: [previewRule.name, orgId, late],
    // It was made of such a value a moment ago.
    queryFn: ({ signal }) =>
      call(previewRule, { params: { orgId }, body: JSON.parse(late) as typeof body, signal }),
    enabled: isAsked && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Notice tone="neutral" role="status" isBusy={isLate || isFetching}>
      {!isAsked && <p>Fill in every condition to see whom it means.</p>}
      {isAsked && error && <p>{sentence(error)}</p>}
      {isAsked && !error && (data ? <Meant {...data} /> : <p>Counting…</p>)}
    </Notice>
  )
}

function Meant({ count, sample, joins, leaves, leaving }: Reply<typeof previewRule>) {
  return (
    <>
      <p>
        <strong>{count === 0 ? 'Nobody matches' : plural(count, 'person matches', 'people match')}</strong>
      </p>
      {sample.length > 0 && <p className={shapes.lead}>{listed(sample, count)}</p>}
      {joins !== null && leaves !== null && (joins > 0 || leaves > 0) && (
        <ul className={shapes.bullets}>
          {joins > 0 && <li>{plural(joins, 'person joins', 'people join')} the group when you save.</li>}
          {leaves > 0 && (
            <li>
              {plural(leaves, 'person leaves', 'people leave')} the group: {listed(leaving, leaves)}
            </li>
          )}
        </ul>
      )}
    </>
  )
}

function listed(people: readonly { name: string }[], count: number): string {
  const names = people.map(({ name }) => name).join(', ')
  return count > people.length ? `${names} and ${formatNumber(count - people.length)} more` : names
}

/** Conditions in plain words, and at once how many people they mean. */
export function RuleEditor({ orgId, groupId, rule, errors, onChange }: Props) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  const fields = data?.items ?? []
  const { match, conditions } = rule
  const places = usePlaces(conditions.length)
  const put = (index: number, condition: RuleCondition) =>
    onChange({ match, conditions: conditions.map((one, at) => (at === index ? condition : one)) })
  const last = conditions.at(-1)
  const add = () => {
    places.add()
    onChange({
      match,
      conditions: [...conditions, conditionAbout(last ? subjectOf(last) : 'emailDomain', fields)],
    })
  }
  const remove = (index: number) => {
    places.remove(index)
    onChange({ match, conditions: conditions.filter((_one, at) => at !== index) })
  }
  return (
    <div className={shapes.stack}>
      <NativeChoice
        label="Who is in it"
        value={match}
        onChange={(event) =>
          onChange({ match: event.currentTarget.value === 'any' ? 'any' : 'all', conditions })
        }
        data={[
          { value: 'all', label: 'People for whom all of this holds' },
          { value: 'any', label: 'People for whom any of this holds' },
        ]}
      />
      <ol className={shapes.stack} aria-label="Conditions">
        {conditions.map((condition, index) => (
          <li key={places.keys[index]}>
            <Condition
              orgId={orgId}
              ownGroupId={groupId}
              number={index + 1}
              condition={condition}
              fields={fields}
              error={errorAt(errors, index)}
              onChange={(changed) => put(index, changed)}
              onRemove={conditions.length > 1 ? () => remove(index) : undefined}
            />
          </li>
        ))}
      </ol>
      {conditions.length < 20 && (
        <Button variant="default" size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
          Add a condition
        </Button>
      )}
      <RulePreview orgId={orgId} groupId={groupId} rule={rule} />
    </div>
  )
}

/** Conditions have no names of their own; these keep the focus where it is while others come and go. */
function usePlaces(count: number) {
  const [keys, setKeys] = useState<readonly number[]>(() => Array.from({ length: count }, (_none, at) => at))
  const next = Math.max(-1, ...keys) + 1
  const missing = Array.from({ length: Math.max(0, count - keys.length) }, (_none, at) => next + at)
  return {
    keys: [...keys, ...missing],
    add: () => setKeys([...keys, ...missing, next + missing.length]),
    remove: (index: number) => setKeys([...keys, ...missing].filter((_key, at) => at !== index)),
  }
}

function errorAt(errors: Props['errors'], index: number): string | undefined {
  const path = `rule.conditions.${index}`
  const found = Object.entries(errors).find(([name]) => name === path || name.startsWith(`${path}.`))
  return typeof found?.[1] === 'string' ? found[1] : undefined
}

type ConditionProps = {
  orgId: string
  ownGroupId: string | undefined
  number: number
  condition: RuleCondition
  fields: readonly Field[]
  error: string | undefined
  onChange: (condition: RuleCondition) => void
  onRemove: (() => void) | undefined
}

function Condition(props: ConditionProps) {
  const { number, condition, fields, onChange, onRemove } = props
  const field = fieldOf(condition, fields)
  const subject = subjectOf(condition)
  const subjects: { value: Subject; label: string }[] = [
    ...fields.map(({ key, label }) => ({ value: `field:${key}` as const, label })),
    { value: 'emailDomain', label: 'Email' },
    { value: 'role', label: 'Role' },
    { value: 'group', label: 'Person' },
  ]
  return (
    <div className={classes.condition} role="group" aria-label={`Condition ${number}`}>
      <NativeChoice
        aria-label="About"
        value={subject}
        onChange={(event) => onChange(conditionAbout(event.currentTarget.value as Subject, fields))}
        data={
          subjects.some(({ value }) => value === subject)
            ? subjects
            : [{ value: subject, label: 'A field that was removed' }, ...subjects]
        }
      />
      <NativeChoice
        aria-label="How"
        value={condition.is}
        onChange={(event) => onChange(askedBy(condition, event.currentTarget.value, field))}
        data={waysFor(condition, field).map(([value, label]) => ({ value, label }))}
      />
      <Value {...props} />
      {onRemove && (
        <IconButton
          tone="quiet"
          size={36}
          icon={IconX}
          label={`Remove condition ${number}`}
          title="Remove"
          onClick={onRemove}
        />
      )}
    </div>
  )
}

function fieldOf(condition: RuleCondition, fields: readonly Field[]): Field | undefined {
  return condition.about === 'field' ? fields.find(({ key }) => key === condition.key) : undefined
}

const roleChoices = [
  { value: 'none', label: 'No role' },
  { value: 'groupadmin', label: roleNames.groupadmin },
  { value: 'admin', label: roleNames.admin },
]

function Value(props: ConditionProps) {
  const { number, condition, fields, error, onChange } = props
  const field = fieldOf(condition, fields)
  const kind = valueKindOf(condition, field)
  const { values } = condition
  // What may be chosen depends on the kind alone, which the kind of control follows.
  const change = (next: string[]) => onChange({ ...condition, values: next } as RuleCondition)
  const common = { id: `field-rule-conditions-${number - 1}-values`, 'aria-label': 'Value', error }
  if (kind === 'none') return <span />
  if (kind === 'groups') return <GroupValue {...props} common={common} change={change} />
  if (kind === 'words')
    return (
      <TagsInput
        {...common}
        value={values}
        onChange={change}
        maxTags={100}
        placeholder={
          values.length > 0 ? '' : condition.about === 'emailDomain' ? 'example.org' : 'A value, then Enter'
        }
      />
    )
  if (kind === 'choices' || kind === 'roles') {
    const data = kind === 'roles' ? roleChoices : choicesOf(field, values)
    return (
      <MultiSelect
        {...common}
        data={data}
        value={values}
        onChange={change}
        placeholder={values.length > 0 ? '' : 'Choose'}
        searchable
        hidePickedOptions
        nothingFoundMessage="Nothing left to choose"
      />
    )
  }
  return (
    <TextInput
      {...common}
      type={kind === 'date' ? 'date' : 'text'}
      {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
      value={values[0] ?? ''}
      onChange={(event) => change(event.currentTarget.value === '' ? [] : [event.currentTarget.value])}
    />
  )
}

/** With those chosen before that are no longer offered. */
function choicesOf(field: Field | undefined, values: readonly string[]): string[] {
  return [...new Set([...(field?.options ?? []), ...values])]
}

type GroupValueProps = ConditionProps & {
  common: { id: string; 'aria-label': string; error: string | undefined }
  change: (values: string[]) => void
}

function GroupValue({ orgId, ownGroupId, condition, common, change }: GroupValueProps) {
  const chosen = useQueries({
    queries: condition.values.map((groupId) => queryOf(readGroup, { params: { orgId, groupId } })),
  })
  const known = condition.values.map((id, at) => ({
    id,
    name: chosen[at]?.data?.name ?? (chosen[at]?.isError ? 'A group that was removed' : '…'),
  }))
  return (
    <div>
      <GroupPicker
        {...common}
        orgId={orgId}
        known={known}
        value={[...condition.values]}
        {...(ownGroupId === undefined ? {} : { without: ownGroupId })}
        placeholder={condition.values.length > 0 ? '' : 'Choose groups'}
        onPick={(groups) => change(groups.map(({ id }) => id))}
      />
    </div>
  )
}
