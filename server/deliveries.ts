import type { DeliveryState } from '#contract/transmissions/transmissions.ts'
import { sql, type SQL } from './platform/db/sql.ts'

/** What its state says of a delivery: one that is added to the contract does not compile until it stands here. */
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
  skipped: 'left out',
  cancelled: 'cancelled',
} as const satisfies Record<DeliveryState, string>
type Fate = (typeof fates)[DeliveryState]

const listOf = (some: readonly Fate[]): string =>
  Object.entries(fates)
    .filter(([, fate]) => some.includes(fate))
    .map(([state]) => `'${state}'`)
    .join(', ')

/** Conditions on an alias of `deliveries` or `transmission_counts`. */
type Condition = (alias: string) => SQL
const isAny =
  (...some: Fate[]): Condition =>
  (alias) =>
    sql.raw(`${alias}.state in (${listOf(some)})`)
const isNone =
  (...some: Fate[]): Condition =>
  (alias) =>
    sql.raw(`${alias}.state not in (${listOf(some)})`)

/** It waits for its turn. */
export const isWaiting = isAny('waiting')
/** It has not been tried to the end: it waits, or is just handed over. */
export const isUnderWay = isAny('waiting', 'leaving')
/** It was tried, with whatever success. */
export const wasTried = isNone('waiting', 'leaving', 'left out', 'cancelled')
/** A mail server took it, as far as anybody knows, even if it came back later. */
export const wentOut = isAny('arrived', 'uncertain', 'returned')
/** A mail server took it, and nothing else was heard since. */
export const hasArrived = isAny('arrived')
/** Nobody knows whether it has arrived. */
export const isUncertain = isAny('uncertain')
/** Its person may have it. */
export const mayHaveArrived = isAny('arrived', 'uncertain')
/** It came back, or was refused: something is wrong with its address. */
export const cameBack = isAny('returned', 'refused')
/** It was tried, and has not arrived. */
export const hasFailed = isAny('returned', 'refused', 'expired')
/** Somebody should look at it: it has not arrived, or may not have. */
export const isTroubled = isAny('returned', 'refused', 'expired', 'uncertain')
/** Its person was left out from the start, as somebody who is barred or has no address. */
export const isLeftOut = isAny('left out')
/** It goes to one of the recipients: its person was not left out from the start. */
export const isToRecipient = isNone('left out')
/** Nothing is sent: its person was left out from the start, or at the end. */
export const isDropped = isAny('left out', 'cancelled')
/** It asks its person to watch: who was left out from the start, or at the end, was not asked. */
export const asksToWatch = isNone('left out', 'cancelled')
export const isNotCancelled = isNone('cancelled')

/** Condition on an alias of `deliveries`: its person was left out because no mail reaches them at this address. */
export const isOutOfReach: Condition = (alias) =>
  sql`(${isLeftOut(alias)} and ${sql.raw(alias)}.reason in ('suppressed', 'no_address'))`

/** Its state and why it has that, as words that are shown. What follows from them is asked by the conditions above. */
export const stateOf: Condition = (alias) => sql.raw(`${alias}.state`)
export const reasonOf: Condition = (alias) => sql.raw(`${alias}.reason`)

/**
 * Condition on a transmission: it was let go. Drafts, what waits for approval, and what was discarded before anybody let it go
 * were never sent, so they count nowhere.
 */
export function wasSent(alias: string): SQL {
  const t = sql.raw(alias)
  return sql`(${t}.state not in ('draft', 'pending_approval') and (${t}.state <> 'cancelled' or ${t}.scheduled_at is not null))`
}

/** Condition on a delivery `d`: there was no mail server, so its mail rests in the outbox. */
export const isResting = sql`(d.state = 'accepted' and d.provider_ref = 'outbox')`

/** Condition on a delivery `d`: it has left. What rests in the outbox is sent nowhere. */
export const hasLeft = sql`(${hasArrived('d')} and (d.provider_ref is null or d.provider_ref <> 'outbox'))`
