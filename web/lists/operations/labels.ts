import type { Operation, OperationState, RowOutcome, RowReason, UndoOutcome } from '#contract/operations.ts'
import { formatNumber } from '#web/ui/format.ts'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'

export const states: Record<OperationState, { tone: Tone; word: string }> = {
  draft: { tone: 'neutral', word: 'Draft' },
  queued: { tone: 'info', word: 'Waiting' },
  running: { tone: 'running', word: 'Working' },
  cancelling: { tone: 'running', word: 'Stopping' },
  cancelled: { tone: 'warning', word: 'Stopped' },
  done: { tone: 'success', word: 'Done' },
  failed: { tone: 'danger', word: 'Failed' },
  undoing: { tone: 'running', word: 'Undoing' },
  undone: { tone: 'neutral', word: 'Undone' },
}

export const outcomes: Record<RowOutcome, { tone: Tone; word: string }> = {
  created: { tone: 'success', word: 'Added' },
  changed: { tone: 'success', word: 'Changed' },
  removed: { tone: 'success', word: 'Removed' },
  unchanged: { tone: 'neutral', word: 'As it was' },
  skipped: { tone: 'neutral', word: 'Skipped' },
  conflict: { tone: 'warning', word: 'Not possible' },
  failed: { tone: 'danger', word: 'Failed' },
}

export const undoOutcomes: Record<UndoOutcome, { tone: Tone; word: string }> = {
  undone: { tone: 'neutral', word: 'Undone' },
  changed_since: { tone: 'neutral', word: 'Changed since' },
  impossible: { tone: 'warning', word: 'Not possible' },
}

const reasons: Record<RowReason, string> = {
  gone: 'It is no longer there.',
  not_allowed: 'You are not allowed to do this.',
  yourself: 'This is yourself.',
  above_role: 'The role is above your own.',
  break_glass: 'The person is named to sign in when the company’s own sign-in fails.',
  already_active: 'Active already.',
  already_disabled: 'Disabled already.',
  not_accepted: 'Has not accepted the invitation yet.',
  already_member: 'In the group already.',
  not_member: 'Not in the group.',
  by_rule: 'The rule of the group put them in.',
  group_gone: 'The group is no longer there, or no longer yours.',
  rule_group: 'The rule of the group decides who is in it.',
  asked_by_rule: 'The rule of another group asks about it.',
  recipient: 'Only receives messages, and needs no invitation.',
  disabled: 'Is disabled.',
  accepted: 'Has accepted already.',
  invited_too_often: 'Too many invitations went to this address today.',
  invitation_left: 'The invitation has left.',
  already_suspended: 'Suspended already.',
  already_archived: 'Archived already.',
  organization_off: 'The organization is suspended or archived.',
  email_taken: 'Somebody else has this email by now.',
  external_id_taken: 'Somebody else has this external ID by now.',
  name_taken: 'Another group has this name by now.',
  being_sent: 'It is being sent, or waits for it.',
  already_there: 'In this project already.',
  already_so: 'These people may watch already.',
  tagged_already: 'It has this tag already.',
  not_tagged: 'It does not have this tag.',
  too_many_tags: 'It has 20 tags already, and no more are possible.',
  project_gone: 'The project is no longer there.',
  upload_gone: 'Its file has never arrived whole.',
  already_sent: 'Sent already.',
  already_cancelled: 'Cancelled already.',
  given_up: 'Given up already.',
  list_made: 'Its list of recipients had been made.',
  at_work: 'It is still being worked on.',
  not_undoable: 'It cannot be undone any more.',
  keeps_nothing: 'Only removed videos have files to delete; everything else ends by itself.',
  waived_again: 'The person has been waived anew since.',
  already_waived: 'Waived already.',
  not_waived: 'Not waived.',
  already_done: 'Completed already.',
  erased: 'The details were erased after 30 days.',
  changed_since: 'Somebody has changed it since, and that stays.',
  unexpected:
    'It could not be done, for a reason that the program does not know. The log of the server has the details.',
}

/** Why a row is as it is, in a sentence; what has no sentence speaks for itself. */
export function reasonOf(reason: string): string {
  return new Map<string, string>(Object.entries(reasons)).get(reason) ?? reason.replaceAll('_', ' ')
}

/** "8,214 changed, 12 skipped": what has become of the rows, or what came back. */
export function summaryOf({ state, counts, undoCounts, error }: Operation): string {
  if (state === 'failed' && error === 'not_allowed')
    return 'Stopped: the right to do this was lost meanwhile.'
  const parts =
    state === 'undone'
      ? Object.entries(undoCounts).map(([key, n]) => [undoOutcomes[key as UndoOutcome].word, n] as const)
      : Object.entries(counts).map(([key, n]) => [outcomes[key as RowOutcome].word, n] as const)
  return parts.map(([word, n]) => `${formatNumber(n)} ${word.toLowerCase()}`).join(', ') || 'Nothing changed.'
}
