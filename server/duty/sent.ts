import { sql, type SQL } from '../platform/db/sql.ts'

/**
 * This condition holds for a transmission that was let go. Drafts, what waits for approval, and what was discarded before anybody let it go
 * were never sent, so they count nowhere.
 */
export function wasSent(alias: string): SQL {
  const t = sql.raw(alias)
  return sql`(${t}.state not in ('draft', 'pending_approval') and (${t}.state <> 'cancelled' or ${t}.scheduled_at is not null))`
}

/** This condition on a delivery `d` holds when there was no mail server, so that its mail rests in the outbox. */
export const isResting = sql`(d.state = 'accepted' and d.provider_ref = 'outbox')`

/** This condition on a delivery `d` holds when it has left. What rests in the outbox is sent nowhere. */
export const hasLeft = sql`(d.state in ('accepted', 'delivered') and (d.provider_ref is null or d.provider_ref <> 'outbox'))`
