import { defaultPolicies, type Organization, type OrganizationInput } from '#contract/organizations.ts'
import type { MfaPolicy } from '#contract/security.ts'
import type { ContractForm, useContractForm } from '#web/api/form.ts'

export type OrganizationValues = {
  name: string
  domain: string | null
  timeZone: string
  policies: Required<NonNullable<OrganizationInput['policies']>>
}

export const labels: ContractForm<OrganizationValues>['labels'] = {
  name: 'Name',
  domain: 'Domain',
  timeZone: 'Time zone',
  'policies.completionThreshold': 'Counts as watched from',
  'policies.retentionMonths': 'Keep evidence for',
  'policies.maxRate': 'Fastest playback that counts',
  'policies.mfa': 'Second step beside the password',
  'policies.idleMinutes': 'Sign out after nobody was there for',
  'policies.sessionHours': 'Sign out in any case after',
  'policies.senderName': 'Name of the sender',
  'policies.replyTo': 'Answers go to',
  'policies.sendPerMinute': 'Messages in a minute, at most',
}

/** The values of an organization, or those that a new one begins with. */
export function valuesOf(organization?: Organization): OrganizationValues {
  if (organization) {
    const { name, domain, timeZone, policies } = organization
    return { name, domain, timeZone, policies: { ...defaultPolicies, ...policies } }
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return { name: '', domain: null, timeZone, policies: { ...defaultPolicies } }
}

export type OrganizationForm = Pick<ReturnType<typeof useContractForm<OrganizationValues>>, 'form' | 'field'>

export const mfaChoices: Record<MfaPolicy, { label: string; means: string }> = {
  optional: { label: 'As the installation asks', means: 'Nothing more than what holds for everybody.' },
  'required-for-admins': { label: 'For admins', means: 'Group admins may add one, admins must.' },
  required: { label: 'For everybody', means: 'Everybody of this organization who signs in needs one.' },
}

const units: Record<string, string> = {
  'policies.maxRate': '×',
  'policies.retentionMonths': 'months',
  'policies.idleMinutes': 'minutes',
  'policies.sessionHours': 'hours',
}

/** Values as people read them where two versions are compared. */
export function words(field: string, value: unknown): string | undefined {
  if (field === 'policies.mfa') return Object.entries(mfaChoices).find(([mfa]) => mfa === value)?.[1].label
  if (typeof value !== 'number' || Number.isNaN(value)) return undefined
  if (field === 'policies.completionThreshold') return `${percentOf(value)} %`
  return field in units ? `${value} ${units[field]}` : undefined
}

export function percentOf(share: number | undefined): number | string {
  return share === undefined || Number.isNaN(share) ? '' : Math.round(share * 100)
}
