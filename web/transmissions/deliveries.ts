import { deliveryStateLabels, restingWord } from '#contract/delivery-labels.ts'
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
  word: restingWord,
  tone: 'info',
  means: 'No mail server was set up, so the mail rests in the outbox.',
}

/** What is said of one delivery. */
export const wordsOf = ({ state, resting: rests }: { state: DeliveryState; resting: boolean }): Label =>
  rests ? resting : deliveryLabels[state]
