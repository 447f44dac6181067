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

/** What keeps an installation tidy: at the start and once an hour. Each part may run twice, and on several servers. */
export async function startHousekeeping(services: Services): Promise<{ stop(): Promise<void> }> {
  const { single } = services.db
  const cleanUp = async () => {
    await keepTrackDays(services.db)
    await forgetServed(services.db)
    await sweepUploads(services)
    await sweepPictures(services.db)
    await cleanUpInvitations(services)
    await eraseFields(services.db)
    await cleanUpImports(services)
    await single.execute(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
    // Counters that last (a row of failures, however slow) stand at the end of time, and end when nothing is added to them.
    await single.execute(sql`delete from attempts where window_start < now() - interval '2 days'
        or (window_start = 'infinity' and blocked_until < now())`)
    await single.execute(sql`delete from hidden_attention where until < now()`)
    await single.execute(sql`delete from devices where last_seen_at < now() - interval '1 year'`)
    await finishDeletions(services)
    await eraseRemoved(services)
    await applyRetention(services)
    await forgetOperations(services)
    await forgetNotifications(services)
    await single.execute(sql`delete from flows where expires_at < now() - interval '7 days'`)
    await single.execute(sql`delete from sessions where expires_at < now() - interval '90 days'`)
  }
  await cleanUp()
  await services.jobs.work('housekeeping', async () => {
    await cleanUp()
    await checkSendersAnew(services)
  })
  await services.jobs.schedule('housekeeping', '17 * * * *', {})
  return { stop: () => Promise.resolve() }
}
