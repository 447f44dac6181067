import * as z from 'zod/mini'
import { transmissionReasons } from '#contract/transmissions/transmission-reasons.ts'
import { transmissionStates } from '#contract/transmissions/transmissions.ts'
import { eachApart, isFree } from '../../platform/aside.ts'
import { rows } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { toTheEnd } from '../../platform/failures.ts'
import type { Services } from '../../platform/http/services.ts'
import { keepDialed } from '../../platform/jobs/smtp.ts'
import { openIsolated } from '../../platform/isolated.ts'
import { startLoop } from '../../platform/loop.ts'
import { isOpen, reap } from '../ledger/claim.ts'
import { countBatch, look } from '../ledger/guard.ts'
import { giveUpCertainty } from '../ledger/hold.ts'
import { enterLeftOut, prepareChunk } from '../recipients/prepare.ts'
import { sendingHeartbeat } from '../../platform/db/heartbeat.ts'
import { sendBatch, type Sender } from './batch.ts'
import { speedUp } from '../ledger/outcomes.ts'
import { start, videoIsDone, wayLacks } from './start.ts'
import { cancelSome, isSomebodyLeftOut, move, Key } from '../ledger/states.ts'
import { advanceWaves, isWaveDue } from '../ledger/waves.ts'
import { isWithinHours, openZones } from '../ledger/window.ts'

const Runnable = z.extend(Key, {
  state: z.enum(transmissionStates),
  isOpen: z.boolean(),
  channel: z.enum(['email', 'webhook']),
  lacks: z.nullable(z.enum(transmissionReasons)),
  /** It is true when its webhook took nothing the last time. */
  isFailing: z.boolean(),
})
type Runnable = z.infer<typeof Runnable>
export type SendingWorker = { stop(): Promise<void> }

const underWay = ['scheduled', 'preparing', 'sending'] as const
const isUnderWay = ({ state }: Pick<Runnable, 'state'>) => underWay.some((one) => one === state)
/** Sending pauses for a closed organization, and whoever opens it again decides what of it still makes sense. */
const closed = { from: underWay, to: 'paused', reason: 'organization_closed', by: 'system' } as const
/** Sending pauses until somebody has proved that they read at the address of the sender, or has named an address to post to. */
const wayless = { from: ['preparing', 'sending'], to: 'paused', by: 'system' } as const

const idleMs = 1_000
/** A throttled sending rate is looked at again after this time. */
const heldMs = 200
const reapEveryMs = 5_000
const firstBatch = 20
/** At most this number of organizations' addresses is waited for at once. */
const mostApart = 16

/**
 * Starts the sending of one process. The ledger alone says what there is to do, and a job only wakes it. So nothing has to be recovered
 * after a crash but leases, and any number of processes may do this at once.
 */
export async function startSending(services: Services): Promise<SendingWorker> {
  const { db, jobs, log } = services
  const dialed = keepDialed(services)
  const heartbeat = sendingHeartbeat(db)
  const sizes = new Map<string, number>()
  const served = new Map<string, number>()
  const isolated = openIsolated({
    most: mostApart,
    log,
    failure: 'a step of sending failed',
    after: () => sending.wake(),
  })
  const list = { db, loop: 'sending', nameOf: stepNamed } as const

  /** Takes one step, and returns whether anything was done. Nothing is done while the rate is throttled or another process is at it. */
  async function step(one: Runnable, stopping: AbortSignal): Promise<boolean> {
    const scope = { organizationId: one.organizationId }
    if (!one.isOpen && isUnderWay(one)) return db.as(scope, (tx) => move(tx, one, closed))
    if (one.state === 'scheduled') return (await countBatch(services)) && db.as(scope, (tx) => start(tx, one))
    const { lacks } = one
    if (lacks) return db.as(scope, (tx) => move(tx, one, { ...wayless, reason: lacks }))
    if (one.state === 'preparing') return prepareChunk(services, one)
    if (one.state !== 'sending') return db.as(scope, (tx) => cancelSome(tx, one))
    if (await advanceWaves(db, one)) return true
    const mailServer = one.channel === 'webhook' ? undefined : await dialed.now()
    return leave(one, { services, mailServer, stopping })
  }

  /** Sets aside a step that fails, to be tried again later. The ledger says where it goes on. */
  async function stepApart(one: Runnable, stopping: AbortSignal): Promise<boolean> {
    let busy = false
    await eachApart(list, [one], async () => {
      busy = await step(one, stopping)
    })
    return busy
  }

  /** Sends one batch of a transmission. */
  async function leave(one: Runnable, sender: Sender): Promise<boolean> {
    const lease = { key: one, token: await heartbeat.token(), channel: one.channel }
    const done = await sendBatch(sender, lease, one.isFailing ? 1 : (sizes.get(one.id) ?? firstBatch))
    sizes.set(one.id, done.size)
    return done.taken > 0
  }

  async function attempt(one: Runnable, stopping: AbortSignal): Promise<boolean> {
    served.set(one.id, performance.now())
    const work = () => stepApart(one, stopping)
    if (one.channel === 'webhook' && one.state === 'sending') return isolated.begin(one.organizationId, work)
    return work().catch((error: unknown) => {
      log.error({ err: error, transmission: one.id }, 'a step of sending failed')
      return false
    })
  }

  const sending = startLoop({ log, failure: 'looking for transmissions failed' }, async (stopping) => {
    const turn = fairly(await due(services), served)
    let busy = false
    for (const one of turn) if (!stopping.aborted && (await attempt(one, stopping))) busy = true
    if (busy) return 0
    return turn.length === 0 ? idleMs : heldMs
  })
  const reaping = startLoop({ log, failure: 'reaping failed' }, async () => {
    await toTheEnd([() => reap(db), () => speedUp(db), () => enterLeftOut(services)])
    sending.wake()
    return reapEveryMs
  })
  await jobs.work('transmission.run', async () => sending.wake())
  return {
    async stop() {
      await Promise.all([sending.stop(), reaping.stop()])
      await isolated.settled()
      dialed.close()
      await heartbeat.leave()
    },
  }
}

