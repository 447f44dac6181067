import * as z from 'zod/mini'
import { Id, Instant } from '../endpoint.ts'

/**
 * What a dashboard says needs attention, the most urgent first. `failing_senders` are organizations; on the dashboard of one
 * organization, the transmissions that make it one.
 */
export const alertKinds = [
  'paused_transmissions',
  'failing_senders',
  'failed_mails',
  'failing_backups',
  'failing_conversion',
  'set_aside',
  'organizations_without_admin',
  'pending_approvals',
  'failed_videos',
  'failed_operations',
  'refused_events',
  'returned_messages',
  'overdue_people',
  'expiring_keys',
  'failed_invitations',
  'expiring_invitations',
  'dormant_admins',
  'groups_without_groupadmin',
  'barred_addresses',
  'people_without_group',
] as const
export type AlertKind = (typeof alertKinds)[number]

/** What each list can be narrowed to: exactly the rows that a dashboard has counted. */
export const alertsOf = {
  organizations: ['organizations_without_admin', 'failing_senders'],
  transmissions: ['paused_transmissions', 'pending_approvals', 'returned_messages', 'failing_senders'],
  videos: ['failed_videos'],
  operations: ['failed_operations'],
  invitations: ['failed_invitations', 'expiring_invitations'],
  users: ['dormant_admins', 'barred_addresses', 'people_without_group'],
  groups: ['groups_without_groupadmin'],
} as const satisfies Record<string, readonly AlertKind[]>

/** When something begins to need attention. */
export const alertLimits = {
  /** Without a sign of life of somebody who administers. */
  dormantDays: 90,
  /** Before a key expires, and after it has. */
  keyDays: 14,
  /** Before an invitation ends. */
  expiringDays: 2,
  /** In which a mail could not be sent. */
  failedHours: 24,
  /** In which an operation or a video failed. */
  brokenDays: 7,
  /** In which a transmission was made whose messages came back. */
  returnedDays: 7,
  /** Of at least so many messages in these days this share was refused: the mail providers may soon refuse all. */
  refused: { days: 7, messages: 50, share: 0.05 },
  /** Without a backup, where they are made by themselves. */
  backupDays: 2,
  /** Without one that was found to be whole. */
  checkedDays: 35,
  /** Only so many people, those added last, are looked at for being in no group. */
  newestPeople: 10_000,
} as const

/** Where counting stops: more than that is just "more than". */
export const mostCounted = 1_000

export const Alerts = z.object({
  kind: z.enum(alertKinds),
  /** Exact up to `mostCounted`; one more means "more". */
  count: z.number(),
  /** The first three by name, where each of them has a page. */
  samples: z.array(z.object({ id: Id, name: z.string() })),
  /** Over all organizations, in place of samples: those that have most of it. */
  organizations: z.array(z.object({ id: Id, name: z.string(), count: z.number() })),
  /** Until when the caller does not want to see it; null: it is shown. */
  hiddenUntil: z.nullable(Instant),
})
export type Alerts = z.infer<typeof Alerts>
