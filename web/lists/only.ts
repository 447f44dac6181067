import { alertLimits, type AlertKind } from '#contract/platform/alerts.ts'
import { plural } from '#web/ui/format.ts'
import type { Filter } from './bar/filters.ts'

/** What a list is narrowed to, that a dashboard led to. */
const labels: Record<AlertKind, string> = {
  paused_transmissions: 'Paused by the product',
  failing_senders: 'Too many messages refused',
  failing_backups: 'Not backed up',
  failing_conversion: 'Waiting for the converter',
  set_aside: 'Set aside',
  organizations_without_admin: 'Without an administrator',
  pending_approvals: 'Waiting for approval',
  failed_videos: 'Could not be prepared',
  failed_operations: `Failed in the last ${alertLimits.brokenDays} days`,
  refused_events: 'Do not take events',
  overdue_people: 'Late with a video',
  failed_mails: `Failed in the last ${alertLimits.failedHours} hours`,
  returned_messages: `Messages that did not arrive, of the last ${alertLimits.returnedDays} days`,
  expiring_keys: `Expire within ${plural(alertLimits.keyDays, 'day')}`,
  failed_invitations: 'Reached nobody',
  expiring_invitations: `End within ${plural(alertLimits.expiringDays, 'day')}`,
  dormant_admins: `Administrators who have not been here for ${alertLimits.dormantDays} days`,
  groups_without_groupadmin: 'Without a group administrator',
  barred_addresses: 'Address does not exist',
  people_without_group: 'In no group',
}

/** What a dashboard led to, as a filter that only a link sets. */
export function onlyThese(attention: AlertKind | undefined, clear: () => void): readonly Filter[] {
  if (!attention) return []
  return [{ label: 'Only these', chosen: labels[attention], clear, field: null }]
}
