import { NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import type { Organization, OrganizationInput } from '#contract/organizations.ts'
import { defaultPolicies } from '#contract/organizations.ts'
import { mfaPolicies, type MfaPolicy } from '#contract/security.ts'
import type { ContractForm, useContractForm } from '../api/form.ts'
import { FieldGroup, optional } from '../ui/Field.tsx'
import '../ui/fields.ts'
import { organizationStates } from './states.ts'

export type OrganizationValues = {
  name: string
  domain: string | null
  timeZone: string
  state: Organization['state']
  policies: Required<NonNullable<OrganizationInput['policies']>>
}

export const labels: ContractForm<OrganizationValues>['labels'] = {
  name: 'Name',
  domain: 'Domain',
  timeZone: 'Time zone',
  state: 'State',
  'policies.completionThreshold': 'Counts as watched from',
  'policies.retentionMonths': 'Keep evidence for',
  'policies.maxRate': 'Fastest playback that counts',
  'policies.mfa': 'Second step beside the password',
  'policies.idleMinutes': 'Sign out after nobody was there for',
  'policies.sessionHours': 'Sign out in any case after',
}

/** The values of an organization, or those that a new one begins with. */
export function valuesOf(organization?: Organization): OrganizationValues {
  if (organization) {
    const { name, domain, timeZone, state, policies } = organization
    return { name, domain, timeZone, state, policies: { ...defaultPolicies, ...policies } }
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return { name: '', domain: null, timeZone, state: 'active', policies: { ...defaultPolicies } }
}

const units: Record<string, string> = {
  'policies.maxRate': '×',
  'policies.retentionMonths': 'months',
  'policies.idleMinutes': 'minutes',
  'policies.sessionHours': 'hours',
}

/** Values as people read them where two versions are compared. */
export function words(field: string, value: unknown): string | undefined {
  if (field === 'state')
    return Object.entries(organizationStates).find(([state]) => state === value)?.[1].word
  if (field === 'policies.mfa') return Object.entries(mfaChoices).find(([mfa]) => mfa === value)?.[1].label
  if (typeof value !== 'number' || Number.isNaN(value)) return undefined
  if (field === 'policies.completionThreshold') return `${percentOf(value)} %`
  return field in units ? `${value} ${units[field]}` : undefined
}

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

type Props = {
  form: Pick<ReturnType<typeof useContractForm<OrganizationValues>>, 'form' | 'field'>
  isNew?: boolean
}

export function OrganizationFields({ form: { form, field }, isNew = false }: Props) {
  const { policies, domain, timeZone } = form.values
  const knownZones = timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones]
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      <TextInput
        {...field('domain')}
        label={optional('Domain')}
        description="Its domain on the internet, such as acme.com."
        value={domain ?? ''}
        onChange={(event) => form.setFieldValue('domain', event.currentTarget.value || null)}
        autoComplete="off"
      />
      <Select
        {...field('timeZone')}
        description="Days in reports begin at midnight there."
        data={knownZones}
        searchable
        limit={50}
        allowDeselect={false}
        nothingFoundMessage="No time zone has this name"
      />
      {!isNew && <StateField form={form} />}
      <FieldGroup legend="Viewing" hint="Applies to everything that this organization sends.">
        <NumberInput
          {...policyField(form, 'completionThreshold')}
          description="The share of a video that somebody has to see."
          suffix=" %"
          min={1}
          max={100}
          clampBehavior="none"
          allowDecimal={false}
          value={percentOf(policies.completionThreshold)}
          onChange={(value) =>
            form.setFieldValue(
              'policies.completionThreshold',
              typeof value === 'number' ? value / 100 : Number.NaN,
            )
          }
        />
        <NumberInput
          {...policyField(form, 'maxRate')}
          description="What is played faster earns nothing."
          suffix=" ×"
          min={1}
          max={4}
          step={0.25}
          clampBehavior="none"
        />
        <NumberInput
          {...policyField(form, 'retentionMonths')}
          description="How long who watched what is remembered."
          suffix=" months"
          min={1}
          max={120}
          clampBehavior="none"
          allowDecimal={false}
        />
      </FieldGroup>
      <SignInFields form={form} />
    </>
  )
}

const mfaChoices: Record<MfaPolicy, { label: string; means: string }> = {
  optional: { label: 'As the installation asks', means: 'Nothing more than what holds for everybody.' },
  'required-for-admins': { label: 'For admins', means: 'Group admins may add one, admins must.' },
  required: { label: 'For everybody', means: 'Everybody of this organization who signs in needs one.' },
}

/** An organization can only ask for more than the installation does. */
function SignInFields({ form }: { form: Form }) {
  return (
    <FieldGroup
      legend="Signing in"
      hint="For people of this organization who work in the console. Who is signed in already is asked at the next sign-in."
    >
      <Radio.Group {...policyField(form, 'mfa')}>
        <Stack gap={8} mt={4}>
          {mfaPolicies.map((policy) => (
            <Radio
              key={policy}
              value={policy}
              label={mfaChoices[policy].label}
              description={mfaChoices[policy].means}
            />
          ))}
        </Stack>
      </Radio.Group>
      <NumberInput
        {...policyField(form, 'idleMinutes')}
        description="5 to 60 minutes without a key or a click."
        suffix=" minutes"
        min={5}
        max={60}
        clampBehavior="none"
        allowDecimal={false}
      />
      <NumberInput
        {...policyField(form, 'sessionHours')}
        description="1 to 24 hours after signing in."
        suffix=" hours"
        min={1}
        max={24}
        clampBehavior="none"
        allowDecimal={false}
      />
    </FieldGroup>
  )
}

function percentOf(share: number | undefined): number | string {
  return share === undefined || Number.isNaN(share) ? '' : Math.round(share * 100)
}

type Form = Props['form']['form']

function policyField(form: Form, name: keyof OrganizationValues['policies']) {
  const path = `policies.${name}` as const
  return { ...form.getInputProps(path), id: `field-policies-${name}`, label: labels[path] }
}

function StateField({ form }: { form: Form }) {
  return (
    <Radio.Group {...form.getInputProps('state')} label={labels['state']}>
      <Stack gap={8} mt={4}>
        {Object.entries(organizationStates).map(([state, { word, means }]) => (
          <Radio key={state} value={state} label={word} description={means} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
