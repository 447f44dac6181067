import type {
  skipReasons,
  Transmission,
  transmissionReasons,
  TransmissionState,
} from '#contract/transmissions.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Words = { word: string; tone: Tone; means: string }

export const transmissionWords: Record<TransmissionState, Words> = {
  draft: { word: 'Draft', tone: 'neutral', means: 'Nothing has been sent.' },
  pending_approval: { word: 'To approve', tone: 'warning', means: 'Somebody else has to approve it.' },
  scheduled: { word: 'Starting', tone: 'info', means: 'It is about to be sent.' },
  held: { word: 'Held', tone: 'warning', means: 'Its time has passed; it waits for a decision.' },
  preparing: { word: 'Preparing', tone: 'running', means: 'The list of recipients is being made.' },
  sending: { word: 'Sending', tone: 'running', means: 'The mails are leaving.' },
  paused: { word: 'Paused', tone: 'warning', means: 'Nothing is sent until it is resumed.' },
  completed: { word: 'Sent', tone: 'success', means: 'Nothing is left to be sent.' },
  cancelled: { word: 'Cancelled', tone: 'neutral', means: 'What had not left was not sent.' },
  failed: { word: 'Failed', tone: 'danger', means: 'It could not be sent.' },
}

export const skipWords: Record<(typeof skipReasons)[number], string> = {
  inactive: 'disabled',
  no_address: 'without a mail address',
  duplicate_address: 'with the address of somebody else in the list',
  suppressed: 'on the list of addresses that get no mail',
}

export const reasonWords: Record<(typeof transmissionReasons)[number], string> = {
  no_recipients: 'Nobody in the audience can get mail.',
  mail_server_unreachable:
    'It was paused because the mail server did not take 25 mails in a row. Resume it when the mail server works again.',
  many_rejected:
    'It was paused because the mail server refuses many of the mails. Look at the reasons below before you resume it.',
  organization_closed:
    'It was paused because the organization was suspended or archived. Resume it when the organization is active again.',
}

type Counts = Transmission['counts']
export const sentOf = (counts: Counts) => counts.accepted + counts.delivered
export const troubledOf = (counts: Counts) =>
  counts.rejected + counts.bounced + counts.expired + counts.unknown
export const openOf = (counts: Counts) => counts.queued + counts.sending + counts.deferred
const leftOutOf = (counts: Counts) => counts.skipped + counts.cancelled

export function partsOf(counts: Counts) {
  return [
    { tone: 'success', value: sentOf(counts), label: `${formatNumber(sentOf(counts))} sent` },
    {
      tone: 'danger',
      value: troubledOf(counts),
      label: plural(troubledOf(counts), 'problem'),
    },
    { tone: 'neutral', value: leftOutOf(counts), label: `${formatNumber(leftOutOf(counts))} left out` },
  ] as const
}

const active: ReadonlySet<TransmissionState> = new Set(['scheduled', 'preparing', 'sending'])
export const isActive = ({ state }: Transmission) => active.has(state)
