import type { AuditAction } from '#contract/audit-actions.ts'
import type { AuditEntry } from '#contract/audit.ts'
import { asRole } from '#contract/roles.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { dash, plural } from '#web/ui/format.ts'
import { changesOf, record } from './changes.ts'

/**
 * What an action is called in a sentence. {actor} and {target} are names; {before.x} and {after.x} are values of the entry;
 * {fields} are the fields that changed, {people} how many people it was about, {thing} what kind of thing it was.
 * Of several sentences the first counts whose `changed` is all that changed.
 */
type Sentence = string | readonly { changed?: string; text: string }[]

const sentences: Record<AuditAction, Sentence> = {
  'auth.sign_in': '{actor} signed in',
  'auth.sign_in_failed': 'Signing in as {target} failed',
  'auth.sign_out': '{actor} signed out',
  'auth.second_step': '{actor} confirmed the second step',
  'auth.second_step_failed': 'Confirming the second step of {target} failed',
  'auth.too_many_tries': 'Too many wrong passwords were tried for {target}',
  'auth.password_disabled':
    'The password of {target} was switched off for new browsers after too many wrong ones',
  'auth.password_expired': 'The password of {target} has leaked and has to be replaced at the next sign-in',
  'auth.change_password': '{actor} changed the password',
  'auth.change_password_failed': 'Changing the password of {target} failed: the present one was wrong',
  'auth.factor_added': '{actor} added a second step',
  'auth.factor_removed': '{actor} removed a second step',
  'auth.recovery_renewed': '{actor} made new recovery codes',
  'auth.passkey_renamed': '{actor} renamed the passkey {before.name} to {after.name}',
  'auth.passkey_copied': 'A passkey of {target} was refused: it looks like a copy',
  'account.changed': '{actor} changed the own profile: {fields}',
  'account.avatar_changed': '{actor} changed the own picture',
  'account.email_changed': '{actor} changed the own email from {before.email} to {after.email}',
  'account.deletion_asked': '{actor} asked for the own account to be deleted',
  'account.kept': '{actor} signed in again and kept the account',
  'account.deleted': 'The account of {target} was deleted, as its owner had asked',
  'session.ended': '{actor} ended one of the own sessions',
  'session.others_ended': '{actor} ended all other own sessions',
  'session.ended_by_admin': '{actor} ended sessions of {target}',
  'session.organization_ended': '{actor} ended all sessions of the organization {target}',
  'invitation.sent': '{actor} invited {after.email}',
  'invitation.resent': '{actor} sent the invitation of {after.email} again',
  'invitation.reminded': 'A reminder of the invitation went to {after.email}',
  'invitation.revoked': '{actor} took back the invitation of {after.email}',
  'invitation.expired': 'The invitation of {after.email} expired',
  'invitation.accepted': '{actor} accepted the invitation to {after.email}',
  'auth.reauthenticate': '{actor} confirmed the password',
  'auth.reauthenticate_failed': 'Confirming the password of {target} failed',
  'auth.lock': '{actor} locked the session',
  'auth.reset_password': '{actor} chose a new password',
  'auth.set_up': '{actor} set up the installation',
  'view_as.started': '{actor} began to view as {target}: “{after.reason}”',
  'view_as.ended': '{actor} stopped viewing as {target}',
  'certificate.issue': '{actor} issued the viewing certificate no. {after.number} of {target}',
  'audit.exported': '{actor} exported the audit log',
  'security.changed': '{actor} changed how people sign in: {fields}',
  'mail_server.set': '{actor} set the mail server to {after.host}',
  'mail_server.removed': '{actor} removed the mail server {before.host}',
  'mail_server.tested': '{actor} sent a test mail to {after.to}',
  'job.retried': '{actor} began background work again that had failed',
  'user.created': '{actor} added {target}',
  'user.changed': [
    { changed: 'role', text: '{actor} changed the role of {target} from {before.role} to {after.role}' },
    { changed: 'name', text: '{actor} renamed {before.name} to {after.name}' },
    { changed: 'email', text: '{actor} changed the email of {target} to {after.email}' },
    { changed: 'state', text: '{actor} changed the state of {target} from {before.state} to {after.state}' },
    { changed: 'groups', text: '{actor} changed the groups of {target}' },
    { text: '{actor} changed {target}: {fields}' },
  ],
  'user.avatar_changed': '{actor} changed the picture of {target}',
  'user.removed': '{actor} removed {target}',
  'user.restored': '{actor} brought {target} back',
  'audit.erased': 'Personal details in the log about {target} were erased',
  'user.evidence_erased': '{actor} erased the viewing evidence of {target}',
  'user.evidence_erasure_planned':
    '{actor} asked for the viewing evidence of {target} to be erased with the person',
  'user.evidence_erasure_cancelled':
    '{actor} let the viewing evidence of {target} be kept under a pseudonym after all',
  'user.data_exported': '{actor} exported everything that is kept about {target}',
  'user.own_data_taken': '{actor} took a file with the own data along, by the personal link',
  'video.visit_data_taken': 'A visitor of the video {target} took a file with the data of the visit along',
  'evidence.expired': 'Viewing evidence of {target} was deleted, because it is kept no longer',
  'evidence.exported': '{actor} exported viewing evidence of {target}',
  'user.erased': 'The details of {target} were erased, 30 days after the removal',
  'training.waived': '{actor} waived {target} for “{after.video}”: “{after.reason}”',
  'training.waiver_ended': '{actor} took the waiver of {target} for “{before.video}” back',
  'training.waiver_restored': '{actor} let the waiver of {target} for “{after.video}” hold again',
  'training.exported': '{actor} exported the training matrix of {target}',
  'users.exported': '{actor} exported people of {target}',
  'report.exported': '{actor} exported a report about {target}',
  'report_schedule.created': '{actor} asked for the report {target} by mail',
  'report_schedule.changed': '{actor} changed when the report {target} comes by mail: {fields}',
  'report_schedule.removed': '{actor} removed the mails with the report {target}',
  'report_schedule.paused': '{actor} stopped the mails with the report {target}',
  'report_schedule.resumed': '{actor} let the mails with the report {target} go on',
  'report_schedule.sent': '{actor} sent the report {target} by mail, from {after.from} to {after.to}',
  'quiz_results.exported': '{actor} exported the answers to the questions of {target}',
  'user.reset_asked': '{actor} asked {target} to choose a new password',
  'user.unlocked': '{actor} unlocked the password of {target}',
  'user.factors_reset': '{actor} reset the second step of {target}: “{after.reason}”',
  'group.created': '{actor} created the group {target}',
  'group.changed': [
    { changed: 'name', text: '{actor} renamed the group {before.name} to {after.name}' },
    { text: '{actor} changed the group {target}: {fields}' },
  ],
  'group.removed': '{actor} removed the group {target}',
  'group.restored': '{actor} brought the group {target} back',
  'group.members_added': '{actor} put {people} into the group {target}',
  'group.members_removed': '{actor} took {people} out of the group {target}',
  'group.groupadmin_made': '{actor} let {people} administer the group {target}',
  'group.groupadmin_ended': '{actor} took the administration of the group {target} from {people}',
  'field.created': '{actor} added the field {target}',
  'field.changed': [
    { changed: 'label', text: '{actor} renamed the field {before.label} to {after.label}' },
    { text: '{actor} changed the field {target}: {fields}' },
  ],
  'field.ordered': '{actor} put the fields of people into another order',
  'field.removed': '{actor} removed the field {target}',
  'field.restored': '{actor} brought the field {target} back',
  'field.erased': 'The values of the removed field {target} were deleted for good',
  'organization.created': '{actor} created the organization {target}',
  'organization.changed': [
    { changed: 'name', text: '{actor} renamed the organization {before.name} to {after.name}' },
    { text: '{actor} changed the organization {target}: {fields}' },
  ],
  'organization.logo_changed': '{actor} changed the logo of {target}',
  'organization.removed': '{actor} removed the organization {target}',
  'organization.restored': '{actor} brought the organization {target} back',
  'operation.started': '{actor} started a bulk change',
  'operation.cancelling': '{actor} asked to stop a bulk change',
  'operation.cancelled': 'A bulk change of {actor} was stopped',
  'operation.done': 'A bulk change of {actor} was finished',
  'operation.failed': 'A bulk change of {actor} failed',
  'operation.undoing': '{actor} began to undo a change',
  'operation.undone': '{actor} undid a change',
  'operation.final': '{actor} deleted for good what a change had removed',
  'attention.hidden': '{actor} hid a matter from the own dashboard for a while',
  'attention.shown': '{actor} shows a hidden matter on the own dashboard again',
  'view.created': '{actor} saved the view {target}',
  'view.changed': [
    { changed: 'name', text: '{actor} renamed the view {before.name} to {after.name}' },
    { text: '{actor} changed the view {target}: {fields}' },
  ],
  'view.removed': '{actor} removed the view {target}',
  'project.create': '{actor} created the project {target}',
  'project.update': '{actor} changed the project {target}: {fields}',
  'project.delete': '{actor} removed the project {target}',
  'video.create': '{actor} added the video {target}',
  'video.update': '{actor} changed the video {target}: {fields}',
  'video.retry': '{actor} had the video {target} prepared again',
  'video.delete': '{actor} removed the video {target}',
  'video.restored': '{actor} brought the video {target} back',
  'videos.exported': '{actor} exported the list of videos of {target}',
  'quiz.published': '{actor} published the questions of {target}',
  'quiz.withdrawn': '{actor} withdrew the questions of {target}',
  'transmission.create': '{actor} created the transmission {target}',
  'transmission.changed': '{actor} changed the transmission {target}',
  'transmission.submitted': '{actor} asked for approval of the transmission {target}',
  'transmission.withdrawn': '{actor} withdrew the transmission {target}',
  'transmission.approved': '{actor} approved the transmission {target}',
  'transmission.rejected': '{actor} rejected the transmission {target}',
  'transmission.held': '{actor} held the transmission {target}',
  'transmission.released': '{actor} released the transmission {target}',
  'transmission.due_changed': '{actor} changed the due day of the transmission {target}',
  'transmission.scheduled': '{actor} scheduled the transmission {target}',
  'transmission.preparing': '{actor} started the transmission {target}',
  'transmission.sending': '{actor} began to send the transmission {target}',
  'transmission.paused': '{actor} paused the transmission {target}',
  'transmission.completed': '{actor} finished the transmission {target}',
  'transmission.cancelled': '{actor} cancelled the transmission {target}',
  'transmission.failed': '{actor} gave up the transmission {target}',
  'transmission.restored': '{actor} made a draft of the cancelled transmission {target} again',
  'transmissions.exported': '{actor} exported the list of transmissions of {target}',
  'sending.held': 'Sending was held in the whole installation, until a superadmin says what happened',
  'sending.released': '{actor} said what had happened, and ended the hold of sending',
  'delivery.send_again': '{actor} had an uncertain message sent again',
  'delivery.treat_as_failed': '{actor} treated an uncertain message as failed',
  'deliveries.send_again': '{actor} had the uncertain messages of the transmission {target} sent again',
  'deliveries.treat_as_failed':
    '{actor} treated the uncertain messages of the transmission {target} as failed',
  'deliveries.exported': '{actor} exported the recipients of the transmission {target}',
  'delivery.link_revoked': '{actor} revoked the personal link of {after.address}: “{after.reason}”',
  'address.barred': '{actor} barred the address {after.address}: “{after.reason}”',
  'address.bar_lifted': '{actor} lifted the bar on the address {before.address}',
  'demo.filled': '{actor} filled in the sample data',
}

