import type { AuditAction } from '#contract/audit-actions.ts'
import type { AccountActivity } from '#contract/reports.ts'
import { paths } from '#web/paths.ts'

/** Entries of the audit in the words of the screen. */
const words: Record<AuditAction, string> = {
  'auth.sign_in': 'Signed in',
  'auth.sign_in_failed': 'Sign-in failed',
  'auth.sign_out': 'Signed out',
  'auth.second_step': 'Confirmed the second step',
  'auth.second_step_failed': 'Confirming the second step failed',
  'auth.lock': 'Locked the session',
  'auth.too_many_tries': 'Too many wrong passwords',
  'auth.password_disabled': 'Password switched off for new browsers',
  'auth.password_expired': 'Leaked password has to be replaced',
  'auth.change_password': 'Changed the password',
  'auth.change_password_failed': 'Changing the password failed',
  'auth.factor_added': 'Added a second step',
  'auth.factor_removed': 'Removed a second step',
  'auth.recovery_renewed': 'Made new recovery codes',
  'auth.passkey_renamed': 'Renamed a passkey',
  'auth.passkey_copied': 'Refused a copied passkey',
  'account.changed': 'Changed the own profile',
  'account.avatar_changed': 'Changed the own picture',
  'account.email_changed': 'Changed the own email',
  'account.deletion_asked': 'Asked for the own account to be deleted',
  'account.kept': 'Kept the account',
  'account.deleted': 'Account deleted',
  'session.ended': 'Ended an own session',
  'session.others_ended': 'Ended all other own sessions',
  'session.ended_by_admin': 'Ended sessions of somebody',
  'session.organization_ended': 'Ended all sessions of an organization',
  'security.changed': 'Changed how people sign in',
  'invitation.sent': 'Invited somebody',
  'invitation.resent': 'Sent an invitation again',
  'invitation.reminded': 'Reminded of an invitation',
  'invitation.revoked': 'Withdrew an invitation',
  'invitation.expired': 'Invitation ran out',
  'invitation.accepted': 'Accepted an invitation',
  'auth.reauthenticate': 'Confirmed the password',
  'auth.reauthenticate_failed': 'Confirming the password failed',
  'auth.reset_password': 'Chose a new password',
  'auth.set_up': 'Set up the installation',
  'view_as.started': 'Began to view as somebody',
  'view_as.ended': 'Stopped viewing as somebody',
  'certificate.issue': 'Issued a viewing certificate',
  'audit.exported': 'Exported the audit log',
  'user.created': 'Added a person',
  'user.changed': 'Changed a person',
  'user.avatar_changed': 'Changed the picture of a person',
  'user.removed': 'Removed a person',
  'user.restored': 'Brought a person back',
  'audit.erased': 'Erased details in the log',
  'user.evidence_erased': 'Erased viewing evidence',
  'user.evidence_erasure_planned': 'Planned to erase viewing evidence',
  'user.evidence_erasure_cancelled': 'Kept viewing evidence after all',
  'user.data_exported': 'Exported everything about a person',
  'evidence.expired': 'Deleted old viewing evidence',
  'evidence.exported': 'Exported viewing evidence',
  'user.erased': 'Erased the details of a removed person',
  'users.exported': 'Exported people',
  'user.reset_asked': 'Asked somebody to choose a new password',
  'user.factors_reset': 'Reset a second step',
  'group.created': 'Created a group',
  'group.changed': 'Changed a group',
  'group.removed': 'Removed a group',
  'group.restored': 'Brought a group back',
  'group.members_added': 'Put people into a group',
  'group.members_removed': 'Took people out of a group',
  'group.groupadmin_made': 'Made somebody groupadmin of a group',
  'group.groupadmin_ended': 'Ended the administration of a group',
  'field.created': 'Added a field',
  'field.changed': 'Changed a field',
  'field.ordered': 'Put fields into another order',
  'field.removed': 'Removed a field',
  'field.restored': 'Brought a field back',
  'field.erased': 'Deleted a field for good',
  'organization.created': 'Created an organization',
  'organization.changed': 'Changed an organization',
  'organization.logo_changed': 'Changed a logo',
  'organization.removed': 'Removed an organization',
  'organization.restored': 'Brought an organization back',
  'operation.started': 'Started a bulk change',
  'operation.cancelling': 'Asked to stop a bulk change',
  'operation.cancelled': 'Bulk change stopped',
  'operation.done': 'Bulk change finished',
  'operation.failed': 'Bulk change failed',
  'operation.undoing': 'Began to undo a change',
  'operation.undone': 'Undid a change',
  'view.created': 'Saved a view',
  'view.changed': 'Changed a view',
  'view.removed': 'Removed a view',
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
  const known = new Map<string, string>(Object.entries(words)).get(action)
  return known ?? plain.charAt(0).toUpperCase() + plain.slice(1)
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
