import { MultiSelect, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Field, listFields } from '#contract/directory/fields.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import type { User } from '#contract/directory/users.ts'
import { type ContractForm, type useContractForm, fieldId } from '../api/forms/form.ts'
import { useUser } from '../session/useSession.ts'
import { roleNames } from '../session/roleNames.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { FieldGroup, optional } from '../ui/fields/Field.tsx'
import { More } from '../ui/More.tsx'
import '../ui/fields/fields.ts'
import { LanguageField, languageName } from '../organizations/LanguageField.tsx'
import { GroupPicker, useNamedGroups } from '../organizations/GroupPicker.tsx'
import { userStates } from '../organizations/states.ts'
import { useQuery } from '@tanstack/react-query'
import { queryOf } from '../api/query.ts'
import { NativeChoice } from '../ui/fields/NativeChoice.tsx'

type Role = 'admin' | 'groupadmin'
export type UserValues = {
  name: string
  email: string
  phone: string | null
  externalId: string | null
  language: Language | null
  timeZone: string | null
  manager: string | null
  role: Role | null
  state?: User['state']
  groupIds: string[]
  adminGroupIds: string[]
  /** Left out where the organization has no fields of its own. */
  customFields?: Record<string, string>
}

const labels: ContractForm<UserValues>['labels'] = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  externalId: 'External ID',
  language: 'Language',
  timeZone: 'Time zone',
  manager: 'Manager',
  role: 'Role',
  state: 'State',
  groupIds: 'Groups',
  adminGroupIds: 'Administers',
}

/** With the labels of the organization's own fields. */
export function labelsFor(fields: readonly Field[]): ContractForm<UserValues>['labels'] {
  const own = fields.map(({ key, label }) => [`customFields.${key}`, label])
  return { ...labels, ...Object.fromEntries(own) }
}

/** The values of a person, or those that a new one begins with. */
export function valuesOf(user: User | undefined, fields: readonly Field[]): UserValues {
  const groups = user?.groups ?? []
  return {
    name: user?.name ?? '',
    email: user?.email ?? '',
    phone: user?.phone ?? null,
    externalId: user?.externalId ?? null,
    language: user?.language ?? null,
    timeZone: user?.timeZone ?? null,
    manager: user?.manager ?? null,
    // A superadmin belongs to no organization, so that nobody in one has that role.
    role: user?.role === 'admin' || user?.role === 'groupadmin' ? user.role : null,
    ...(user ? { state: user.state } : {}),
    groupIds: groups.filter(({ byRule }) => !byRule).map(({ id }) => id),
    adminGroupIds: groups.filter(({ groupadmin }) => groupadmin).map(({ id }) => id),
    customFields: Object.fromEntries(fields.map(({ key }) => [key, user?.customFields[key] ?? ''])),
  }
}

const roleOptions: readonly { value: Role | 'none'; label: string; means: string }[] = [
  { value: 'none', label: 'No role', means: 'Receives videos and watches them. Never signs in here.' },
  {
    value: 'groupadmin',
    label: roleNames.groupadmin,
    means: 'Signs in and looks after the groups chosen below.',
  },
  { value: 'admin', label: roleNames.admin, means: 'Signs in and manages everything in this organization.' },
]

/** Values as people read them where two versions are compared. */
export function words(field: string, value: unknown, known: readonly User[]): string | undefined {
  if (field === 'role') return roleOptions.find((one) => one.value === (value ?? 'none'))?.label
  if (field === 'language') return languages.filter((one) => one === value).map(languageName)[0]
  if (field === 'state') return Object.entries(userStates).find(([state]) => state === value)?.[1].word
  if (field !== 'groupIds' && field !== 'adminGroupIds') return undefined
  return known.flatMap(({ groups }) => groups).find(({ id }) => id === value)?.name
}

/** Nobody administers a group that they are not in. */
export function normalize(values: UserValues): UserValues {
  const { groupIds, adminGroupIds } = values
  return { ...values, adminGroupIds: adminGroupIds.filter((id) => groupIds.includes(id)) }
}

