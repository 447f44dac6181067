import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { readDashboardFigures } from '#contract/dashboard.ts'
import { readDashboard, readOrganizationDashboard } from '#contract/directory/organizations.ts'
import { listReportChoices, type ReportQuery } from '#contract/reports/report-scope.ts'
import * as quizReports from '#contract/reports/report-quizzes.ts'
import * as reports from '#contract/reports/reports.ts'
import type { Tx } from '../platform/db/client.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { accountActivity, accountEntries } from './account-activity.ts'
import { askingWorker } from './cached.ts'
import { engagingVideos, userEngagement } from './engagement.ts'
import { dashboardFigures } from './dashboard.ts'
import { fileOf } from './files.ts'
import { scopeOf, visibilityFor, type ReportScope } from './scope.ts'
import { messageAnalytics, messageReports } from './messages.ts'
import { answeredQuizzes, quizMetrics } from './quiz-metrics.ts'
import { figuresOf, figuresOfGroups, type Figures } from './queries.ts'
import { choicesOf } from './subjects.ts'
import { activePeople, userActivity } from './user-activity.ts'

/** Without an organization: everything that the caller may see. */
function figuresFor(tx: Tx, caller: Caller, organizationId: string | null): Promise<Figures> {
  if (organizationId === null) return figuresOf(tx, null)
  const { groupIds } = visibilityOf(caller, organizationId)
  return groupIds ? figuresOfGroups(tx, { organizationId, groupIds }) : figuresOf(tx, organizationId)
}

type Asking<Query> = { query: Query; request: FastifyRequest }

export function reportsRoutes(_app: FastifyInstance, mount: Mount, { db, log }: Services): void {
  /** Reads of what the caller may see; what takes too long is left to the worker. */
  function reporting<Query extends z.output<typeof ReportQuery>, Answer>(
    read: (tx: Tx, scope: ReportScope, asking: Asking<Query>) => Promise<Answer>,
  ) {
    return ({ tx, caller, query, request }: Asking<Query> & { tx: Tx; caller: Caller }) =>
      askingWorker(db, async () => read(tx, await scopeOf(tx, caller, query), { query, request }))
  }

  mount(readDashboard, ({ tx, caller }) => figuresFor(tx, caller, caller.organizationId))

  mount(readDashboardFigures, ({ tx, caller, query }) =>
    askingWorker(db, async () =>
      dashboardFigures(tx, await scopeOf(tx, caller, { ...query, period: '30d' })),
    ),
  )

  mount(readOrganizationDashboard, ({ tx, caller, params }) => figuresFor(tx, caller, params.orgId))

  mount(listReportChoices, async ({ tx, caller, query }) => ({
    items: await choicesOf(tx, await visibilityFor(tx, caller, query.organizationId), query),
  }))

  mount(reports.reportUserActivity, reporting(userActivity))
  mount(
    reports.listUserActivity,
    reporting((tx, scope, asking) => activePeople(tx, { scope, ...asking })),
  )
  mount(reports.exportUserActivity, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, log, scope, caller, request }, { report: 'account-user-activity', format, query }),
  )

  mount(reports.reportUserEngagement, reporting(userEngagement))
  mount(
    reports.listVideoEngagement,
    reporting((tx, scope, asking) => engagingVideos(tx, { scope, ...asking })),
  )
  mount(reports.exportVideoEngagement, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, log, scope, caller, request }, { report: 'user-engagement', format, query }),
  )

  mount(reports.reportAccountActivity, reporting(accountActivity))
  mount(
    reports.listAccountActivity,
    reporting((tx, scope, asking) => accountEntries(tx, { scope, ...asking })),
  )
  mount(reports.exportAccountActivity, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, log, scope, caller, request }, { report: 'account-activity', format, query }),
  )

  mount(reports.reportMessages, reporting(messageAnalytics))
  mount(
    reports.listMessageReports,
    reporting((tx, scope, asking) => messageReports(tx, { scope, ...asking })),
  )
  mount(reports.exportMessageReports, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, log, scope, caller, request }, { report: 'message-analytics', format, query }),
  )

  mount(quizReports.reportQuizMetrics, reporting(quizMetrics))
  mount(
    quizReports.listQuizMetrics,
    reporting((tx, scope, asking) => answeredQuizzes(tx, { scope, ...asking })),
  )
  mount(quizReports.exportQuizMetrics, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, log, scope, caller, request }, { report: 'quiz-metrics', format, query }),
  )
}
