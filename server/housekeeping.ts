import { eraseDecisions } from './assignments/decide.ts'
import { eraseReasons } from './duty/waivers.ts'
import { eraseInvitations } from './identity/invitations.ts'
import { eraseMails } from './platform/jobs/mail.ts'
import { eraseReportAddresses } from './reports/schedules/addresses.ts'
import { eraseDeliveries } from './transmissions/recipients/forget.ts'
import { forgetEvents } from './events/forget.ts'
import { eachApart, forgetSetAside } from './platform/aside.ts'
import { failuresIn } from './platform/failures.ts'
import { forgetAnswers } from './platform/http/idempotency.ts'
import { forgetHidden } from './dashboard/hidden.ts'
import { tellOfExpiry } from './service-accounts/expiry.ts'
import { forgetOldDevices } from './identity/devices.ts'
import { forgetFlows } from './identity/flows.ts'
import { forgetAttempts } from './identity/limit.ts'
import { forgetSessions } from './identity/session.ts'
import { forgetConnectionTraces } from './identity/sso/logout.ts'
import { finishDeletions } from './identity/account/finish.ts'
import { checkSendersAnew } from './identity/mail/senders.ts'
import { eraseFields } from './directory/fields/erase.ts'
import type { Services } from './platform/http/services.ts'
import { cleanUpImports } from './imports/clean-up.ts'
import { cleanUpInvitations } from './directory/invitations/clean-up.ts'
import { forgetNotifications } from './notifications/forget.ts'
import { eraseRows, forgetOperations } from './operations/forget.ts'
import { forgetServed } from './tracking/served/served.ts'
import { forgetVisitors } from './tracking/ingest/visitors.ts'
import { eraseRemoved } from './directory/users/erase.ts'
import { sweepPictures } from './directory/pictures/store.ts'
import { forgetTrials } from './quizzes/trial.ts'
import { sweepModels } from './videos/speech/model-store.ts'
import { sweepUploads } from './videos/uploads/finish.ts'
import { keepTrackDays } from './tracking/partitions.ts'
import { applyRetention } from './evidence/privacy/retention.ts'

/** Erases people who were removed long enough ago, with all that the rooms have about them. */
export const erasePeople = ({ db }: Pick<Services, 'db'>): Promise<void> =>
  eraseRemoved({
    db,
    others: [
      eraseDecisions,
      eraseDeliveries,
      eraseInvitations,
      eraseMails,
      eraseReasons,
      eraseReportAddresses,
      eraseRows,
    ],
  })

/** Each may run twice, and on several servers. */
const steps: Record<string, (services: Services) => Promise<unknown>> = {
  track_days: ({ db }) => keepTrackDays(db),
  served: ({ db }) => forgetServed(db),
  visitors: ({ db }) => forgetVisitors(db),
  uploads: sweepUploads,
  models: sweepModels,
  pictures: ({ db }) => sweepPictures(db),
  invitations: cleanUpInvitations,
  fields: ({ db }) => eraseFields(db),
  imports: cleanUpImports,
  keys: ({ db }) => forgetAnswers(db),
  expiring_keys: tellOfExpiry,
  attempts: ({ db }) => forgetAttempts(db),
  trials: ({ db }) => forgetTrials(db),
  hidden: ({ db }) => forgetHidden(db),
  devices: ({ db }) => forgetOldDevices(db),
  accounts: finishDeletions,
  people: erasePeople,
  retention: (services) => applyRetention(services),
  operations: forgetOperations,
  notifications: forgetNotifications,
  flows: ({ db }) => forgetFlows(db),
  sessions: ({ db }) => forgetSessions(db),
  events: ({ db }) => forgetEvents(db),
  connections: ({ db }) => forgetConnectionTraces(db),
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
