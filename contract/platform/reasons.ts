import { signInReasons, worded } from '../identity/sign-in-reasons.ts'
import { deliveryStateLabels, transmissionStateLabels } from '../transmissions/delivery-labels.ts'
import { formatNumber, plural } from './text/format.ts'
import { pictureLimits } from '../directory/picture-limits.ts'
import { quizFaults, type QuizFaultCode } from '../quizzes/quiz-faults.ts'
import type { DeliveryState, TransmissionAction, TransmissionState } from '../transmissions/transmissions.ts'

type Address = { email: string }
type Most = { most: number }
type Names = { names: string }
type SeenCounts = { found: number; expected: number }

/**
 * Why a request was refused, where the code of the problem alone does not tell: a code, a sentence for people, and what the
 * sentence names. The console words it from here, in its language; `detail` of an answer is the same sentence in English.
 */
export const reasons = {
  // Assignments
  assignment_changed: 'The assignment was changed in the meantime. Please look at it again.',
  no_questions_to_pass: 'This video has no published questions that could be passed.',
  obligation_moved_on:
    'This is not possible any more: somebody else has decided, or it is done. Please look at it again.',
  video_not_ready: 'The video is not ready yet. Please replace it once it is.',
  no_speech_model:
    'This installation has no model to recognise speech with. Whoever runs it can add one under Settings, Speech.',
  speech_model_of_operator: 'The model is named by the operator of this installation, and changed there.',
  speech_model_altered:
    'This file has another checksum than the one that you gave. It is not used: fetch it again, and compare both.',
  not_a_speech_model:
    'This file is no model in the format of whisper.cpp. Their names begin with ggml- and end in .bin.',
  model_piece_elsewhere: 'This piece does not begin where the last one has ended. Ask how much has arrived.',
  speech_being_recognised: 'The speech of this video is being recognised already.',
  captions_present: 'There are captions already. Say that they may be replaced, or choose another language.',
  video_without_sound: 'This video has no sound.',
  chapter_unfit: ({ line, what }: { line: number; what: string }) => `Line ${formatNumber(line)}: ${what}`,
  not_reminded: 'Nobody is reminded who owes nothing, or who had a message within the last day.',

  // What a message says
  not_a_variable: ({ written, line, near }: { written: string; line: number; near: string }) =>
    `Line ${line}: “${written}” is no variable.${near && ` Did you mean ${near}?`}`,

  // Any request
  idempotency_key_length: 'An Idempotency-Key has 1 to 200 characters.',
  position_invalid: 'The position in the list is not valid.',
  body_not_json: 'The body is not JSON.',
  needs_person: 'This is done by a person who is signed in, not by a key.',
  scope_missing: ({ scope }: { scope: string }) => `The key lacks the scope ${scope}.`,
  text_not_storable: 'The text contains characters that cannot be stored.',
  selection_changed: ({ found, expected }: SeenCounts) =>
    `The list finds ${formatNumber(found)} by now, not ${formatNumber(expected)}. Please look at it again.`,
  people_changed: ({ found, expected }: SeenCounts) =>
    `The filter finds ${plural(found, 'person', 'people')} now, not ${formatNumber(expected)}. Please look at the list again.`,
  picture_svg: 'SVG files are not taken, because they can hold programs. Please save the picture as PNG.',
  picture_not_a_picture: 'This file is no picture that we can read. PNG, JPEG and WebP are taken.',
  picture_animated: 'This picture moves. Please choose one that stands still.',
  picture_too_many_pixels: `This picture has more than ${pictureLimits.pixels / 1_000_000} million pixels. Please make it smaller first.`,
  picture_damaged: 'This picture is damaged and cannot be read.',

  // Signing in, and one's own account
  ...signInReasons,

  // A company's own sign-in
  last_connection:
    'People of this organization sign in by this connection alone. Offer other ways to sign in first, or set up another connection.',
  connection_missing: 'Set up a connection and switch it on first, so that people still have a way in.',
  too_many_domains: ({ most }: Most) =>
    `More than ${formatNumber(most)} domains are not possible. Remove one that nobody needs.`,
  break_glass:
    'This person is named to sign in when the company’s own sign-in fails, and has to stay an active administrator. Name somebody else first, under Sign-in in the settings.',
  logout_token: 'This word of a sign-out is not valid.',

  // Invitations
  account_disabled: ({ email, invitedBy }: Address & { invitedBy: string }) =>
    `${email} is disabled. Ask ${invitedBy} about it.`,
  invitation_closed: ({ organization }: { organization: string }) =>
    `${organization} is suspended or archived.`,
  sign_in_instead: 'Sign in with your email and the password that you chose.',
  ask_for_invitation: ({ whom }: { whom: string }) => `Ask ${whom} to invite you again.`,
  account_at_organization: ({ email, organization }: Address & { organization: string }) =>
    `${email} signs in to ${organization} already. Please sign in; an administrator can change what you may do there.`,
  account_at_installation: ({ email }: Address) =>
    `${email} signs in to this installation already. Please sign in; an administrator can change what you may do there.`,
  account_elsewhere: ({ email }: Address) =>
    `${email} signs in to another organization already, and an address belongs to one only. Ask for an invitation to another address.`,
  invited_too_often: 'This address has been invited too often today. Please try again tomorrow.',
  mailed_too_often: ({ email }: Address) =>
    `${email} has been sent many mails today, and gets no more of them for now. Please try again tomorrow.`,
  invited_meanwhile: 'Invited just now by somebody else, or too often today.',
  invite_failed: 'Something went wrong on our side. Please try this one again.',
  invite_role: 'You cannot invite with this role.',
  invite_disabled: 'This person is disabled. An administrator can enable them first.',
  organization_closed: 'This organization is suspended or archived: nobody could sign in.',
  invitation_waiting: 'An invitation to this address is waiting already. You can send it again.',
  address_signs_in: 'This address signs in already. Change the role of the person instead.',
  invitation_accepted: 'This invitation was accepted already.',
  invitation_over: 'This invitation has expired already.',

  // People, groups and fields
  own_second_step: 'You cannot reset your own second step. Ask another administrator.',
  no_second_step: 'This person has no second step that could be reset.',
  own_second_step_missing: 'Set up a second step for your own account first, in the settings under Security.',
  own_second_step_unused: 'Please sign out and sign in again with your own second step, then try again.',
  no_password: 'Only somebody who signs in here has a password.',
  metrics_host:
    'Without METRICS_TOKEN the metrics are answered at 127.0.0.1 and localhost only. Ask for them there, or set a token.',
  own_password: 'Change your own password in your settings.',
  own_email: 'Change your own email in your settings, where the new one is confirmed.',
  own_role: 'You cannot change your own role. Ask another administrator.',
  own_access: 'You cannot take your own access away. Ask another administrator.',
  own_removal: 'You cannot remove yourself. Ask another administrator.',
  too_many_fields: ({ most }: Most) =>
    `An organization has ${formatNumber(most)} fields at most. Remove one that nobody needs.`,
  too_many_event_addresses: ({ most }: Most) =>
    `An organization has ${formatNumber(most)} addresses for events at most. Remove one first.`,
  too_many_events: ({ most }: Most) =>
    `These are more than ${formatNumber(most)} events. Choose a shorter period.`,
  too_many_templates: ({ most }: Most) =>
    `An organization has ${formatNumber(most)} templates at most. Remove one that nobody needs.`,
  fields_changed: 'Somebody has added or removed a field. Please look again.',
  field_in_rule: ({ names, groups }: Names & { groups: number }) =>
    groups === 1
      ? `A rule asks about this field: ${names}. Change the rule of this group first.`
      : `A rule asks about this field: ${names}. Change the rule of these groups first.`,
  group_in_rule: ({ names }: Names) => `A rule asks about this group: ${names}. Change that rule first.`,
  group_by_rule: 'A rule says who is in this group. Change the rule, or what it asks about these people.',
  own_group: 'You administer this group and cannot take yourself out of it.',
  not_a_group_administrator:
    'Only somebody with the role of a group administrator can administer a group. Give them this role first.',
  views_not_shared: 'Administrators share views with the organization. Yours stays your own.',
  too_many_views: ({ most }: Most) => `You have ${formatNumber(most)} views of this list. Remove one first.`,

  // Imports and work in the background
  file_empty: 'There is nothing in this file.',
  file_without_rows:
    'There is nobody in this file: it has no row below the first one, which names the columns.',
  too_many_columns: ({ most }: Most) => `A file has at most ${formatNumber(most)} columns.`,
  too_many_rows: ({ most }: Most) =>
    `A file has at most ${formatNumber(most)} rows. Please divide it and import one part after another.`,
  quote_not_closed: ({ line }: { line: number }) =>
    `The quote that opens on line ${formatNumber(line)} is never closed.`,
  same_column_twice: 'Two columns are said to be the same.',
  import_begun: 'This import has been started or cancelled already.',
  import_not_checked: 'Please check the rows first: what they say is not complete yet.',
  import_without_change: 'There is nothing to import: no row of this file adds or changes anybody.',
  operation_ended: 'This has ended already.',
  operation_not_undoable: 'This cannot be undone now.',
  job_not_failed: 'This work has not failed, or was begun again already.',
  job_not_repeatable: 'This work is not begun again from here.',
  no_longer_aside: 'This is no longer set aside.',
  comes_back: 'This would come back by itself. It goes as soon as it can be worked on.',
  job_waits_already: 'The same work waits or runs once more already.',

  // Videos, questions and viewing
  retry_helps_not: 'Another try would not help this video.',
  upload_expired: 'This upload was not finished within seven days. Please start again.',
  upload_complete: 'This upload is complete.',
  another_file: ({ chosen, begun }: { chosen: string; begun: string }) =>
    `“${chosen}” is another file than “${begun}”, of which a part has arrived.`,
  nothing_to_publish: 'There are no questions to publish yet.',
  publish_when_playable: 'The questions can be published when the video can be played.',
  nothing_changed: 'Nothing has changed since these questions were published.',
  nobody_asked: 'Nobody is asked anything at present.',
  try_when_playable: 'The questions can be tried when the video can be played.',
  finish_a_question: 'Finish a question first.',
  questions_unfinished: ({ fault }: { fault: QuizFaultCode }) => quizFaults[fault],
  question_unfinished: ({ number, fault }: { number: number; fault: QuizFaultCode }) =>
    `Question ${formatNumber(number)}: ${quizFaults[fault]}`,
  answered_already: 'This question has been answered already.',
  passed_already: 'You have passed already.',
  no_attempt_left: 'There is no attempt left.',
  attempt_too_early: 'It is too early for another attempt.',
  play_token_invalid: 'The play token is not valid.',
  play_token_ended: 'The play token has ended.',
  nothing_recorded: 'Nothing is recorded of this person and this video yet.',
  questions_not_passed: 'The questions of this video have not been passed yet.',
  video_not_completed: 'The video has not been completed yet.',
  no_evidence_kept:
    'This organization records only who completed a video, so there is no evidence to export.',
  mailed_code_needed: 'A mailed code is asked for.',
  link_over: 'This link has ended.',

  // Transmissions, training and mail
  organization_sends_nothing: 'The organization is suspended or archived: nothing is sent for it.',
  captions_required: ({ title }: { title: string }) =>
    `“${title}” has no captions, and your organization requires them. Add captions to the video, or say why it is urgent.`,
  sender_unverified:
    'Nobody has proved yet that they read at the address from which your organization writes. Confirm it in the settings, or remove it.',
  webhook_missing:
    'Your organization names no address for SMS and chat. Name one in its settings, or send it by mail.',
  author_only: 'Only its author can do this. You may approve, reject or cancel it.',
  not_the_author: 'You wrote it, so somebody else has to decide about it.',
  reaches_more: ({ recipients, shown }: { recipients: number; shown: number }) =>
    `It reaches ${formatNumber(recipients)} people by now, and you were shown ${formatNumber(shown)}. Look at it again before you approve it.`,
  due_day_over:
    'The day by which it should have been watched is over. Reject it, so that its author sets another.',
  not_sent_yet: 'This has not been sent yet. Change the transmission instead.',
  cancelled_nothing_due: 'This transmission was cancelled, so nothing is due.',
  sending_not_held: 'Sending is not held any more: somebody has answered already.',
  transmission_changed: ({ state }: { state: TransmissionState }) =>
    `The state of this transmission is “${transmissionStateLabels[state]}” now. Somebody else has changed it in the meantime.`,
  transmission_moved_on: ({ state, action }: { state: TransmissionState; action: TransmissionAction }) =>
    `The state of this transmission is “${transmissionStateLabels[state]}” now. ${actionsNeed[action]}`,
  transmission_sends_nothing: ({ state }: { state: TransmissionState }) =>
    `The state of this transmission is “${transmissionStateLabels[state]}” now. Nothing can be sent from it.`,
  uncertain_changed: ({ found, expected }: SeenCounts) =>
    `${formatNumber(found)} of them are uncertain now, not ${formatNumber(expected)}. Please look at the list again.`,
  message_not_uncertain: ({ state }: { state: DeliveryState }) =>
    `The state of this message is “${deliveryStateLabels[state].word}” now. Only an uncertain one can be decided about.`,
  own_waiver: 'Nobody waives themselves. Please ask another administrator.',
  waived_already: 'This person has been waived already.',
  not_waived: 'This person is not waived.',
  too_many_schedules: ({ most }: Most) => `You have ${formatNumber(most)} reports by mail. Remove one first.`,
  no_returns_mailbox: 'There is no mailbox yet. Save one first.',
  mail_server_of_operator: 'The mail server is set by the operator of this installation.',
}

