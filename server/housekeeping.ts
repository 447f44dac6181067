import { eachApart, forgetSetAside } from './platform/aside.ts'
import { failuresIn } from './platform/failures.ts'
import { sql } from './platform/db/sql.ts'
import { finishDeletions } from './identity/account/finish.ts'
import { checkSendersAnew } from './identity/mail/senders.ts'
import { eraseFields } from './directory/fields/erase.ts'
import type { Services } from './platform/http/services.ts'
import { cleanUpImports } from './imports/clean-up.ts'
import { cleanUpInvitations } from './directory/invitations/clean-up.ts'
import { forgetNotifications } from './notifications/forget.ts'
import { forgetOperations } from './operations/forget.ts'
import { forgetServed } from './tracking/served.ts'
import { eraseRemoved } from './directory/users/erase.ts'
import { sweepPictures } from './directory/pictures/store.ts'
import { sweepUploads } from './videos/finish.ts'
import { keepTrackDays } from './tracking/days.ts'
import { applyRetention } from './evidence/privacy/retention.ts'

/** Each may run twice, and on several servers. */
const steps: Record<string, (services: Services) => Promise<unknown>> = {
  track_days: ({ db }) => keepTrackDays(db),
  served: ({ db }) => forgetServed(db),
  uploads: sweepUploads,
  pictures: ({ db }) => sweepPictures(db),
  invitations: cleanUpInvitations,
  fields: ({ db }) => eraseFields(db),
  imports: cleanUpImports,
  keys: ({ db }) =>
    db.single.execute(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`),
  // Counters that last (a row of failures, however slow) stand at the end of time, and end when nothing is added to them.
  attempts: ({ db }) =>
    db.single.execute(sql`delete from attempts where window_start < now() - interval '2 days'
      or (window_start = 'infinity' and blocked_until < now())`),
  hidden: ({ db }) => db.single.execute(sql`delete from hidden_attention where until < now()`),
  devices: ({ db }) =>
    db.single.execute(sql`delete from devices where last_seen_at < now() - interval '1 year'`),
  accounts: finishDeletions,
  people: eraseRemoved,
  retention: (services) => applyRetention(services),
  operations: forgetOperations,
  notifications: forgetNotifications,
  flows: ({ db }) => db.single.execute(sql`delete from flows where expires_at < now() - interval '7 days'`),
  sessions: ({ db }) =>
    db.single.execute(sql`delete from sessions where expires_at < now() - interval '90 days'`),
  set_aside: ({ db }) => forgetSetAside(db),
}

/** What keeps an installation tidy: at the start and once an hour. What cannot be tidied up is told, and neither ends the start nor the rest. */
export async function startHousekeeping(services: Services): Promise<{ stop(): Promise<void> }> {
  const { db, jobs, log } = services
  const list = { db, loop: 'housekeeping', nameOf: (item: string) => ({ item }) } as const
  const runAll = (names: readonly string[]) =>
    eachApart(list, names, async (name) => steps[name]?.(services)).catch((error: unknown) => {
      for (const one of failuresIn(error))
        log.error({ err: one }, 'tidying up failed; it will be tried again')
    })
  await runAll(Object.keys(steps))
  await jobs.work('housekeeping', async () => {
    await runAll(Object.keys(steps))
    await checkSendersAnew(services)
  })
  await jobs.schedule('housekeeping', '17 * * * *', {})
  return { stop: () => Promise.resolve() }
}