export type SentencePart = { key: string; text: string; isName: boolean }

/** What a sentence is made of. */
export type SentenceEntry = Pick<
  AuditEntry,
  'action' | 'actor' | 'viewingAs' | 'entity' | 'entityName' | 'before' | 'after'
>

/** The sentence of an entry in parts, so that names can stand out. An action without a sentence speaks for itself. */
export function sentenceOf(entry: SentenceEntry): SentencePart[] {
  const template = templateOf(entry)
  return template.split(/(\{[\w.]+\})/).flatMap((piece, index) => {
    const name = /^\{([\w.]+)\}$/.exec(piece)?.[1]
    const text = name === undefined ? piece : valueOf(entry, name)
    return text === '' ? [] : [{ key: `${index}:${piece}`, text, isName: name !== undefined }]
  })
}

function templateOf(entry: SentenceEntry): string {
  const known = new Map<string, Sentence>(Object.entries(sentences)).get(entry.action)
  if (typeof known === 'string') return known
  const changed = changesOf(entry).map(({ field }) => field)
  const fitting = known?.find(
    (one) => one.changed === undefined || (changed.length === 1 && changed[0] === one.changed),
  )
  return fitting?.text ?? `{actor}: ${entry.action.replaceAll(/[._]/g, ' ')} ({target})`
}

