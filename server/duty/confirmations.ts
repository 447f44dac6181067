import * as z from 'zod/mini'
import { showsPersons } from '../directory/organizations/privacy.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { settleObligations } from './obligations.ts'
import { isRestDone, isUnconfirmed } from './unconfirmed.ts'

/** An assignment asks somebody to confirm this sentence on the page of its video. */
export const ConfirmationRequest = z.object({
  /** This is the id of the obligation. */
  id: z.string(),
  statement: z.string(),
  /** It is true once nothing else is left to do. */
  isReady: z.boolean(),
  confirmedAt: z.nullable(z.string()),
})
export type ConfirmationRequest = z.infer<typeof ConfirmationRequest>

/**
 * This expression gives what this person is asked to confirm about a video, or has confirmed, for each assignment in its present cycle. It
 * is null where there is nothing.
 */
export const askedOf = (userId: SQL, videoId: SQL): SQL =>
  sql`(select json_agg(json_build_object('id', p.id, 'statement', coalesce(c.statement, a.statement), 'isReady', ${isUnconfirmed('p')},
      'confirmedAt', ${isoText(sql`c.confirmed_at`)}) order by p.since desc, p.id)
    from (select distinct on (x.assignment_id) x.* from obligations x
        where x.user_id = ${userId} and x.video_id = ${videoId} order by x.assignment_id, x.cycle desc) p
      join assignments a on a.id = p.assignment_id and a.organization_id = p.organization_id and a.state in ('active', 'paused')
      left join confirmations c on c.obligation_id = p.id
    where a.statement is not null and (p.state = 'open' or c.obligation_id is not null))`

const Written = z.object({ videoId: z.string(), assignment: z.string(), statement: z.string() })
const Standing = z.object({ videoId: z.string(), isConfirmed: z.boolean() })

type Confirming = {
  organizationId: string
  userId: string
  obligationId: string
  deliveryId: string
  /** Only this video is meant; null means any video. */
  videoId: string | null
}

/**
 * Writes down that this person confirms the sentence, and that the duty is done with it. A second confirmation changes nothing, and before
 * the rest is done nothing is written. Returns undefined where they owe nothing of the kind.
 */
export async function confirm(
  tx: Tx,
  by: Actor,
  confirming: Confirming,
): Promise<{ videoId: string; isConfirmed: boolean } | undefined> {
  const { organizationId, userId, obligationId, deliveryId, videoId } = confirming
  const theirs = sql`p.id = ${obligationId} and p.organization_id = ${organizationId} and p.user_id = ${userId}
    and p.video_id = coalesce(${videoId}::uuid, p.video_id) and a.statement is not null`
  const written = await row(
    tx,
    Written,
    sql`with made as (insert into confirmations (obligation_id, organization_id, user_id, statement, version_id, delivery_id, confirmed_at)
        select p.id, p.organization_id, p.user_id, a.statement, p.version_id, ${deliveryId},
          case when ${showsPersons(sql`p.organization_id`)} then now() else date_trunc('day', now(), 'UTC') end
        from obligations p join assignments a on a.id = p.assignment_id and a.state in ('active', 'paused')
        where ${theirs} and p.state in ('open', 'waived') and ${isRestDone('p')} on conflict (obligation_id) do nothing returning obligation_id, statement)
      select p.video_id as "videoId", a.name as assignment, made.statement
      from made join obligations p on p.id = made.obligation_id join assignments a on a.id = p.assignment_id`,
  )
  if (written) {
    await settleObligations(tx, written.videoId, [userId])
    await audit(tx, by, {
      organizationId,
      action: 'obligation.confirmed',
      entity: 'user',
      entityId: userId,
      after: { ...written, obligationId, deliveryId },
    })
  }
  return row(
    tx,
    Standing,
    sql`select p.video_id as "videoId", c.obligation_id is not null as "isConfirmed"
      from obligations p join assignments a on a.id = p.assignment_id left join confirmations c on c.obligation_id = p.id
      where ${theirs} and (c.obligation_id is not null or (p.state in ('open', 'waived') and a.state in ('active', 'paused')))`,
  )
}
