import { IconCircleMinus, IconClockX } from '@tabler/icons-react'
import type {
  Assignment,
  AssignmentState,
  Due,
  Escalation,
  Obligation,
  ObligationChange,
  ObligationState,
  Requirement,
  UnsentReason,
  ValidFrom,
  Validity,
} from '#contract/assignments/assignments.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import { language } from '#contract/platform/text/language.ts'
import { obligationLabels as words } from '#contract/duty/obligation-labels.ts'
import { formatDay, plural } from '#web/ui/format.ts'
import { icons, type Label, type Tone } from '#web/ui/figures/StatusBadge.tsx'

export const assignmentLabels: Record<AssignmentState, Label> = {
  draft: { word: 'Draft', tone: 'neutral', means: 'Nobody is obliged yet, and nothing is sent.' },
  active: {
    word: 'Active',
    tone: 'success',
    means: 'Everybody whom it is meant for owes it, newcomers included.',
  },
  paused: {
    word: 'Paused',
    tone: 'warning',
    means: 'Nothing is sent, and nobody is taken in until it is resumed.',
  },
  ended: { word: 'Ended', tone: 'neutral', means: 'Nobody owes it any more.' },
}

/** Why nothing is sent, where that is because of the video. */
export const withheldLabels: Record<Exclude<Assignment['video']['state'], 'ready'>, string> = {
  uploading: 'The video is not uploaded yet. Messages leave once it is ready.',
  processing: 'The video is being prepared. Messages leave once it is ready.',
  failed: 'The video could not be prepared, so nothing is sent. Replace it on its page.',
  archived: 'The video is archived, so nothing is sent. Bring it back, or end the assignment.',
  removed:
    'The video was removed, so nothing is sent and nobody can watch it. End the assignment, or assign another video.',
}

/** Who in these can still be asked for something. */
export const owingStates: ReadonlySet<ObligationState> = new Set([
  'assigned',
  'started',
  'watched',
  'unconfirmed',
  'failed',
  'overdue',
])

const toned = (state: ObligationState, tone: Tone, icon = icons[tone]): Label => ({
  ...words[state],
  tone,
  icon,
})

export const obligationLabels: Record<ObligationState, Label> = {
  done: toned('done', 'success'),
  watched: toned('watched', 'info'),
  unconfirmed: toned('unconfirmed', 'info'),
  started: toned('started', 'running'),
  assigned: toned('assigned', 'neutral'),
  failed: toned('failed', 'danger'),
  overdue: toned('overdue', 'danger', IconClockX),
  expired: toned('expired', 'warning'),
  waived: toned('waived', 'neutral', IconCircleMinus),
  ended: toned('ended', 'neutral'),
}
export const obligationOrder = Object.keys(obligationLabels) as ObligationState[]

export const requirementLabels: Record<Requirement, { label: string; means: string }> = {
  watched: { label: 'Watch the video', means: 'As much of it as your organization asks for.' },
  passed: { label: 'Watch the video and pass its questions', means: 'With the pass mark of the questions.' },
}

/** Why the newest message to somebody has not left, in a sentence. */
export const unsentMeanings: Record<UnsentReason, string> = {
  held: 'It leaves once somebody has decided about it.',
  outbox: 'No mail server was set up, so the mail rests in the outbox.',
  paused: 'It leaves once its transmission is resumed.',
  turn: 'It leaves when its turn comes, in the hours in which your organization writes.',
}

const days = (all: readonly number[]) =>
  new Intl.ListFormat(language).format(all.toSorted((a, b) => a - b).map(String))

export const countsText = (since: string | null): string =>
  since === null ? 'What is watched after somebody was obliged' : `What was watched since ${formatDay(since)}`

export function dueText(due: Due): string {
  if (due.kind === 'none') return 'No due day'
  if (due.kind === 'day') return formatDay(due.day)
  return due.working
    ? `${plural(due.days, 'working day')} after somebody is obliged`
    : `${plural(due.days, 'day')} after somebody is obliged`
}

/** What somebody has to do, and from when, in a line. */
export const doneText = (
  { requirement, statement }: { requirement: Requirement; statement: string | null },
  waitsFor: { name: string } | null,
): string =>
  [
    requirementLabels[requirement].label,
    ...(statement === null ? [] : ['confirm a sentence']),
    ...(waitsFor === null ? [] : [`once “${waitsFor.name}” is completed`]),
  ].join(', ')

export const beginsText = (waitsFor: Assignment['waitsFor']): string =>
  waitsFor === null ? 'At once' : `Once people have completed “${waitsFor.name}”`

export const validFromLabels: Record<ValidFrom, { label: string; means: string }> = {
  done: {
    label: 'From the day on which it was completed',
    means: 'Whoever completes it early is asked earlier the next time.',
  },
  last_end: {
    label: 'From the end of the last time',
    means:
      'The day stays the same, however early it was completed. The first time, and once it has run out, it counts from the day on which it was completed.',
  },
}

export function validityText(validity: Validity): string {
  if (validity === null) return 'For good'
  const months = plural(validity.months, 'month')
  const before = plural(validity.renewDays, 'day')
  return validity.from === 'done'
    ? `${months}, and the next time begins ${before} before`
    : `${months} from the end of the last time, and the next time begins ${before} before`
}

export function remindersText({ daysBefore, onTheDay, daysAfter, weekly, most }: Reminders): string {
  if (most === 0) return 'None'
  const parts = [
    ...(daysBefore.length > 0 ? [`${days(daysBefore)} days before`] : []),
    ...(onTheDay ? ['on the day'] : []),
    ...(daysAfter.length > 0 ? [`${days(daysAfter)} days after`] : []),
    ...(weekly ? ['then weekly'] : []),
  ]
  return parts.length === 0 ? 'None' : `${parts.join(', ')}; at most ${most}`
}

export function escalationText(escalation: Escalation, due: Due): string {
  if (escalation === null) return 'Nobody is told'
  const days = plural(escalation.afterDays, 'day')
  const after = due.kind === 'none' ? `${days} after the first mail` : `${days} after the due day`
  return escalation.to === 'manager'
    ? `Their manager is told ${after}`
    : `The group administrators are told ${after}`
}

/** Everybody stands in exactly one part. */
export const partsOf = ({ counts }: Pick<Assignment, 'counts'>) =>
  obligationOrder.map((state) => ({
    state,
    tone: obligationLabels[state].tone,
    value: counts[state],
    label: `${counts[state]} ${obligationLabels[state].word}`,
  }))

/** What a bar draws: who has not begun, was excused or left takes the room that stays empty. */
export const drawnOf = (assignment: Pick<Assignment, 'counts'>) =>
  partsOf(assignment).filter(({ tone }) => tone !== 'neutral')

/** Of those who owe it: who was excused, or has left, is none of them. */
export const owingOf = ({ people, counts }: Pick<Assignment, 'people' | 'counts'>) =>
  people - counts.ended - counts.waived

/** Those who can be reminded. */
export const stillOwing = ({ counts }: Pick<Assignment, 'counts'>) =>
  [...owingStates].reduce((sum, state) => sum + counts[state], 0)

/** What can be decided about somebody as things stand. */
export function decisionsFor({
  state,
  ending,
  assignment,
}: Obligation): readonly ObligationChange['action'][] {
  if (assignment.state !== 'active' && assignment.state !== 'paused') return []
  if (state === 'ended') return ending === 'exempted' ? ['oblige'] : []
  if (state === 'waived') return ['unwaive', 'extend', 'exempt']
  return state === 'done' || state === 'expired' ? [] : ['waive', 'extend', 'exempt']
}
