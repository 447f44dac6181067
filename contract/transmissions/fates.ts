import type { DeliveryState } from './transmissions.ts'

/** What became of a delivery, by its state: a state that is added does not compile until it stands here. */
const fates = {
  queued: 'waiting',
  deferred: 'waiting',
  sending: 'leaving',
  accepted: 'arrived',
  delivered: 'arrived',
  unknown: 'uncertain',
  bounced: 'returned',
  rejected: 'refused',
  expired: 'expired',
  skipped: 'left_out',
  cancelled: 'cancelled',
} as const satisfies Record<DeliveryState, string>
type Fate = (typeof fates)[DeliveryState]

/**
 * What is asked of a delivery.
 *
 * - `isWaiting`: it waits for its turn.
 * - `isUnderWay`: it has not been tried to the end: it waits, or is just handed over.
 * - `wasTried`: it was tried, with whatever success.
 * - `wentOut`: a mail server took it, as far as anybody knows, even if it came back later.
 * - `hasArrived`: a mail server took it, and nothing else was heard since.
 * - `isUncertain`: nobody knows whether it has arrived.
 * - `mayHaveArrived`: its person may have it.
 * - `cameBack`: it came back, or was refused: something is wrong with its address.
 * - `hasFailed`: it was tried, and has not arrived.
 * - `isTroubled`: somebody should look at it, as it has not arrived, or may not have.
 * - `isLeftOut`: its person was left out from the start, as somebody who is barred or has no address.
 * - `isToRecipient`: it goes to one of the recipients, as its person was not left out from the start.
 * - `asksToWatch`: it asks its person to watch. Who was left out from the start, or at the end, was not asked.
 * - `isNotCancelled`: it was not cancelled.
 */
export type Question =
  | 'isWaiting'
  | 'isUnderWay'
  | 'wasTried'
  | 'wentOut'
  | 'hasArrived'
  | 'isUncertain'
  | 'mayHaveArrived'
  | 'cameBack'
  | 'hasFailed'
  | 'isTroubled'
  | 'isLeftOut'
  | 'isToRecipient'
  | 'asksToWatch'
  | 'isNotCancelled'

const asked = ['isToRecipient', 'asksToWatch', 'isNotCancelled'] as const
const failed = ['wasTried', 'hasFailed', 'isTroubled', ...asked] as const

/** The questions to which a fate answers yes; server and console read this one table. */
const yes: Record<Fate, readonly Question[]> = {
  waiting: ['isWaiting', 'isUnderWay', ...asked],
  leaving: ['isUnderWay', ...asked],
  arrived: ['wasTried', 'wentOut', 'hasArrived', 'mayHaveArrived', ...asked],
  uncertain: ['wasTried', 'wentOut', 'isUncertain', 'mayHaveArrived', 'isTroubled', ...asked],
  returned: [...failed, 'wentOut', 'cameBack'],
  refused: [...failed, 'cameBack'],
  expired: failed,
  left_out: ['isLeftOut', 'isNotCancelled'],
  cancelled: ['isToRecipient'],
}

/** The states of which a question is true. */
export const statesThat = (question: Question): DeliveryState[] =>
  (Object.keys(fates) as DeliveryState[]).filter((state) => yes[fates[state]].includes(question))
