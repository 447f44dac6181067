import type { DeliveryState } from '#contract/transmissions.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Words = { word: string; tone: Tone; means: string }

export const deliveryWords: Record<DeliveryState, Words> = {
  queued: { word: 'Waiting', tone: 'neutral', means: 'The mail has not left yet.' },
  sending: { word: 'Sending', tone: 'running', means: 'The mail is leaving right now.' },
  deferred: { word: 'Trying again', tone: 'warning', means: 'The mail server asked to try again later.' },
  accepted: { word: 'Sent', tone: 'success', means: 'The mail server has taken the mail.' },
  delivered: { word: 'Delivered', tone: 'success', means: 'The mail has arrived.' },
  bounced: { word: 'Returned', tone: 'danger', means: 'The mail came back.' },
  rejected: { word: 'Refused', tone: 'danger', means: 'The mail server refused the mail.' },
  skipped: { word: 'Left out', tone: 'neutral', means: 'Nothing is sent to this person.' },
  unknown: { word: 'Uncertain', tone: 'warning', means: 'The line broke; the mail may have arrived or not.' },
  cancelled: { word: 'Cancelled', tone: 'neutral', means: 'The transmission was cancelled before.' },
  expired: { word: 'Given up', tone: 'danger', means: 'It could not be sent within a day.' },
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
    no_address: 'This person has no mail address.',
    duplicate_address: 'Somebody else in the list has the same address.',
    suppressed: 'This address is on the list of those that get no mail.',
    connection_lost: 'The sending was interrupted after the mail had begun to leave.',
    restored: 'This installation was restored from a copy; the mail may have left since the copy was made.',
    treated_as_failed: 'Somebody decided that it did not arrive.',
  }
  return own[reason] ?? reason
}
