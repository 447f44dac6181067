import { statesThat, type Question } from '#contract/transmissions/fates.ts'
import { language } from '#contract/platform/text/language.ts'
import type {
  Approvers,
  DeliveryState,
  FollowUpPart,
  skipReasons,
  Transmission,
  TransmissionState,
} from '#contract/transmissions/transmissions.ts'
import type { ViewingKind } from '#contract/tracking/viewing.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { restingLabels, transmissionLabels, waitingLabels } from '#web/transmissions/sent/sent-labels.ts'

export const skipLabels: Record<(typeof skipReasons)[number], string> = {
  inactive: 'disabled',
  no_address: 'without an address',
  duplicate_address: 'with the address of somebody else in the list',
  suppressed: 'with a barred address',
  already_done: 'who have completed it another way',
}

/** These words say to whom of an earlier transmission one goes, before its subject. */
export const followUpLabels: Record<FollowUpPart, string> = {
  not_watched: 'Who has not completed it',
  failed: 'Whose mail was not delivered',
  unknown: 'Whose mail may or may not have arrived',
  cancelled: 'Whose mail was cancelled before it left',
  joined_since: 'Who joined since',
}

/** These words say whom of an audience one goes to, by how they have watched a video. */
export const viewingLabels: Record<ViewingKind, string> = {
  not_completed: 'Only who has not completed a video',
  late: 'Only who is late with a video',
  not_seen: 'Only who has not seen a part of a video',
  answered_wrongly: 'Only who answered a question wrongly',
}

type Counts = Transmission['counts']
type SendingCounts = Pick<Transmission, 'counts' | 'resting'>
/** Counts what was sent. Mails that rest in the outbox have not left. */
export const sentOf = ({ counts, resting }: SendingCounts) => counts.accepted + counts.delivered - resting
export const isUndelivered = (state: DeliveryState) => statesThat('hasFailed').includes(state)
const sumOf = (question: Question) => (counts: Counts) =>
  statesThat(question).reduce((sum, state) => sum + counts[state], 0)
export const undeliveredOf = sumOf('hasFailed')
export const troubledOf = sumOf('isTroubled')
export const openOf = sumOf('isUnderWay')

/** Counts the people for whom it is. Whoever was left out from the start is none of them, here as in reports. */
export const recipientsOf = ({ audienceTotal, counts }: Pick<Transmission, 'audienceTotal' | 'counts'>) =>
  audienceTotal - counts.skipped

/** Returns the parts of the bar of its recipients. Mails that have not begun, or were cancelled, leave the bar empty. */
export function partsOf({ counts, resting }: SendingCounts) {
  const sent = sentOf({ counts, resting })
  return [
    { tone: 'success', value: sent, label: `${formatNumber(sent)} sent` },
    { tone: 'neutral', value: resting, label: `${formatNumber(resting)} in the outbox` },
    {
      tone: 'danger',
      value: troubledOf(counts),
      label: plural(troubledOf(counts), 'problem'),
    },
  ] as const
}

/** Says the state in words. With mails in the outbox, nobody reads that it was sent. */
export function stateWordsOf({ state, reason, resting }: Pick<Transmission, 'state' | 'reason' | 'resting'>) {
  if (reason === 'video_not_ready') return waitingLabels
  return state === 'completed' && resting > 0 ? restingLabels : transmissionLabels[state]
}

/** Says what becomes of mails that were set going. */
export const leavingText = (rests: boolean) =>
  rests ? 'The mails rest in the outbox, because no mail server is set up.' : 'The mails are on their way.'

/** Returns whether all of it has left, so that there is nothing else to be said of its state. */
export const isOver = ({ state, resting }: Pick<Transmission, 'state' | 'resting'>) =>
  state === 'completed' && resting === 0

/** Returns whether it has been let go, and leaves at its hour, or after the time in which it can be taken back. */
export const waitsToLeave = ({ state, leavesAt }: Transmission) =>
  state === 'scheduled' && leavesAt !== null && Date.parse(leavesAt) > Date.now()
export const takeBackText = 'Until it leaves, you can take it back.'

const active: ReadonlySet<TransmissionState> = new Set(['scheduled', 'preparing', 'sending'])
export const isActive = ({ state }: Transmission) => active.has(state)

/** Nothing has left in these states. */
const unsent: ReadonlySet<TransmissionState> = new Set(['draft', 'pending_approval', 'scheduled', 'held'])
export const isUnsent = ({ state }: Transmission) => unsent.has(state)

/** Names who can say yes: "Grace Hopper, 2 more administrators, or a superadmin". Null means that nobody can. */
export function approverText({ admins, names, superadmins }: Approvers): string | null {
  const shown = names.slice(0, 3)
  const more = admins - shown.length
  const all = [
    ...shown,
    ...(more > 0 ? [plural(more, 'more administrator')] : []),
    ...(superadmins > 0 ? ['a superadmin'] : []),
  ]
  return all.length === 0 ? null : new Intl.ListFormat(language, { type: 'disjunction' }).format(all)
}

/** Returns what it is called, even while its subject is not written yet. */
export const nameOf = ({ name }: Pick<Transmission, 'name'>) => name || 'Draft without a subject'
