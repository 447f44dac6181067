import { eachApart, isFree } from '../platform/aside.ts'
import { rows, type Database } from '../platform/db/client.ts'
import { sendingHeartbeat } from '../platform/db/heartbeat.ts'
import { sql } from '../platform/db/sql.ts'
import { toTheEnd } from '../platform/failures.ts'
import type { Services } from '../platform/http/services.ts'
import { openIsolated } from '../platform/isolated.ts'
import { startLoop } from '../platform/loop.ts'
import { noteDays } from './late.ts'
import { Busy, freeLost, postSome } from './post.ts'
import { sortEvents } from './sort.ts'

const idleMs = 1_000
const daysEveryMs = 30_000
/** So many addresses are waited for at once. */
const mostApart = 16

/** An instant beyond was written before the clock was set back. */
const rests = sql`coalesce(a.rests_until between now() and now() + interval '6 minutes', false)`

/** Addresses for which something is due, in all organizations. */
const busyOnes = ({ single }: Database): Promise<Busy[]> =>
  rows(
    single,
    Busy,
    sql`select a.id, a.organization_id as "organizationId", a.failures > 0 as "isFailing" from event_addresses a
      join organizations o on o.id = a.organization_id and o.state = 'active' and o.deleted_at is null
      where not ${rests} and ${isFree('events', sql`a.id::text`)}
        and exists (select from event_lines l where l.address_id = a.id and l.token is null and l.due_at <= now())`,
  )

/**
 * Starts the posting of events of one process. The tables alone say what there is to do, so nothing has to be recovered after a crash but
 * what the dead process held, and any number of processes may do this at once. `mayLeave` is asked before anything leaves: an
 * installation that was copied must not tell what the other one has told.
 */
export function startEvents(
  services: Services,
  mayLeave: () => Promise<boolean> = async () => true,
): { stop(): Promise<void> } {
  const { db, log } = services
  const heartbeat = sendingHeartbeat(db)
  const nameOf = ({ id, organizationId }: Busy) => ({ item: id, organizationId })
  const isolated = openIsolated({
    most: mostApart,
    log,
    failure: 'posting events failed',
    after: () => posting.wake(),
  })

  async function postApart(busy: Busy): Promise<boolean> {
    let hasPosted = false
    await eachApart({ db, loop: 'events', nameOf }, [busy], async () => {
      hasPosted = await postSome(services, busy, await heartbeat.token())
    })
    return hasPosted
  }

  const posting = startLoop({ log, failure: 'looking for events failed' }, async (stopping) => {
    let isMore = false
    await toTheEnd([
      async () => {
        isMore = await sortEvents(db)
      },
      () => freeLost(db),
    ])
    const found = await busyOnes(db)
    if (found.length === 0 || !(await mayLeave())) return isMore ? 0 : idleMs
    for (const busy of found) if (!stopping.aborted) isolated.begin(busy.id, () => postApart(busy))
    return isMore ? 0 : idleMs
  })
  const days = startLoop({ log, failure: 'looking for days that have passed failed' }, async () =>
    (await noteDays(db)) ? 0 : daysEveryMs,
  )
  return {
    async stop() {
      await Promise.all([posting.stop(), days.stop()])
      await isolated.settled()
      await heartbeat.leave()
    },
  }
}
