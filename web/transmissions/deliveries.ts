import { deliveryStateLabels } from '#contract/delivery-labels.ts'
import type { DeliveryState } from '#contract/transmissions.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Label = { word: string; tone: Tone; means: string }

export const deliveryLabels: Record<DeliveryState, Label> = {
  queued: { ...deliveryStateLabels.queued, tone: 'neutral' },
  sending: { ...deliveryStateLabels.sending, tone: 'running' },
  deferred: { ...deliveryStateLabels.deferred, tone: 'warning' },
  accepted: { ...deliveryStateLabels.accepted, tone: 'success' },
  delivered: { ...deliveryStateLabels.delivered, tone: 'success' },
  bounced: { ...deliveryStateLabels.bounced, tone: 'danger' },
  rejected: { ...deliveryStateLabels.rejected, tone: 'danger' },
  skipped: { ...deliveryStateLabels.skipped, tone: 'neutral' },
  unknown: { ...deliveryStateLabels.unknown, tone: 'warning' },
  cancelled: { ...deliveryStateLabels.cancelled, tone: 'neutral' },
  expired: { ...deliveryStateLabels.expired, tone: 'danger' },
}

const resting: Label = {
  word: 'In the outbox',
  tone: 'info',
  means: 'No mail server was set up, so the mail rests in the outbox.',
}

/** What is said of one delivery. */
export const wordsOf = ({ state, resting: rests }: { state: DeliveryState; resting: boolean }): Label =>
  rests ? resting : deliveryLabels[state]

/** What the delivery table says below a state: a sentence for our own codes, else the words of the mail server. */
export function explainReason(reason: string | null): string | undefined {
  if (reason === null) return undefined
  const own: Record<string, string> = {
    inactive: 'This person is disabled or removed.',
    no_address: 'This person has no address of this kind.',
    duplicate_address: 'Somebody else in the list has the same address.',
    suppressed: 'This address is barred.',
    already_done: 'They had completed it when their mail was about to leave.',
    connection_lost: 'The sending was interrupted after the mail had begun to leave.',
    no_answer: 'It was posted to the address for SMS and chat, which gave no answer.',
    restored: 'This installation was restored from a copy; the mail may have left since the copy was made.',
    link_lost:
      'The link was made with a secret of the installation that is gone. Send it again: the new mail gets a new link.',
    not_written:
      'The message could not be put together for this person. Look at their name and their fields, then send it again.',
    provider_suppressed:
      'The mail provider did not send it: the address is on the list that your account keeps there (suppression list). Take it off that list in the console of the provider, then send again.',
    treated_as_failed: 'Somebody decided that it did not arrive.',
  }
  return own[reason] ?? reason
}
