import { statesThat, type Question } from '#contract/transmissions/fates.ts'
import { sql, type SQL } from './platform/db/sql.ts'

/** Conditions on an alias of `deliveries` or `transmission_counts`; `contract/transmissions/fates.ts` says what each means. */
type Condition = (alias: string) => SQL
const isOne =
  (question: Question): Condition =>
  (alias) =>
    sql.raw(
      `${alias}.state in (${statesThat(question)
        .map((state) => `'${state}'`)
        .join(', ')})`,
    )

export const isWaiting = isOne('isWaiting')
export const isUnderWay = isOne('isUnderWay')
export const wasTried = isOne('wasTried')
export const wentOut = isOne('wentOut')
export const hasArrived = isOne('hasArrived')
export const isUncertain = isOne('isUncertain')
export const mayHaveArrived = isOne('mayHaveArrived')
export const cameBack = isOne('cameBack')
export const hasFailed = isOne('hasFailed')
export const isTroubled = isOne('isTroubled')
export const isLeftOut = isOne('isLeftOut')
export const isToRecipient = isOne('isToRecipient')
export const asksToWatch = isOne('asksToWatch')
export const isNotCancelled = isOne('isNotCancelled')

/** Condition on an alias of `deliveries`: its person was left out because no mail reaches them at this address. */
export const isOutOfReach: Condition = (alias) =>
  sql`(${isLeftOut(alias)} and ${sql.raw(alias)}.reason in ('suppressed', 'no_address'))`

/** These give its state and the reason for it, to be shown as words. What follows from them is asked by the conditions above. */
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
