import { startCounting } from './directory/organizations/counts.ts'
import { startSealing } from './platform/audit/seal.ts'
import { startDeriving } from './platform/derived/worker.ts'
import type { Services } from './platform/http/services.ts'
import { importPeople } from './imports/kind.ts'
import { startMailWorker } from './platform/jobs/mail.ts'
import type { KindOfOperation } from './operations/kinds.ts'
import { startOperations } from './operations/run.ts'
import { ruleMembers } from './directory/people/rule-members.ts'
import { itemFigures } from './quizzes/item-figures.ts'
import { attention } from './quizzes/watched-before.ts'
import { trainingCells } from './matrix/recompute.ts'
import { reportsOfEverybody } from './reports/derived.ts'
import { startBackups } from './backup/schedule.ts'
import { startReportMails } from './reports/schedules/send.ts'
import { startSample } from './sample/fill.ts'
import { groupKinds } from './directory/groups/removal.ts'
import { organizationKinds } from './directory/organizations/bulk.ts'
import { startAssignments } from './assignments/plan.ts'
import { trainingKinds } from './duty/waive-many.ts'
import { look } from './transmissions/ledger/guard.ts'
import { startSending } from './transmissions/sender/send.ts'
import { userKinds } from './directory/users/bulk/routes.ts'
import { startEvents } from './events/start.ts'
import { startHousekeeping } from './housekeeping.ts'
import { startReturns } from './transmissions/returns/mailbox.ts'
import { transmissionKinds } from './transmissions/bulk.ts'
import { liftingKinds } from './transmissions/barred/lifting.ts'
import { videoKinds } from './videos/bulk/routes.ts'
import { startAggregation } from './tracking/aggregate.ts'
import { followViewing } from './duty/completions.ts'

/** Every kind of operation that this installation knows how to do and to undo. */
export const kinds: readonly KindOfOperation[] = [
  ...userKinds,
  ...groupKinds,
  ...organizationKinds,
  ...trainingKinds,
  ...videoKinds,
  ...transmissionKinds,
  ...liftingKinds,
  importPeople,
]

/** Whatever is worked out from its sources and kept. */
export const derivedFigures = [ruleMembers, trainingCells, attention, itemFigures, reportsOfEverybody]

export type Running = { stop(): Promise<void> }

/** Everything that works in the background but media: sending, aggregating evidence, sealing the audit log, mails, housekeeping. */
export async function startWorker(services: Services): Promise<Running> {
  const running = [
    await startHousekeeping(services),
    await startMailWorker(services),
    await startSending(services),
    await startReturns(services),
    startAggregation(services, followViewing),
    startAssignments(services),
    startSealing(services),
    startCounting(services),
    startDeriving(services, derivedFigures),
    await startOperations(services, kinds),
    await startSample(services),
    await startReportMails(services),
    await startBackups(services),
    startEvents(services, async () => (await look(services)) === 'free'),
  ]
  return {
    async stop() {
      await Promise.all(running.map((part) => part.stop()))
    },
  }
}
