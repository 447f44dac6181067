import * as z from 'zod/mini'
import type { TransmissionReason } from '#contract/transmissions/transmission-reasons.ts'
import { arrayOf, requireRow, type Database, type Tx } from '../../platform/db/client.ts'
import { hasArrived } from '../../deliveries.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { MailOutcome } from '../../platform/jobs/failures.ts'
import { completeIfDone, move, type Key } from './states.ts'

type Refusal = Extract<MailOutcome, { kind: 'refused' }>
export const isRefusal = (outcome: { kind: string }): outcome is Refusal => outcome.kind === 'refused'

/** A transmission was paused for this reason because nobody would take its mails. */
type RefusalReason = Extract<TransmissionReason, 'sender_refused' | 'many_rejected'>

/**
 * Selects the tries since the transmission last changed its state, the newest first. After a clock was set back, it selects those from the
 * beginning.
 */
const latest = (
  { id }: Key,
  most: number,
) => sql`select a.delivery_id, a.n, a.outcome from delivery_attempts a
    join transmissions t on t.id = a.transmission_id
  where a.transmission_id = ${id} and (a.ended_at > t.updated_at or t.updated_at > now()) order by a.ended_at desc limit ${most}`

const Own = z.object({ isOwn: z.boolean() })

/**
 * Returns whether a message is refused by these recipients alone: others have just taken it, or took it earlier while these refuse it a
 * third time. Then these are given up like any other refusal, and stop nobody.
 */
export async function isTheirOwn(tx: Tx, key: Key, ids: readonly string[]): Promise<boolean> {
  const { isOwn } = await requireRow(
    tx,
    Own,
    sql`select exists (select from (${latest(key, 10)}) l where l.outcome = 'accepted')
      or exists (select from transmission_counts c where c.transmission_id = ${key.id} and ${hasArrived('c')} and c.n > 0)
        and not exists (select from unnest(${arrayOf(ids, 'uuid')}) g(id) where (select count(*) from delivery_attempts a
          where a.delivery_id = g.id and a.outcome = 'refused') < 2) as "isOwn"`,
  )
  return isOwn
}

/** Gives up at once the deliveries that wait because their recipients refused a message which others of the same batch have taken since. */
export async function giveUpTheirOwn(db: Database, key: Key): Promise<void> {
  await db.as({ organizationId: key.organizationId }, async (tx) => {
    await tx.execute(
      sql`update deliveries d set state = 'rejected', updated_at = now()
        from delivery_attempts a join transmissions t on t.id = a.transmission_id
        where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId} and d.state = 'queued'
          and d.due_at between now() and now() + interval '2 minutes' and a.delivery_id = d.id and a.n = d.attempt and a.outcome = 'refused'
          and t.state = 'sending' and exists (select from (${latest(key, 10)}) l where l.outcome = 'accepted')`,
    )
    await completeIfDone(tx, key)
  })
}

/** This number of recipients has to refuse a message one after another before the message is thought to be the cause. */
const inARow = 3

const Stand = z.object({ refused: z.number(), open: z.number(), isSending: z.boolean() })

/**
 * Pauses a transmission that is refused whoever it goes to, in the transaction that has put its mails back, so that none of them is given
 * up. One refusal of the sender is enough; the message has to be refused by several people and taken by nobody.
 */
export async function pauseRefused(tx: Tx, key: Key, refusals: readonly Refusal[]): Promise<void> {
  if (refusals.some(({ sender }) => sender)) return pause(tx, key, 'sender_refused')
  const { refused, open, isSending } = await requireRow(
    tx,
    Stand,
    sql`select (select count(distinct l.delivery_id)::int from (${latest(key, 200)}) l where l.outcome = 'refused') as refused,
      coalesce((select sum(n)::float8 from transmission_counts where transmission_id = ${key.id}
        and state in ('queued', 'sending', 'deferred')), 0) as open,
      (select state = 'sending' from transmissions where id = ${key.id}) as "isSending"`,
  )
  if (!isSending || refused >= inARow || refused >= open) await pause(tx, key, 'many_rejected')
}

/**
 * Pauses, and queues again what was given up for the same reason since it was last let go, so that it goes on when somebody has mended
 * that.
 */
async function pause(tx: Tx, key: Key, reason: RefusalReason): Promise<void> {
  await tx.execute(
    sql`update deliveries d set state = 'queued', due_at = now(), updated_at = now()
      from delivery_attempts a join transmissions t on t.id = a.transmission_id
      where d.transmission_id = ${key.id} and d.organization_id = ${key.organizationId} and d.state in ('queued', 'rejected') and a.delivery_id = d.id
        and a.n = d.attempt and a.outcome = 'refused' and a.ended_at > t.updated_at`,
  )
  await move(tx, key, { from: ['sending'], to: 'paused', reason, by: 'system' })
}

const ofReturns = (about: SQL) => sql`(select d.reason from delivery_events e
    join deliveries d on d.transmission_id = e.transmission_id and d.id = e.delivery_id
  where e.transmission_id = t.id and e.kind = 'returned' and e.is_permanent and ${about} order by e.received_at desc limit 1)`

/**
 * This expression gives what was said of the sender or the message of `transmissions t`, where that has stopped it, or of the sender after
 * all had left; null means nothing.
 */
export const refusalWords = sql`case when t.state = 'paused' and t.state_reason in ('sender_refused', 'many_rejected', 'many_returned')
    then coalesce((select regexp_replace(a.response, '^\\D+: (?=\\d{3}\\M)', '') from delivery_attempts a where a.transmission_id = t.id and a.outcome = 'refused'
      order by a.ended_at desc limit 1), ${ofReturns(sql`e.about in ('sender', 'content', 'policy', 'size')`)})
  when t.state = 'completed' then ${ofReturns(sql`e.about = 'sender'`)} end`
