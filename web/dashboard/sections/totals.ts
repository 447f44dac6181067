import { formatNumber, formatShare } from '../../ui/format.ts'
import type { Told } from './Numbers.tsx'

export function shareOfMessages(part: number, whole: number): string {
  return whole === 0 ? 'Nothing sent yet' : `${formatShare(part / whole)} of messages`
}

type Sent = { recipients: number; resting: number }

/** Messages that left; without a mail server they rest in the outbox, and none has left. */
export function sentNumber({ recipients, resting }: Sent, hint: string): Told {
  return {
    label: 'Messages sent',
    value: formatNumber(recipients - resting),
    hint: resting > 0 ? `${formatNumber(resting)} more in the outbox` : hint,
  }
}
