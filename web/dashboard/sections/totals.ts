import { formatNumber, formatShare } from '../../ui/format.ts'
import type { FigureTile } from './Numbers.tsx'

export function shareOfMessages(part: number, whole: number): string {
  return whole === 0 ? 'Nothing sent yet' : `${formatShare(part / whole)} of messages`
}

type SentTotals = { recipients: number; resting: number }

/** Messages that left; without a mail server they rest in the outbox, and none has left. */
export function sentNumber({ recipients, resting }: SentTotals, hint: string): FigureTile {
  return {
    label: 'Messages sent',
    value: formatNumber(recipients - resting),
    hint: resting > 0 ? `${formatNumber(resting)} more in the outbox` : hint,
  }
}
