import type { ComponentType } from 'react'
import { adminRoles, everyRole, superadminOnly, type Role } from '#contract/roles.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'

type Tab = {
  /** In the address. */
  key: string
  label: string
  /** Title and lead of the page. */
  title: string
  lead: string
  roles: readonly Role[]
  /** The business of its owner alone: not there while somebody looks through their eyes. */
  isPersonal?: true
  panel: ComponentType
}

/** Every part of the settings, in the order of the tabs; the first one is shown when the address names none. */
export const tabs: readonly Tab[] = [
  {
    key: 'profile',
    label: 'Profile',
    title: 'Settings',
    lead: 'Who you are in this console, and how you sign in.',
    roles: everyRole,
    isPersonal: true,
    panel: onDemand(async () => (await import('./Profile.tsx')).Profile),
  },
  {
    key: 'security',
    label: 'Security',
    title: 'Security',
    lead: 'How you prove that it is you.',
    roles: everyRole,
    isPersonal: true,
    panel: onDemand(async () => (await import('./security/Security.tsx')).Security),
  },
  {
    key: 'sessions',
    label: 'Sessions',
    title: 'Sessions',
    lead: 'Where you are signed in.',
    roles: everyRole,
    isPersonal: true,
    panel: onDemand(async () => (await import('./Sessions.tsx')).Sessions),
  },
  {
    key: 'organization',
    label: 'Organization',
    title: 'Organization',
    lead: 'What holds for everybody of your organization.',
    roles: ['admin'],
    panel: onDemand(async () => (await import('./Organization.tsx')).Organization),
  },
  {
    key: 'audit',
    label: 'Audit',
    title: 'Audit log',
    lead: 'Who did what, when and from where. Nothing in it can be changed.',
    roles: adminRoles,
    panel: onDemand(async () => (await import('../audit/AuditLog.tsx')).AuditLog),
  },
  {
    key: 'keys',
    label: 'Keys',
    title: 'Keys',
    lead: 'By which other systems read and change what is here, without a person who signs in.',
    roles: adminRoles,
    panel: onDemand(async () => (await import('./keys/Keys.tsx')).Keys),
  },
  {
    key: 'fields',
    label: 'Fields',
    title: 'Fields of people',
    lead: 'What your organization keeps about its people, beyond name, email, phone and external ID.',
    roles: ['admin'],
    panel: onDemand(async () => (await import('./Fields.tsx')).Fields),
  },
  {
    key: 'sign-in',
    label: 'Sign-in',
    title: 'Sign-in',
    lead: 'What signing in asks for, in the whole installation.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./SignInPolicy.tsx')).SignInPolicy),
  },
  {
    key: 'mail',
    label: 'Mail',
    title: 'Mail',
    lead: 'By which server the mails of this installation leave.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./MailServer.tsx')).MailServer),
  },
  {
    key: 'returns',
    label: 'Returns',
    title: 'Returns',
    lead: 'How this installation learns whose mail arrived, came back, or was not wanted.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Returns.tsx')).Returns),
  },
  {
    key: 'system',
    label: 'System',
    title: 'System',
    lead: 'Whether this installation has what it needs, and what to do where it has not.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./System.tsx')).System),
  },
  {
    key: 'speech',
    label: 'Speech',
    title: 'Speech',
    lead: 'By which model this installation writes down what is said in videos.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Speech.tsx')).Speech),
  },
  {
    key: 'storage',
    label: 'Storage',
    title: 'Storage',
    lead: 'Where the data of this installation lies, and what takes how much of it.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Storage.tsx')).Storage),
  },
  {
    key: 'backup',
    label: 'Backup',
    title: 'Backup',
    lead: 'Copies of the whole installation, and when they are made.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Backup.tsx')).Backup),
  },
  {
    key: 'jobs',
    label: 'Jobs',
    title: 'Jobs',
    lead: 'What this installation does in the background, and what has failed.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Jobs.tsx')).Jobs),
  },
  {
    key: 'sending',
    label: 'Sending',
    title: 'Sending',
    lead: 'Whether messages leave this installation.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Sending.tsx')).Sending),
  },
  {
    key: 'outbox',
    label: 'Outbox',
    title: 'Outbox',
    lead: 'Mails that rest here because there was no mail server when they were written.',
    roles: superadminOnly,
    panel: onDemand(async () => (await import('./Outbox.tsx')).Outbox),
  },
]