const things: Record<string, string> = {
  user: /* text */ 'somebody',
  group: 'a group',
  organization: 'an organization',
  installation: 'the installation',
  transmission: 'a transmission',
}

function valueOf(entry: SentenceEntry, name: string): string {
  if (name === 'actor') return actorOf(entry)
  if (name === 'target') return entry.entityName ?? things[entry.entity] ?? entry.entity
  if (name === 'fields')
    return (
      changesOf(entry)
        .map(({ label }) => label.toLowerCase())
        .join(', ') || /* text */ 'nothing'
    )
  if (name === 'people') return plural(peopleIn(entry), 'person', 'people')
  const [side, field = ''] = name.split('.')
  return wordFor(record(side === 'before' ? entry.before : entry.after)[field])
}

export function actorOf({ actor, viewingAs, action }: SentenceEntry): string {
  if (!actor) return action.startsWith('auth.') ? 'Somebody' : 'The product'
  const name = actor.name ?? 'Somebody'
  return viewingAs ? `${name} (viewing as ${viewingAs.name ?? /* text */ 'somebody'})` : name
}

function peopleIn({ before, after }: SentenceEntry): number {
  const { userIds } = { ...record(before), ...record(after) }
  return Array.isArray(userIds) ? userIds.length : 0
}

function wordFor(value: unknown): string {
  if (value === null || value === undefined || value === '') return dash
  const role = typeof value === 'string' ? asRole(value) : null
  if (role) return roleNames[role].toLowerCase()
  return typeof value === 'string' ? value : JSON.stringify(value)
}
