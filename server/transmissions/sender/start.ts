import * as z from 'zod/mini'
import { transmissionReasons, type TransmissionReason } from '#contract/transmissions/transmission-reasons.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isLate } from '../compose/leaving.ts'
import { move, type Key } from '../ledger/states.ts'

/** This condition on `videos v` holds when it can be watched, so that an assignment may send it. */
export const isWatchable = sql`v.state = 'ready' and v.deleted_at is null and v.current_version_id is not null`

/** This condition on `transmissions t` holds when its video is no longer being prepared, whatever has become of it. */
export const videoIsDone = sql`not exists (select 1 from videos v where v.id = t.video_id and v.state = 'processing'
  and v.current_version_id is null and v.deleted_at is null)`

/**
 * Starts what is due: its recipients are listed next. It is held instead where there is nothing to watch, where nothing can leave, or where
 * its hour is long over.
 */
export async function start(tx: Tx, key: Key): Promise<boolean> {
  const from = ['scheduled'] as const
  const reason = await obstacle(tx, key)
  if (reason !== null) return move(tx, key, { from, to: 'held', reason, by: 'system' })
  return move(tx, key, { from, to: 'preparing', by: 'system' })
}

/**
 * This expression says what `transmissions t` lacks to leave: nobody has proved yet that they read at the address from which it is to
 * leave, or there is no address any more to which it is posted. Null means that nothing is in its way.
 */
export const wayLacks = sql`case when t.audience->>'channel' = 'webhook'
  then (select 'webhook_missing' where not exists (select from webhooks w where w.organization_id = t.organization_id))
  else (select 'sender_unverified' where exists (select from mail_senders s where s.organization_id = t.organization_id and s.verified_at is null)) end`

const Video = z.object({
  isRemoved: z.boolean(),
  isReady: z.boolean(),
  isLate: z.boolean(),
  lacks: z.nullable(z.enum(transmissionReasons)),
})

async function obstacle(tx: Tx, { id, organizationId }: Key): Promise<TransmissionReason | null> {
  const video = await row(
    tx,
    Video,
    sql`select v.deleted_at is not null as "isRemoved", v.current_version_id is not null as "isReady", ${isLate} as "isLate", ${wayLacks} as lacks
      from transmissions t join videos v on v.id = t.video_id and v.organization_id = t.organization_id
      where t.id = ${id} and t.organization_id = ${organizationId} for share of v`,
  )
  if (!video || video.isRemoved) return 'video_removed'
  if (!video.isReady) return 'video_failed'
  if (video.lacks) return video.lacks
  return video.isLate ? 'time_passed' : null
}
