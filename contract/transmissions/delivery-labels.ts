import type { DeliveryState, TransmissionState } from './transmissions.ts'

/** The screen and files say with these words what becomes of a mail. */
export const deliveryStateLabels: Record<DeliveryState, { word: string; means: string }> = {
  queued: { word: 'Waiting', means: 'The mail has not left yet.' },
  sending: { word: 'Sending', means: 'The mail is leaving right now.' },
  deferred: { word: 'Trying again', means: 'The mail server asked to try again later.' },
  accepted: { word: 'Sent', means: 'The mail server has taken the mail.' },
  delivered: { word: 'Delivered', means: 'The mail has arrived.' },
  bounced: { word: 'Returned', means: 'The mail came back.' },
  rejected: { word: 'Refused', means: 'The mail server refused the mail.' },
  skipped: { word: 'Left out', means: 'Nothing is sent to this person.' },
  unknown: { word: 'Uncertain', means: 'The mail may have arrived or not.' },
  cancelled: { word: 'Cancelled', means: 'The transmission was cancelled before.' },
  expired: { word: 'Given up', means: 'It could not be sent within a day.' },
}

/** The screen says the state of a transmission with these words. */
export const transmissionStateLabels: Record<TransmissionState, string> = {
  draft: 'Draft',
  pending_approval: 'To approve',
  scheduled: 'Scheduled',
  held: 'Held',
  preparing: 'Preparing',
  sending: 'Sending',
  paused: 'Paused',
  completed: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

export const restingWord = 'In the outbox'

/** Says the state as the screen and files do. With mails in the outbox, nobody reads that it was sent. */
export const transmissionStateWord = ({
  state,
  resting,
}: {
  state: TransmissionState
  resting: number
}): string => (state === 'completed' && resting > 0 ? restingWord : transmissionStateLabels[state])
