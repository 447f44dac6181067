import { IconMail } from '@tabler/icons-react'
import { deliveryStateLabels, restingWord } from '#contract/transmissions/delivery-labels.ts'
import type { DeliveryState } from '#contract/transmissions/transmissions.ts'
import type { Label } from '#web/ui/figures/StatusBadge.tsx'

export const deliveryLabels: Record<DeliveryState, Label> = {
  queued: { ...deliveryStateLabels.queued, tone: 'info' },
  sending: { ...deliveryStateLabels.sending, tone: 'running' },
  deferred: { ...deliveryStateLabels.deferred, tone: 'running' },
  accepted: { ...deliveryStateLabels.accepted, tone: 'success' },
  delivered: { ...deliveryStateLabels.delivered, tone: 'info', icon: IconMail },
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

/** Returns the words for one delivery. */
export const wordsOf = ({ state, resting: rests }: { state: DeliveryState; resting: boolean }): Label =>
  rests ? resting : deliveryLabels[state]
