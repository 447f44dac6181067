import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { type readSending, type releaseSending, holdSigns } from '#contract/transmissions/sending.ts'
import { hasRow, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, ofInstallation, type Actor } from '../../platform/http/audit.ts'
import { isExcused } from '../../duty/obligations.ts'
import { bucket } from './claim.ts'
import { today } from '../../directory/organizations/days.ts'
import { isWatchable } from '../sender/start.ts'
import { move, Key } from './states.ts'

/** Nothing is held where `since` is null. */
const HoldRow = z.object({
  since: z.nullable(z.string()),
  signs: z.nullable(z.array(z.enum(holdSigns))),
  isEnding: z.boolean(),
  transmissions: z.number(),
  deliveries: z.number(),
  mailServerFailingSince: z.nullable(z.string()),
})

const stillOpen = sql`('queued', 'sending', 'deferred')`
/** Nothing leaves any more in these states. */
const ended = sql`('cancelled', 'failed')`

/** Reads what is held. The figures are those of the caller's own organization, where they have one, because of the tenant policies. */
export async function readHold(tx: Tx): Promise<Reply<typeof readSending>> {
  const found = await row(
    tx,
    HoldRow,
    sql`select ${isoText(sql`g.held_at`)} as since, g.signs, g.answer is not null as "isEnding", open.transmissions, open.deliveries,
        (select ${isoText(sql`l.failing_since`)} from send_lanes l where l.id = ${bucket}) as "mailServerFailingSince"
      from sending_guard g cross join lateral (
        select count(distinct t.id)::int as transmissions, coalesce(sum(c.n), 0)::float8 as deliveries from transmissions t
          left join transmission_counts c on c.transmission_id = t.id and c.n > 0 and c.state in ${stillOpen}
          where g.held_at is not null and t.state not in ${ended} and (c.n > 0 or t.state in ('scheduled', 'preparing'))) open`,
  )
  if (!found) return { hold: null, mailServerFailingSince: null }
  const { since, signs, mailServerFailingSince, ...rest } = found
  return { hold: since === null ? null : { since, signs: signs ?? [], ...rest }, mailServerFailingSince }
}

type HoldAnswer = ParsedBody<typeof releaseSending>['answer']

/** The marker is emptied, and the next batch writes it down for whatever folder and machine it runs on. */
const freed = sql`held_at = null, signs = null, answer = null, marker = null, spoke_at = now()`

/**
 * Takes a superadmin at their word that the installation was only off, or that it was restored. The sender works off what was restored, and
 * only then anything leaves.
 */
export async function answerHold(tx: Tx, answer: HoldAnswer, by: Actor): Promise<void> {
  const { hold } = await readHold(tx)
  if (!hold || hold.isEnding) throw refuse('conflict', { reason: { code: 'sending_not_held' } })
  await tx.execute(
    answer === 'only_off'
      ? sql`update sending_guard set ${freed}`
      : sql`update sending_guard set answer = 'restored' where held_at is not null`,
  )
  await audit(tx, by, { ...ofInstallation, action: 'sending.released', before: hold, after: { answer } })
}

/**
 * This condition on `sending_guard g` holds when whatever assignments had to send since the backup stands among the transmissions. Anything
 * planned only afterwards would leave a second time.
 */
const isPlanned = sql`not exists (select from assignments a join organizations z on z.id = a.organization_id and z.state = 'active' and z.deleted_at is null
    join videos v on v.id = a.video_id and ${isWatchable}
  where a.state = 'active' and (coalesce(a.planned_at, '-infinity') < g.held_at or exists (select from obligations o
    where o.assignment_id = a.id and o.state = 'open' and (not o.counted or o.next_message_on <= ${today} and not ${isExcused}))))`

/**
 * Makes whatever is open uncertain, because the other installation, or this one at a later time, may have sent it; then people decide about
 * it. What has no list of recipients yet is held. It works in steps. Sending goes on when nothing is left and assignments have planned
 * theirs.
 */
export async function giveUpCertainty(db: Database): Promise<void> {
  await db.as('system', async (tx) => {
    // This is asked first: anything planned meanwhile is found below, or at the next step.
    const planned = await hasRow(tx, sql`select 1 from sending_guard g where ${isPlanned}`)
    const started = await rows(
      tx,
      Key,
      sql`select id, organization_id as "organizationId" from transmissions where state in ('scheduled', 'preparing') limit 100`,
    )
    for (const key of started)
      await move(tx, key, { from: ['scheduled', 'preparing'], to: 'held', reason: 'restored', by: 'system' })
    const uncertain = await tx.execute(
      sql`update deliveries d set state = 'unknown', reason = 'restored', lease_token = null, lease_until = null, updated_at = now()
        from (select d.transmission_id, d.id from deliveries d where d.state in ${stillOpen} and d.transmission_id in (
            select c.transmission_id from transmission_counts c join transmissions t on t.id = c.transmission_id
            where c.n > 0 and c.state in ${stillOpen} and t.state not in ${ended})
          order by d.transmission_id, d.id limit 5000 for update) open
        where d.transmission_id = open.transmission_id and d.id = open.id returning 1`,
    )
    if (planned && started.length === 0 && uncertain.rowCount === 0)
      await tx.execute(sql`update sending_guard set ${freed} where answer = 'restored'`)
  })
}
