import { deliveryStateWords } from '#contract/delivery-words.ts'
import type { DeliveryState } from '#contract/transmissions.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Words = { word: string; tone: Tone; means: string }

export const deliveryWords: Record<DeliveryState, Words> = {
  queued: { ...deliveryStateWords.queued, tone: 'neutral' },
  sending: { ...deliveryStateWords.sending, tone: 'running' },
  deferred: { ...deliveryStateWords.deferred, tone: 'warning' },
  accepted: { ...deliveryStateWords.accepted, tone: 'success' },
  delivered: { ...deliveryStateWords.delivered, tone: 'success' },
  bounced: { ...deliveryStateWords.bounced, tone: 'danger' },
  rejected: { ...deliveryStateWords.rejected, tone: 'danger' },
  skipped: { ...deliveryStateWords.skipped, tone: 'neutral' },
  unknown: { ...deliveryStateWords.unknown, tone: 'warning' },
  cancelled: { ...deliveryStateWords.cancelled, tone: 'neutral' },
  expired: { ...deliveryStateWords.expired, tone: 'danger' },
}

const resting: Words = {
  word: 'In the outbox',
  tone: 'info',
  means: 'No mail server was set up, so the mail rests in the outbox.',
}

/** What is said of one delivery. */
export const wordsOf = ({ state, resting: rests }: { state: DeliveryState; resting: boolean }): Words =>
  rests ? resting : deliveryWords[state]

/** What the delivery table says below a state: a sentence for our own codes, else the words of the mail server. */
export function explainReason(reason: string | null): string | undefined {
  if (reason === null) return undefined
  const own: Record<string, string> = {
    inactive: 'This person is disabled or removed.',
    no_address: 'This person has no email address.',
    duplicate_address: 'Somebody else in the list has the same address.',
    suppressed: 'This address is barred.',
    connection_lost: 'The sending was interrupted after the mail had begun to leave.',
    restored: 'This installation was restored from a copy; the mail may have left since the copy was made.',
    treated_as_failed: 'Somebody decided that it did not arrive.',
  }
  return own[reason] ?? reason
}