/** What a transmission has to be for a step, and is not. */
const actionsNeed: Record<TransmissionAction, string> = {
  pause: 'Only a transmission that is being sent can be paused.',
  resume: 'Only a paused transmission can be resumed.',
  cancel: 'This transmission has ended already.',
  edit: 'Only what has not been sent yet can be changed.',
  submit: 'Only a draft can be sent.',
  withdraw: 'Only what waits for approval can be withdrawn.',
  approve: 'Only what waits for approval can be approved.',
  reject: 'Only what waits for approval can be rejected.',
  undo: 'Only what has not begun to leave can be taken back.',
  send_now: 'Only what is scheduled can be sent at once.',
  send_outside: 'Only what is being sent can leave outside the hours.',
  next_wave: 'Only what is being sent has waves.',
  release: 'Only what was held because of its time or its video, or after a restore, can be released.',
}

type Reasons = typeof reasons
export type ReasonCode = keyof Reasons

/** A code with what its sentence names: no less, and of the right kind. */
export type Reason = {
  [Code in ReasonCode]: Reasons[Code] extends (params: infer Params) => string
    ? { code: Code; params: Params }
    : { code: Code }
}[ReasonCode]

/** The sentence of a reason; none where there is no reason, or one that a page which is older than the server does not know. */
export const reasonText = (reason: Reason | undefined): string => worded(reasons, reason)