/** Names a step. Cancelling has a name of its own, because it is another step than the one that may have failed. */
const stepNamed = (one: Pick<Runnable, 'id' | 'organizationId' | 'state'>) => ({
  item: isUnderWay(one) ? one.id : `${one.id} ${one.state}`,
  organizationId: one.organizationId,
})

/** Returns what may be done now, which is nothing while it is not known whether another installation has done it. */
async function due(services: Services): Promise<Runnable[]> {
  const state = await look(services)
  const list = { db: services.db, loop: 'sending', nameOf: () => ({ item: state }) } as const
  if (state === 'restored') await eachApart(list, [state], () => giveUpCertainty(services.db))
  return state === 'free' ? runnable(services) : []
}

/**
 * This condition on `transmissions t` holds while the address that it is posted to is left alone for a moment. An instant beyond was
 * written before the clock was set back.
 */
const rests = sql`(t.audience->>'channel' is not distinct from 'webhook' and exists (select from webhooks w
  where w.organization_id = t.organization_id and w.rests_until between now() and now() + interval '6 minutes'))`

/** Finds what there is to do now, in all organizations. */
function runnable({ db }: Services): Promise<Runnable[]> {
  return db.as('system', (tx) =>
    rows(
      tx,
      Runnable,
      sql`select t.id, t.organization_id as "organizationId", t.state, o.id is not null as "isOpen",
          coalesce(t.audience->>'channel', 'email') as channel, ${wayLacks} as lacks,
          exists (select from webhooks w where w.organization_id = t.organization_id and w.failures > 0) as "isFailing" from transmissions t
        left join organizations o on ${isOpen}
        where t.state in ('scheduled', 'preparing', 'sending') and ${isFree('sending', sql`t.id::text`)} and case t.state
          when 'scheduled' then t.scheduled_at <= now() and ${videoIsDone}
          when 'preparing' then true
          else ${isWithinHours} and not ${rests} and (${isWaveDue} or exists (select 1 from deliveries d where d.transmission_id = t.id and d.state in ('queued', 'deferred') and d.due_at <= now()
              and coalesce(d.time_zone, '') = any(${openZones})))
            or not (${isSomebodyLeftOut(sql`t.id`)} or exists (select 1 from transmission_counts c where c.transmission_id = t.id and c.n > 0
              and c.state in ('queued', 'sending', 'deferred'))) end
        union all
        select t.id, t.organization_id, t.state, true, 'email', null, false from transmissions t where t.state in ('cancelled', 'failed') and t.id in
          (select c.transmission_id from transmission_counts c where c.state in ('queued', 'deferred') and c.n > 0)`,
    ),
  )
}

/** Chooses one transmission of each organization, the one that waited longest, so that a large one starves nobody. */
function fairly(all: Runnable[], served: Map<string, number>): Runnable[] {
  const chosen = new Map<string, Runnable>()
  const waitedSince = (one: Runnable) => served.get(one.id) ?? 0
  for (const one of all) {
    const other = chosen.get(one.organizationId)
    if (!other || waitedSince(one) < waitedSince(other)) chosen.set(one.organizationId, one)
  }
  for (const id of served.keys()) if (!all.some((one) => one.id === id)) served.delete(id)
  return [...chosen.values()].sort((a, b) => waitedSince(a) - waitedSince(b))
}
