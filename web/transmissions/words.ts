import { language } from '#contract/language.ts'
import type { Approvers, skipReasons, Transmission, TransmissionState } from '#contract/transmissions.ts'
import { formatNumber, plural } from '#web/ui/format.ts'

export const skipWords: Record<(typeof skipReasons)[number], string> = {
  inactive: 'disabled',
  no_address: 'without a mail address',
  duplicate_address: 'with the address of somebody else in the list',
  suppressed: 'on the list of addresses that get no mail',
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

/** Nothing has left, and there is something to be decided or written. */
const unsent: ReadonlySet<TransmissionState> = new Set(['draft', 'pending_approval', 'held'])
export const isUnsent = ({ state }: Transmission) => unsent.has(state)

/** Who can say yes: "Grace Hopper, 2 more administrators, or a superadmin". Null: nobody. */
export function approverWords({ admins, names, superadmins }: Approvers): string | null {
  const shown = names.slice(0, 3)
  const more = admins - shown.length
  const all = [
    ...shown,
    ...(more > 0 ? [plural(more, 'more administrator')] : []),
    ...(superadmins > 0 ? ['a superadmin'] : []),
  ]
  return all.length === 0 ? null : new Intl.ListFormat(language, { type: 'disjunction' }).format(all)
}