const places = Intl.supportedValuesOf('timeZone')
/** With one that this browser calls otherwise. */
const zonesWith = (own: string | null) =>
  (own === null || places.includes(own) ? places : [own, ...places]).map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }))

type Form = Pick<ReturnType<typeof useContractForm<UserValues>>, 'form' | 'field'>
type Props = { form: Form; orgId: string; user?: User }

export function UserFields({ form: { form, field }, orgId, user }: Props) {
  const isSelf = useUser().id === user?.id
  const { values } = form
  const { phone, externalId, language, timeZone, manager, customFields: own = {} } = values
  const text = (name: 'phone' | 'externalId' | 'manager') => ({
    ...field(name),
    label: optional(labels[name] ?? name),
    value: values[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      form.setFieldValue(name, event.currentTarget.value || null),
  })
  const details = (
    <>
      <TextInput {...text('phone')} type="tel" autoComplete="off" />
      <TextInput
        {...text('externalId')}
        description="By which your own records know this person, such as a staff number."
        autoComplete="off"
      />
      <TextInput
        {...text('manager')}
        description="Email or external ID of whoever is told when this person is late with something."
        autoComplete="off"
      />
      <LanguageField
        {...field('language')}
        label={optional('Language')}
        description="In which this person is written to and sees videos and certificates."
        none="As usual in the organization"
        value={language}
        onChange={(chosen) => form.setFieldValue('language', chosen)}
      />
      <Select
        {...field('timeZone')}
        label={optional('Time zone')}
        description="Messages can leave at an hour of the day where this person is."
        placeholder="As the organization"
        data={zonesWith(timeZone)}
        value={timeZone}
        onChange={(chosen) => form.setFieldValue('timeZone', chosen)}
        searchable
        clearable
        limit={50}
        nothingFoundMessage="No time zone has this name"
      />
      <CustomFieldInputs
        orgId={orgId}
        values={own}
        errors={form.errors}
        onChange={(customFields) => form.setFieldValue('customFields', customFields)}
      />
    </>
  )
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      <TextInput
        {...field('email')}
        type="email"
        description={user?.role ? aboutEmail(isSelf) : undefined}
        readOnly={isSelf}
        autoComplete="off"
        maxLength={320}
      />
      {user && details}
      <RoleField form={form} isSelf={isSelf} />
      {user && <StateField form={form} isSelf={isSelf} />}
      <Groups form={{ form, field }} orgId={orgId} user={user} />
      {!user && (
        <More
          about="phone, external ID, manager, language, time zone and your own fields"
          isOpenAtFirst={
            Boolean(phone ?? externalId ?? manager ?? language ?? timeZone) ||
            Object.values(own).some(Boolean)
          }
          hasError={Object.keys(form.errors).some(isDetail)}
        >
          {details}
        </More>
      )}
    </>
  )
}

type CustomFieldInputsProps = {
  orgId: string
  /** By key; what is empty takes the present value away. */
  values: Readonly<Record<string, string>>
  errors: Readonly<Record<string, unknown>>
  onChange: (values: Record<string, string>) => void
}

/** The fields of the organization's own, each typed as what it holds. */
function CustomFieldInputs({ orgId, values, errors, onChange }: CustomFieldInputsProps) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  return data?.items.map((field) => (
    <Input
      key={field.key}
      field={field}
      value={values[field.key] ?? ''}
      error={errors[`customFields.${field.key}`]}
      onChange={(value) => onChange({ ...values, [field.key]: value })}
    />
  ))
}

type InputProps = { field: Field; value: string; error: unknown; onChange: (value: string) => void }

