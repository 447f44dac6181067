import { assignmentActions } from '../assignments/assignment-audit.ts'
import { mailActions } from '../identity/mail-audit.ts'
import { ssoActions } from '../identity/sso-audit.ts'
import { capitalized } from './text/text.ts'

/**
 * What an action is called in a sentence. {actor} and {target} are names; {before.x} and {after.x} are values of the entry;
 * {fields} are the fields that changed, {people} how many people it was about.
 * Of several sentences the first counts whose `changed` is all that changed.
 */
export type AuditSentence = string | readonly { changed?: string; text: string }[]

/** By an action: the words of reports and files, and the sentence of the log. */
type ActionWords = readonly [words: string, sentence: AuditSentence]

/** Everything that the audit log can say has happened. Nothing else can be written. */
const actions = {
  'auth.sign_in': ['Signed in', '{actor} signed in'],
  'auth.sign_in_failed': ['Sign-in failed', 'Signing in as {target} failed'],
  'auth.sign_out': ['Signed out', '{actor} signed out'],
  'auth.reauthenticate': ['Confirmed the password', '{actor} confirmed the password'],
  'auth.reauthenticate_failed': [
    'Confirming the password failed',
    'Confirming the password of {target} failed',
  ],
  'auth.second_step': ['Confirmed the second step', '{actor} confirmed the second step'],
  'auth.second_step_failed': [
    'Confirming the second step failed',
    'Confirming the second step of {target} failed',
  ],
  'auth.lock': ['Locked the session', '{actor} locked the session'],
  'auth.too_many_tries': ['Too many wrong passwords', 'Too many wrong passwords were tried for {target}'],
  'auth.password_disabled': [
    'Password switched off for new browsers',
    'The password of {target} was switched off for new browsers after too many wrong ones',
  ],
  'auth.password_expired': [
    'Leaked password has to be replaced',
    'The password of {target} has leaked and has to be replaced at the next sign-in',
  ],
  'auth.change_password': ['Changed the password', '{actor} changed the password'],
  'auth.change_password_failed': [
    'Changing the password failed',
    'Changing the password of {target} failed: the present one was wrong',
  ],
  'auth.reset_password': ['Chose a new password', '{actor} chose a new password'],
  'auth.set_up': ['Set up the installation', '{actor} set up the installation'],
  'auth.factor_added': ['Added a second step', '{actor} added a second step'],
  'auth.factor_removed': ['Removed a second step', '{actor} removed a second step'],
  'auth.recovery_renewed': ['Made new recovery codes', '{actor} made new recovery codes'],
  'auth.passkey_renamed': ['Renamed a passkey', '{actor} renamed the passkey {before.name} to {after.name}'],
  'auth.passkey_copied': [
    'Refused a copied passkey',
    'A passkey of {target} was refused: it looks like a copy',
  ],
  'account.changed': ['Changed the own profile', '{actor} changed the own profile: {fields}'],
  'account.avatar_changed': ['Changed the own picture', '{actor} changed the own picture'],
  'account.email_changed': [
    'Changed the own email',
    '{actor} changed the own email from {before.email} to {after.email}',
  ],
  'account.deletion_asked': [
    'Asked for the own account to be deleted',
    '{actor} asked for the own account to be deleted',
  ],
  'account.kept': ['Kept the account', '{actor} signed in again and kept the account'],
  'account.deleted': ['Account deleted', 'The account of {target} was deleted, as its owner had asked'],
  'session.ended': ['Ended an own session', '{actor} ended one of the own sessions'],
  'session.others_ended': ['Ended all other own sessions', '{actor} ended all other own sessions'],
  'session.ended_by_admin': ['Ended sessions of somebody', '{actor} ended sessions of {target}'],
  'session.organization_ended': [
    'Ended all sessions of an organization',
    '{actor} ended all sessions of the organization {target}',
  ],
  'security.changed': ['Changed how people sign in', '{actor} changed how people sign in: {fields}'],
  ...mailActions,
  ...ssoActions,
  'backup.planned': ['Changed the plan of backups', '{actor} changed the plan of backups: {fields}'],
  'backup.asked': ['Started a backup', '{actor} started a backup'],
  'set_aside.retried': ['Tried again what was set aside', '{actor} had tried again what was set aside'],
  'set_aside.discarded': ['Gave up what was set aside', '{actor} gave up something that was set aside'],
  'secret.lost': ['Took another secret', 'The operator took another secret in place of the lost one'],
  'job.retried': [
    'Began failed background work again',
    '{actor} began background work again that had failed',
  ],
  'view_as.started': ['Began to view as somebody', '{actor} began to view as {target}: “{after.reason}”'],
  'view_as.ended': ['Stopped viewing as somebody', '{actor} stopped viewing as {target}'],
  'audit.exported': ['Exported the audit log', '{actor} exported the audit log'],
  'audit.erased': ['Erased details in the log', 'Personal details in the log about {target} were erased'],
  'key.created': ['Made a key', '{actor} made the key {target}'],
  'key.changed': ['Changed a key', '{actor} changed the key {target}'],
  'key.rotated': ['Gave a key a new token', '{actor} gave the key {target} a new token'],
  'key.revoked': ['Withdrew a key', '{actor} withdrew the key {target}'],
  'key.called': ['Called by a key', '{actor} called {after.call}'],
  'key.refused': ['Refused a key', '{actor} was refused at {after.call}: its scopes do not allow it'],
  'invitation.sent': ['Invited somebody', '{actor} invited {after.email}'],
  'invitation.resent': ['Sent an invitation again', '{actor} sent the invitation of {after.email} again'],
  'invitation.reminded': ['Reminded of an invitation', 'A reminder of the invitation went to {after.email}'],
  'invitation.revoked': ['Took an invitation back', '{actor} took back the invitation of {after.email}'],
  'invitation.expired': ['Invitation expired', 'The invitation of {after.email} expired'],
  'invitation.accepted': ['Accepted an invitation', '{actor} accepted the invitation to {after.email}'],
  'user.created': ['Added a person', '{actor} added {target}'],
  'user.changed': [
    'Changed a person',
    [
      { changed: 'role', text: '{actor} changed the role of {target} from {before.role} to {after.role}' },
      { changed: 'name', text: '{actor} renamed {before.name} to {after.name}' },
      { changed: 'email', text: '{actor} changed the email of {target} to {after.email}' },
      {
        changed: 'state',
        text: '{actor} changed the state of {target} from {before.state} to {after.state}',
      },
      { changed: 'groups', text: '{actor} changed the groups of {target}' },
      { text: '{actor} changed {target}: {fields}' },
    ],
  ],
  'user.avatar_changed': ['Changed the picture of a person', '{actor} changed the picture of {target}'],
  'user.removed': ['Removed a person', '{actor} removed {target}'],
  'user.restored': ['Brought a person back', '{actor} brought {target} back'],
  'user.erased': [
    'Erased the details of a removed person',
    'The details of {target} were erased, 30 days after the removal',
  ],
  'user.evidence_erased': ['Erased viewing evidence', '{actor} erased the viewing evidence of {target}'],
  'user.evidence_erasure_planned': [
    'Planned to erase viewing evidence',
    '{actor} asked for the viewing evidence of {target} to be erased with the person',
  ],
  'user.evidence_erasure_cancelled': [
    'Kept viewing evidence after all',
    '{actor} let the viewing evidence of {target} be kept under a pseudonym after all',
  ],
  'user.data_exported': [
    'Exported everything about a person',
    '{actor} exported everything that is kept about {target}',
  ],
  'user.own_data_taken': [
    'Took the own data along',
    '{actor} took a file with the own data along, by the personal link',
  ],
  'user.own_training_opened': [
    'Opened the own training on a device',
    '{actor} opened the own training on a device, by the personal link and a mailed code',
  ],
  'video.visit_data_taken': [
    'Took the data of a visit along',
    'A visitor of the video {target} took a file with the data of the visit along',
  ],
  'users.exported': ['Exported people', '{actor} exported people of {target}'],
  'training.waived': [
    'Waived a person for a video',
    '{actor} waived {target} for “{after.video}”: “{after.reason}”',
  ],
  'training.waiver_ended': [
    'Took a waiver back',
    '{actor} took the waiver of {target} for “{before.video}” back',
  ],
  'training.waiver_restored': [
    'Restored a waiver',
    '{actor} let the waiver of {target} for “{after.video}” hold again',
  ],
  ...assignmentActions,
  'training.exported': ['Exported the training matrix', '{actor} exported the training matrix of {target}'],
  'quiz_results.exported': [
    'Exported answers to questions',
    '{actor} exported the answers to the questions of {target}',
  ],
  'report.exported': ['Exported a report', '{actor} exported a report about {target}'],
  'report_schedule.created': ['Asked for a report by mail', '{actor} asked for the report {target} by mail'],
  'report_schedule.changed': [
    'Changed a report by mail',
    '{actor} changed when the report {target} comes by mail: {fields}',
  ],
  'report_schedule.removed': [
    'Removed a report by mail',
    '{actor} removed the mails with the report {target}',
  ],
  'report_schedule.paused': [
    'Stopped a report by mail',
    '{actor} stopped the mails with the report {target}',
  ],
  'report_schedule.resumed': [
    'Let a report by mail go on',
    '{actor} let the mails with the report {target} go on',
  ],
  'report_schedule.address_confirmed': [
    'Agreed to get a report by mail',
    'Somebody at a further address agreed to get the report {target} by mail',
  ],
  'report_schedule.address_ended': [
    'Ended a report by mail at an address',
    'Somebody at a further address ended the mails with the report {target}',
  ],
  'report_schedule.sent': [
    'Report sent by mail',
    '{actor} sent the report {target} by mail, from {after.from} to {after.to}',
  ],
  'user.reset_asked': [
    'Asked somebody to choose a new password',
    '{actor} asked {target} to choose a new password',
  ],
  'user.missed_sent': [
    'Sent somebody what they had missed',
    '{actor} sent {target} what had not reached them at another address',
  ],
  'user.unlocked': ['Unlocked a password', '{actor} unlocked the password of {target}'],
  'user.factors_reset': [
    'Reset a second step',
    '{actor} reset the second step of {target}: “{after.reason}”',
  ],
  'user.app_lost': ['App for signing in lost', 'The app of {target} ended with the lost secret'],
  'group.created': ['Created a group', '{actor} created the group {target}'],
  'group.changed': [
    'Changed a group',
    [
      { changed: 'name', text: '{actor} renamed the group {before.name} to {after.name}' },
      { text: '{actor} changed the group {target}: {fields}' },
    ],
  ],
  'group.removed': ['Removed a group', '{actor} removed the group {target}'],
  'group.restored': ['Brought a group back', '{actor} brought the group {target} back'],
  'group.members_added': ['Put people into a group', '{actor} put {people} into the group {target}'],
  'group.members_removed': ['Took people out of a group', '{actor} took {people} out of the group {target}'],
  'group.groupadmin_made': [
    'Made somebody group administrator of a group',
    '{actor} let {people} administer the group {target}',
  ],
  'group.groupadmin_ended': [
    'Ended the administration of a group',
    '{actor} took the administration of the group {target} from {people}',
  ],
  'template.created': ['Added a template', '{actor} added the template for messages {target}'],
  'template.changed': [
    'Changed a template',
    [
      { changed: 'name', text: '{actor} renamed the template {before.name} to {after.name}' },
      { text: '{actor} changed the template {target}: {fields}' },
    ],
  ],
  'template.removed': ['Removed a template', '{actor} removed the template for messages {target}'],
  'field.created': ['Added a field', '{actor} added the field {target}'],
  'field.changed': [
    'Changed a field',
    [
      { changed: 'label', text: '{actor} renamed the field {before.label} to {after.label}' },
      { text: '{actor} changed the field {target}: {fields}' },
    ],
  ],
  'field.ordered': ['Put fields into another order', '{actor} put the fields of people into another order'],
  'field.removed': ['Removed a field', '{actor} removed the field {target}'],
  'field.restored': ['Brought a field back', '{actor} brought the field {target} back'],
  'field.erased': [
    'Deleted a field for good',
    'The values of the removed field {target} were deleted for good',
  ],
  'organization.created': ['Created an organization', '{actor} created the organization {target}'],
  'organization.changed': [
    'Changed an organization',
    [
      { changed: 'name', text: '{actor} renamed the organization {before.name} to {after.name}' },
      { text: '{actor} changed the organization {target}: {fields}' },
    ],
  ],
  'organization.logo_changed': ['Changed a logo', '{actor} changed the logo of {target}'],
  'evidence.expired': [
    'Deleted old viewing evidence',
    'Viewing evidence of {target} was deleted, because it is kept no longer',
  ],
  'evidence.counted': [
    'Let doubted viewing count',
    '{actor} decided that {target} watched “{after.video}”: “{after.reason}”',
  ],
  'evidence.doubted': [
    'Took a decision about viewing back',
    '{actor} took back that {target} watched “{before.video}” in a doubted session',
  ],
  'evidence.exported': ['Exported viewing evidence', '{actor} exported viewing evidence of {target}'],
  'organization.removed': ['Removed an organization', '{actor} removed the organization {target}'],
  'organization.restored': ['Brought an organization back', '{actor} brought the organization {target} back'],
  'operation.started': ['Started a bulk change', '{actor} started a bulk change'],
  'operation.cancelling': ['Asked to stop a bulk change', '{actor} asked to stop a bulk change'],
  'operation.cancelled': ['Bulk change stopped', 'A bulk change of {actor} was stopped'],
  'operation.done': ['Bulk change finished', 'A bulk change of {actor} was finished'],
  'operation.failed': ['Bulk change failed', 'A bulk change of {actor} failed'],
  'operation.undoing': ['Began to undo a change', '{actor} began to undo a change'],
  'operation.undone': ['Undid a change', '{actor} undid a change'],
  'operation.final': [
    'Gave up the way back from a change',
    '{actor} deleted for good what a change had removed',
  ],
  'attention.hidden': [
    'Hid a matter from the dashboard',
    '{actor} hid a matter from the own dashboard for a while',
  ],
  'attention.shown': [
    'Showed a hidden matter again',
    '{actor} shows a hidden matter on the own dashboard again',
  ],
  'view.created': ['Saved a view', '{actor} saved the view {target}'],
  'view.changed': [
    'Changed a view',
    [
      { changed: 'name', text: '{actor} renamed the view {before.name} to {after.name}' },
      { text: '{actor} changed the view {target}: {fields}' },
    ],
  ],
  'view.removed': ['Removed a view', '{actor} removed the view {target}'],
  'project.create': ['Created a project', '{actor} created the project {target}'],
  'project.update': ['Changed a project', '{actor} changed the project {target}: {fields}'],
  'project.delete': ['Removed a project', '{actor} removed the project {target}'],
  'video.create': ['Added a video', '{actor} added the video {target}'],
  'video.update': ['Changed a video', '{actor} changed the video {target}: {fields}'],
  'video.replace': ['Replaced a video', '{actor} began to replace the video {target} by another file'],
  'video.replaced': [
    'Put a new version of a video in place',
    'A new version of the video {target} is in place; of it, whoever owes it watches: {after.owed}',
  ],
  'video.captioned': [
    'Gave a video captions',
    '{actor} gave the video {target} {after.kind} in {after.language}: {after.cues} of them',
  ],
  'speech_model.update': [
    'Added a model for recognising speech',
    '{actor} added the model {after.name} for recognising speech',
  ],
  'speech_model.remove': [
    'Removed the model for recognising speech',
    '{actor} removed the model for recognising speech',
  ],
  'video.recognise': [
    'Had the speech of a video recognised',
    '{actor} had captions made of what is said in the video {target}',
  ],
  'video.recognition_cancelled': [
    'Stopped recognising the speech of a video',
    '{actor} stopped recognising the speech of the video {target}',
  ],
  'video.captions_edited': [
    'Edited captions of a video',
    '{actor} began to change the {after.kind} in {after.language} of the video {target}',
  ],
  'video.captions_proof_read': [
    'Proof-read captions of a video',
    '{actor} said that the {after.kind} in {after.language} of the video {target} are right',
  ],
  'video.captions_reopened': [
    'Asked for captions of a video to be read again',
    '{actor} said that the {after.kind} in {after.language} of the video {target} are to be read again',
  ],
  'video.captions_restored': [
    'Brought captions of a video back',
    '{actor} brought the {after.kind} in {after.language} of the video {target} back',
  ],
  'video.captions_removed': [
    'Removed captions of a video',
    '{actor} removed the {before.kind} in {before.language} of the video {target}',
  ],
  'video.captions_shown': [
    'Chose which captions are shown from the start',
    '{actor} chose which captions of the video {target} are shown from the start: {after.language}',
  ],
  'video.retry': ['Prepared a video again', '{actor} had the video {target} prepared again'],
  'video.chapters': ['Changed chapters', '{actor} changed the chapters of the video {target}'],
  'video.poster': ['Chose a poster', '{actor} chose another poster for the video {target}'],
  'video.delete': ['Removed a video', '{actor} removed the video {target}'],
  'video.restored': ['Brought a video back', '{actor} brought the video {target} back'],
  'videos.exported': ['Exported the list of videos', '{actor} exported the list of videos of {target}'],
  'quiz.published': ['Published questions', '{actor} published the questions of {target}'],
  'quiz.withdrawn': ['Withdrew questions', '{actor} withdrew the questions of {target}'],
  'transmission.create': ['Created a transmission', '{actor} created the transmission {target}'],
  'transmission.changed': ['Changed a transmission', '{actor} changed the transmission {target}'],
  'transmission.submitted': [
    'Asked for approval of a transmission',
    '{actor} asked for approval of the transmission {target}',
  ],
  'transmission.withdrawn': ['Withdrew a transmission', '{actor} withdrew the transmission {target}'],
  'transmission.approved': ['Approved a transmission', '{actor} approved the transmission {target}'],
  'transmission.rejected': ['Rejected a transmission', '{actor} rejected the transmission {target}'],
  'transmission.held': ['Held a transmission', '{actor} held the transmission {target}'],
  'transmission.released': ['Released a transmission', '{actor} released the transmission {target}'],
  'transmission.due_changed': [
    'Changed the due day of a transmission',
    '{actor} changed the due day of the transmission {target}',
  ],
  'transmission.tested': ['Sent a test mail', '{actor} sent themselves a test mail about the video {target}'],
  'transmission.undone': ['Took back a transmission', '{actor} took back the transmission {target}'],
  'transmission.sent_now': [
    'Sent a transmission at once',
    '{actor} sent the transmission {target} without waiting',
  ],
  'transmission.sent_outside': [
    'Sent a transmission outside the hours',
    '{actor} let the transmission {target} leave outside the hours of the organization',
  ],
  'transmission.wave': [
    'Began a wave of a transmission',
    '{actor} began the next wave of the transmission {target}',
  ],
  'transmission.next_wave': [
    'Began a wave without waiting',
    '{actor} let the next wave of the transmission {target} begin without waiting',
  ],
  'transmission.scheduled': ['Scheduled a transmission', '{actor} scheduled the transmission {target}'],
  'transmission.preparing': ['Started a transmission', '{actor} started the transmission {target}'],
  'transmission.sending': ['Began to send a transmission', '{actor} began to send the transmission {target}'],
  'transmission.paused': ['Paused a transmission', '{actor} paused the transmission {target}'],
  'transmission.completed': ['Finished a transmission', '{actor} finished the transmission {target}'],
  'transmission.cancelled': ['Cancelled a transmission', '{actor} cancelled the transmission {target}'],
  'transmission.failed': ['Gave up a transmission', '{actor} gave up the transmission {target}'],
  'transmission.restored': [
    'Took the cancelling of a transmission back',
    '{actor} made a draft of the cancelled transmission {target} again',
  ],
  'transmissions.exported': [
    'Exported the list of transmissions',
    '{actor} exported the list of transmissions of {target}',
  ],
  'sending.held': [
    'Held sending in the whole installation',
    'Sending was held in the whole installation, until a superadmin says what happened',
  ],
  'sending.released': [
    'Ended the hold of sending',
    '{actor} said what had happened, and ended the hold of sending',
  ],
  'delivery.send_again': ['Sent an uncertain message again', '{actor} had an uncertain message sent again'],
  'delivery.treat_as_failed': [
    'Treated an uncertain message as failed',
    '{actor} treated an uncertain message as failed',
  ],
  'deliveries.send_again': [
    'Sent uncertain messages again',
    '{actor} had the uncertain messages of the transmission {target} sent again',
  ],
  'deliveries.treat_as_failed': [
    'Treated uncertain messages as failed',
    '{actor} treated the uncertain messages of the transmission {target} as failed',
  ],
  'deliveries.exported': [
    'Exported the recipients of a transmission',
    '{actor} exported the recipients of the transmission {target}',
  ],
  'delivery.link_revoked': [
    'Revoked a personal link',
    '{actor} revoked the personal link of {after.address}: “{after.reason}”',
  ],
  'certificate.issue': [
    'Issued a viewing certificate',
    '{actor} issued the viewing certificate no. {after.number} of {target}',
  ],
  'demo.filled': ['Filled in the sample data', '{actor} filled in the sample data'],
} satisfies Record<string, ActionWords>
export type AuditAction = keyof typeof actions

const known = new Map<string, ActionWords>(Object.entries(actions))

/** `video.shared` becomes "Video shared" until it has words of its own. */
export function actionWord(action: string): string {
  const plain = action.replaceAll(/[._]/g, ' ')
  return known.get(action)?.[0] ?? capitalized(plain)
}

export const auditSentence = (action: string): AuditSentence | undefined => known.get(action)?.[1]
