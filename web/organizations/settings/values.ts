import {
  defaultPolicies,
  type Organization,
  type OrganizationInput,
  type Policies,
  type TrackingMode,
  type WatcherRule,
} from '#contract/directory/organizations.ts'
import type { CaptionPolicy } from '#contract/videos/readiness.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import type { MfaPolicy } from '#contract/identity/security.ts'
import type { ContractForm, useContractForm } from '#web/api/forms/form.ts'

export type OrganizationValues = {
  name: string
  domain: string | null
  accentColor: string | null
  timeZone: string
  language: Language
  policies: Required<NonNullable<OrganizationInput['policies']>>
}

export const labels: ContractForm<OrganizationValues>['labels'] = {
  name: 'Name',
  domain: 'Domain',
  accentColor: 'Color',
  timeZone: 'Time zone',
  language: 'Language of its people',
  'policies.completionThreshold': 'Counts as completed from',
  'policies.retentionMonths': 'Keep evidence for',
  'policies.trackingMode': 'What is recorded about a person',
  'policies.smallestGroup': 'Smallest group',
  'policies.consentText': 'Text for viewers',
  'policies.maxRate': 'Fastest playback that counts',
  'policies.completionEvidence': 'Counts for a completion',
  'policies.certificateEvidence': 'Counts for a certificate',
  'policies.whoMayWatch': 'Who may watch',
  'policies.captionPolicy': 'Captions before sending',
  'policies.mfa': 'Second step beside the password',
  'policies.idleMinutes': 'Sign out after nobody was there for',
  'policies.sessionHours': 'Sign out in any case after',
  'policies.senderName': 'Name of the sender',
  'policies.replyTo': 'Answers go to',
  'policies.sendPerMinute': 'Messages in a minute, at most',
  'policies.linkDays': 'Personal links end after',
  'policies.approvalThreshold': 'Ask for approval above',
  'policies.sendWindow': 'When messages leave',
  'policies.sendWindow.days': 'Days',
  'policies.sendWindow.from': 'From',
  'policies.sendWindow.to': 'To',
}

/** The values of an organization, or those that a new one begins with. */
export function valuesOf(organization?: Organization): OrganizationValues {
  if (organization) {
    const { name, domain, accentColor, timeZone, language, policies } = organization
    return { name, domain, accentColor, timeZone, language, policies: { ...defaultPolicies, ...policies } }
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return {
    name: '',
    domain: null,
    accentColor: null,
    timeZone,
    language: 'en',
    policies: { ...defaultPolicies },
  }
}

export type OrganizationForm = Pick<ReturnType<typeof useContractForm<OrganizationValues>>, 'form' | 'field'>

/** What an input for one of the policies is given. */
export function policyField(form: OrganizationForm['form'], name: keyof OrganizationValues['policies']) {
  const path = `policies.${name}` as const
  return { ...form.getInputProps(path), id: `field-policies-${name}`, label: labels[path] }
}

export const mfaChoices: Record<MfaPolicy, { label: string; means: string }> = {
  optional: { label: 'As the installation asks', means: 'Nothing more than what holds for everybody.' },
  'required-for-admins': {
    label: 'For administrators',
    means: 'Group administrators may add one, administrators must.',
  },
  required: { label: 'For everybody', means: 'Everybody of this organization who signs in needs one.' },
}

export const trackingChoices: Record<TrackingMode, { label: string; means: string }> = {
  full: {
    label: 'Which parts were watched, and when',
    means:
      'Every second that earned credit, each viewing session and its device, for as long as evidence is kept.',
  },
  completed_only: {
    label: 'Only who completed a video, and on which day',
    means:
      'Nobody sees parts, minutes, positions or viewing sessions of a person. What is needed to find out whether somebody has completed a video is deleted a day after they have, and otherwise 30 days after they last watched it.',
  },
}

export const evidenceChoices: Record<Policies['completionEvidence'], { label: string; means: string }> = {
  likely: {
    label: 'Proven and likely evidence',
    means:
      'Likely is what the player reported while the server had no whole record, for example while it was being restarted.',
  },
  proven: {
    label: 'Proven evidence only',
    means:
      'Only what the server itself handed out. After an abrupt stop of the server some people have to watch again; where a cache hands out the videos, nobody completes anything.',
  },
}

export const watcherChoices: Record<WatcherRule, { label: string; means: string }> = {
  link: {
    label: 'Whoever has the personal link',
    means: 'Nobody needs an account. Whoever a link was passed on to can watch in the name of its recipient.',
  },
  signed_in: {
    label: 'Its recipient, signed in',
    means:
      'Before anything of a video is shown, the person signs in: by password, passkey or code, or by the sign-in of your organization. Somebody else’s link opens nothing. It can only work for people who have a way to sign in. Videos for everybody with the address ask for a personal link then; public videos stay public.',
  },
}

export const captionChoices: Record<CaptionPolicy, { label: string; means: string }> = {
  off: {
    label: 'Nothing is asked',
    means: 'Whoever sends or assigns a video is told nothing about its captions.',
  },
  warn: {
    label: 'Say what is missing',
    means:
      'A line beside the video says that it has no captions, that nobody has proof-read them, or that some are too fast to be read. It stops nothing.',
  },
  require: {
    label: 'Require captions',
    means:
      'A video without captions is neither sent nor assigned, by people as by keys, unless somebody says why it is urgent; the reason is kept in the audit log. What was let go before goes on. A video in which nothing is heard needs none.',
  },
}

export const units: Record<string, string> = {
  'policies.maxRate': '×',
  'policies.retentionMonths': 'months',
  'policies.idleMinutes': 'minutes',
  'policies.sessionHours': 'hours',
  'policies.smallestGroup': 'people',
  'policies.linkDays': 'days',
  'policies.approvalThreshold': 'recipients',
}

/** Values as people read them where two versions are compared. */
export function words(field: string, value: unknown): string | undefined {
  if (field === 'policies.mfa') return Object.entries(mfaChoices).find(([mfa]) => mfa === value)?.[1].label
  if (field === 'policies.whoMayWatch')
    return Object.entries(watcherChoices).find(([rule]) => rule === value)?.[1].label
  if (field === 'policies.captionPolicy')
    return Object.entries(captionChoices).find(([policy]) => policy === value)?.[1].label
  if (field === 'policies.trackingMode')
    return Object.entries(trackingChoices).find(([mode]) => mode === value)?.[1].label
  if (field === 'policies.completionEvidence' || field === 'policies.certificateEvidence')
    return Object.entries(evidenceChoices).find(([least]) => least === value)?.[1].label
  if (typeof value !== 'number' || Number.isNaN(value)) return undefined
  if (field === 'policies.completionThreshold') return `${percentOf(value)}%`
  return field in units ? `${value} ${units[field]}` : undefined
}

export function percentOf(share: number | undefined): number | string {
  return share === undefined || Number.isNaN(share) ? '' : Math.round(share * 100)
}
