import type { AccountActivity } from '#contract/reports.ts'
import { paths } from '#web/paths.ts'

/** Entries of the audit in the words of the screen. */
const words: Record<string, string> = {
  'auth.sign_in': 'Signed in',
  'auth.sign_in_failed': 'Sign-in failed',
  'auth.sign_out': 'Signed out',
  'auth.reauthenticate': 'Confirmed the password',
  'auth.reauthenticate_failed': 'Confirming the password failed',
  'auth.reset_password': 'Chose a new password',
  'auth.set_up': 'Set up the installation',
  'view_as.started': 'Began to view as somebody',
  'view_as.ended': 'Stopped viewing as somebody',
  'audit.exported': 'Exported the audit log',
  'user.created': 'Added a person',
  'user.changed': 'Changed a person',
  'user.removed': 'Removed a person',
  'group.created': 'Created a group',
  'group.changed': 'Changed a group',
  'group.removed': 'Removed a group',
  'group.members_added': 'Put people into a group',
  'group.members_removed': 'Took people out of a group',
  'organization.created': 'Created an organization',
  'organization.changed': 'Changed an organization',
  'organization.removed': 'Removed an organization',
  'project.create': 'Created a project',
  'project.update': 'Changed a project',
  'project.delete': 'Removed a project',
  'video.create': 'Added a video',
  'video.update': 'Changed a video',
  'video.retry': 'Prepared a video again',
  'video.delete': 'Removed a video',
  'transmission.create': 'Created a transmission',
  'transmission.scheduled': 'Scheduled a transmission',
  'transmission.preparing': 'Started a transmission',
  'transmission.sending': 'Began to send a transmission',
  'transmission.paused': 'Paused a transmission',
  'transmission.completed': 'Finished a transmission',
  'transmission.cancelled': 'Cancelled a transmission',
  'transmission.failed': 'Gave up a transmission',
  'delivery.send_again': 'Sent an uncertain message again',
  'delivery.treat_as_failed': 'Treated an uncertain message as failed',
  'demo.filled': 'Filled in the sample data',
}

/** `video.shared` becomes "Video shared" until it has words of its own. */
export function actionWord(action: string): string {
  const plain = action.replaceAll(/[._]/g, ' ')
  return words[action] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The page of what an entry is about; undefined where there is none, or none any more. */
export function addressOf({ entity, entityId, exists, organizationId }: AccountActivity): string | undefined {
  if (!exists || entityId === null) return undefined
  if (entity === 'video') return paths.video(entityId)
  if (entity === 'transmission') return paths.transmission(entityId)
  if (entity === 'organization') return paths.organizationDashboard(entityId)
  if (organizationId === null) return undefined
  if (entity === 'user') return paths.userEdit(organizationId, entityId)
  return entity === 'group' ? paths.groupEdit(organizationId, entityId) : undefined
}