function Input({ field: { key, label, type, options }, value, error, onChange }: InputProps) {
  const name = `customFields.${key}`
  const common = {
    id: fieldId(name),
    name,
    label: optional(label),
    error: typeof error === 'string' ? error : undefined,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (type !== 'choice')
    return (
      <TextInput
        {...common}
        autoComplete="off"
        maxLength={500}
        type={type === 'date' ? 'date' : 'text'}
        {...(type === 'number' ? { inputMode: 'decimal' as const } : {})}
      />
    )
  const isKept = value !== '' && !options.includes(value)
  const data = [
    { value: '', label: 'Not filled in' },
    ...options.map((option) => ({ value: option, label: option })),
    ...(isKept ? [{ value, label: `${value} (no longer offered)` }] : []),
  ]
  return <NativeChoice {...common} data={data} />
}

/** Known of few people when they are added. */
const isDetail = (name: string) => /^(phone|externalId|manager|language|timeZone|customFields\.)/.test(name)

function aboutEmail(isSelf: boolean): string {
  return isSelf
    ? 'Change your own email in your settings, where the new one is confirmed.'
    : 'With another email this person is signed out, and invited to it: nobody signs in with an address that they have not confirmed.'
}

type Inner = Form['form']

function RoleField({ form, isSelf }: { form: Inner; isSelf: boolean }) {
  const { role } = form.values
  return (
    <RadioChoices
      id="field-role"
      label={labels['role']}
      description={isSelf ? 'You cannot change your own role. Ask another administrator.' : undefined}
      error={form.errors['role']}
      value={role ?? 'none'}
      onChange={(value) =>
        form.setFieldValue('role', value === 'admin' || value === 'groupadmin' ? value : null)
      }
      choices={roleOptions.map(({ value, label, means }) => ({
        value,
        label,
        means,
        isOff: isSelf && value !== (role ?? 'none'),
      }))}
    />
  )
}

function StateField({ form, isSelf }: { form: Inner; isSelf: boolean }) {
  const { state } = form.values
  const offered = state === 'invited' ? (['invited', 'disabled'] as const) : (['active', 'disabled'] as const)
  return (
    <RadioChoices
      {...form.getInputProps('state')}
      id="field-state"
      label={labels['state']}
      description={isSelf ? 'You cannot take your own access away.' : undefined}
      choices={offered.map((value) => ({
        value,
        label: userStates[value].word,
        means: userStates[value].means,
        isOff: isSelf && value !== state,
      }))}
    />
  )
}

type GroupsProps = { form: Form; orgId: string; user: User | undefined }

function Groups({ form: { form, field }, orgId, user }: GroupsProps) {
  const [picked, setPicked] = useState<{ id: string; name: string }[]>([])
  const { groupIds, adminGroupIds, role } = form.values
  const byRule = user?.groups.filter((group) => group.byRule) ?? []
  const known = useNamedGroups(orgId, groupIds, [...(user?.groups ?? []), ...picked])
  const chosen = known.filter(({ id }) => groupIds.includes(id))
  return (
    <FieldGroup legend="Groups">
      <GroupPicker
        id={field('groupIds').id}
        label={optional('Member of')}
        error={form.errors['groupIds'] ?? form.errors['groupIds.0']}
        orgId={orgId}
        known={known}
        isByHand={role !== 'groupadmin'}
        value={groupIds}
        onPick={(groups) => {
          const ids = groups.map(({ id }) => id)
          setPicked((before) => [...before.filter(({ id }) => !ids.includes(id)), ...groups])
          const added = role === 'groupadmin' ? ids.filter((id) => !groupIds.includes(id)) : []
          form.setFieldValue('groupIds', ids)
          form.setFieldValue(
            'adminGroupIds',
            [...adminGroupIds, ...added].filter((id) => ids.includes(id)),
          )
        }}
      />
      {byRule.length > 0 && <p>By their rules also in: {byRule.map(({ name }) => name).join(', ')}.</p>}
      {role === 'groupadmin' && (
        <MultiSelect
          id={field('adminGroupIds').id}
          label={labels['adminGroupIds']}
          description="Groups whose members this person sees and manages."
          error={form.errors['adminGroupIds']}
          data={chosen.map(({ id, name }) => ({ value: id, label: name }))}
          value={adminGroupIds}
          onChange={(ids) => form.setFieldValue('adminGroupIds', ids)}
          nothingFoundMessage="Choose the groups of this person first"
        />
      )}
    </FieldGroup>
  )
}
