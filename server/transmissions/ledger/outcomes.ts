import { keepResting } from '../../platform/jobs/mail.ts'
import * as z from 'zod/mini'
import { arrayOf, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { MailOutcome } from '../../platform/jobs/failures.ts'
import { isBucketPaused, bucket, longestRest, type Claimed, type Lease } from './claim.ts'
import type { Letter } from '../sender/compose.ts'
import { barNobody } from '../barred/barred.ts'
import { isRefusal, isTheirOwn, pauseRefused } from './refused.ts'
import { completeIfDone, move, type Key } from './states.ts'
import { unwrittenReasons } from '../recipients/unwritten.ts'
import { Id } from '../../platform/db/rows.ts'

export type DeliveryOutcome = {
  delivery: Claimed
  outcome: Exclude<MailOutcome, { kind: 'withheld' }>
  /** This letter rests in the outbox, when there is no mail server. */
  letter?: Letter
  /** It was refused because of its content, but by this recipient alone. */
  isGivenUp?: boolean
}

/**
 * When the mail server itself was the obstacle, a mail is tried again as soon as the sending rate allows, and the attempt does not count. A
 * mail that was refused because of us waits until that is mended.
 */
const nextState = {
  accepted: 'accepted',
  rejected: 'rejected',
  refused: 'queued',
  deferred: 'deferred',
  throttled: 'queued',
  unreachable: 'queued',
  unknown: 'unknown',
} as const

const backoffSeconds = [60, 300, 1800, 7200, 21_600]

/**
 * Returns the seconds until the next attempt, spread by 20 % so that a crowd does not come back at once; null means as soon as possible.
 */
function delayAfter({ delivery: { attempt }, outcome }: DeliveryOutcome): number | null {
  const nth = outcome.kind === 'deferred' ? attempt : isRefusal(outcome) && !outcome.sender ? 1 : null
  if (nth === null) return null
  const base = backoffSeconds[Math.min(nth, backoffSeconds.length) - 1] ?? 60
  return base * (0.8 + 0.4 * Math.random())
}

/**
 * Writes what became of deliveries, with history, outbox and end of the transmission in one transaction, and returns how many were written.
 * Only the holder of the lease may write; whoever has lost it changes nothing.
 */
export async function recordOutcomes(
  db: Database,
  lease: Lease,
  deliveryOutcomes: DeliveryOutcome[],
): Promise<number> {
  return db.as({ organizationId: lease.key.organizationId }, async (tx) => {
    const settled = await settle(tx, lease.key, deliveryOutcomes)
    const recorded = new Set(await write(tx, lease, settled))
    await keepForLater(
      tx,
      lease,
      deliveryOutcomes.filter((one) => recorded.has(one.delivery.id)),
    )
    const refusals = settled.flatMap(({ delivery, outcome, isGivenUp }) =>
      isRefusal(outcome) && !isGivenUp && recorded.has(delivery.id) ? [outcome] : [],
    )
    if (refusals.length > 0) await pauseRefused(tx, lease.key, refusals)
    await completeIfDone(tx, lease.key)
    return recorded.size
  })
}

/** Marks what only these recipients refuse as given up, because it is none of our faults. */
async function settle(tx: Tx, key: Key, given: DeliveryOutcome[]): Promise<DeliveryOutcome[]> {
  const isDoubtful = ({ outcome }: DeliveryOutcome) => isRefusal(outcome) && !outcome.sender
  const ids = given.filter(isDoubtful).map(({ delivery }) => delivery.id)
  if (ids.length === 0) return given
  const isTaken = given.some(({ outcome }) => outcome.kind === 'accepted')
  if (!isTaken && !(await isTheirOwn(tx, key, ids))) return given
  return given.map((one) => (isDoubtful(one) ? { ...one, isGivenUp: true } : one))
}

/**
 * Writes the outcomes as arrays in the order of the ids, not as a table to join with, because a join with the few rows that the planner
 * expects holds every delivery against every outcome. The update compares the lease again, as it may be lost in between. It does so inside
 * of `coalesce`, so that it finds each row by its id and does not read all rows of the lease once more for each.
 */
async function write(tx: Tx, { key, token }: Lease, deliveryOutcomes: DeliveryOutcome[]): Promise<string[]> {
  const outcomes = deliveryOutcomes.map((one) => one.outcome)
  const states = deliveryOutcomes.map((one) => (one.isGivenUp ? 'rejected' : nextState[one.outcome.kind]))
  const replies = outcomes.map((outcome) => outcome.reply)
  const codes = outcomes.map((outcome) => ('code' in outcome ? outcome.code : null))
  const delays = deliveryOutcomes.map(delayAfter)
  const refused = outcomes.map((outcome) => (isRefusal(outcome) ? 1 : 0))
  const barred = outcomes.map((outcome) => (outcome.kind === 'rejected' && outcome.address ? 1 : 0))
  const ids = deliveryOutcomes.map((one) => one.delivery.id)
  const settled = await rows(
    tx,
    Id,
    sql`with held as materialized (select d.id, array_position(${arrayOf(ids, 'uuid')}, d.id) as n
        from deliveries d where d.transmission_id = ${key.id} and d.state = 'sending' and d.lease_token = ${token} and d.id = any(${arrayOf(ids, 'uuid')})),
      given as materialized (select id, (${arrayOf(states, 'text')})[n] as state, (${arrayOf(codes, 'int')})[n] as code,
          (${arrayOf(replies, 'text')})[n] as reply, (${arrayOf(delays, 'float8')})[n] as delay,
          (${arrayOf(barred, 'int')})[n] as barred, (${arrayOf(refused, 'int')})[n] = 1 as refused from held),
      settled as (update deliveries d set
          state = case when g.state = 'deferred' and now() + make_interval(secs => g.delay) > interval '24 hours' +
            coalesce((select min(a.started_at) from delivery_attempts a where a.delivery_id = d.id and a.outcome <> 'refused'), now()) then 'expired' else g.state end,
          attempt = d.attempt - case when g.state = 'queued' and not g.refused then 1 else 0 end,
          due_at = case when g.delay is null then d.due_at else now() + make_interval(secs => g.delay) end,
          reason = case when g.refused or g.state not in ('accepted', 'queued') then g.reply end, last_code = g.code,
          provider_ref = case when g.state = 'accepted' then g.reply end,
          accepted_at = case when g.state = 'accepted' then now() end,
          lease_token = null, lease_until = null, updated_at = now()
        from given g where d.transmission_id = ${key.id} and d.id = g.id
          and coalesce(d.state = 'sending' and d.lease_token = ${token}, false)
        returning d.id, d.attempt, d.state, d.handed_at, d.address, g.code, g.reply, g.barred, g.refused),
      history as (insert into delivery_attempts
          (delivery_id, n, organization_id, transmission_id, started_at, handed_at, ended_at, outcome, code, response)
        select id, attempt, ${key.organizationId}, ${key.id}, coalesce(handed_at, now()), handed_at, now(),
          case when refused then 'refused' else state end, code, reply
        from settled where refused or state <> 'queued' on conflict do nothing)
      ${barred.includes(1) ? sql`, barred as (${barNobody(sql`select ${key.organizationId}::uuid as organization_id, address from settled where barred = 1`)})` : sql``}
      select id from settled`,
  )
  return settled.map((one) => one.id)
}

/** Puts the mails of an installation without a mail server into the outbox, each delivery once, whatever happens. */
async function keepForLater(tx: Tx, { key }: Lease, deliveryOutcomes: DeliveryOutcome[]): Promise<void> {
  const resting = deliveryOutcomes.flatMap(({ delivery, letter }) =>
    letter ? [{ id: delivery.id, address: delivery.address, ...letter }] : [],
  )
  if (resting.length > 0) await keepResting(tx, key.organizationId, resting)
}

/** Halves the sending rate, once per wave of refusals, and pauses for a moment. */
export async function slowDown(db: Database): Promise<void> {
  await db.as('system', (tx) =>
    tx.execute(
      sql`update send_lanes set rate = greatest(rate / 2, 0.1), tokens = 0, refilled_at = now(), backoff_until = now() + interval '5 seconds'
        where id = ${bucket} and not ${isBucketPaused}`,
    ),
  )
}

/**
 * Pauses sending because the mail server cannot be reached. Each pause is longer than the one before, up to half a minute, and ends with a
 * try of one mail. It counts once per wave, as all connections fail together.
 */
export async function pauseBucket(db: Database): Promise<void> {
  await db.as('system', (tx) =>
    tx.execute(
      sql`update send_lanes set failures = failures + 1, failing_since = coalesce(failing_since, now()),
          backoff_until = now() + least(30, power(2, failures)) * interval '1 second'
        where id = ${bucket} and not ${isBucketPaused}`,
    ),
  )
}

/** Ends the pauses once the mail server answers again. */
export async function resumeBucket(db: Database): Promise<void> {
  await db.as('system', (tx) =>
    tx.execute(
      sql`update send_lanes set failures = 0, failing_since = null where id = ${bucket} and failures > 0`,
    ),
  )
}

/** Raises the rates by a quarter at a time, after a minute without a pause. */
export async function speedUp(db: Database): Promise<void> {
  await db.as('system', (tx) =>
    tx.execute(
      sql`update send_lanes set rate = least(ceiling, rate * 1.25)
        where rate < ceiling and not (coalesce(backoff_until, '-infinity') between now() - interval '1 minute' and now() + ${longestRest})`,
    ),
  )
}

const RejectedCount = z.object({ rejected: z.number() })

/**
 * Pauses a transmission that does harm: more than a fifth of the last 200 mails were refused, by somebody else than ourselves. It counts
 * since the transmission last changed its state, so that resuming gives a new chance; after a clock was set back, it counts from the
 * beginning.
 */
export async function breakIfHarmful(db: Database, { key }: Lease): Promise<void> {
  await db.as({ organizationId: key.organizationId }, async (tx) => {
    const seen = await row(
      tx,
      RejectedCount,
      sql`with latest as (select a.outcome, coalesce(a.response, '') as response from delivery_attempts a join transmissions t on t.id = a.transmission_id
          where a.transmission_id = ${key.id} and (a.ended_at > t.updated_at or t.updated_at > now())
          order by a.ended_at desc limit 200)
        select count(*) filter (where outcome in ('rejected', 'refused') and response <> all(${arrayOf(unwrittenReasons, 'text')}))::int as rejected from latest`,
    )
    if ((seen?.rejected ?? 0) > 40)
      await move(tx, key, { from: ['sending'], to: 'paused', reason: 'many_rejected', by: 'system' })
  })
}
