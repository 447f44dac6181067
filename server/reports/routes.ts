import type { FastifyInstance } from 'fastify'
import { readDashboardFigures } from '#contract/dashboard.ts'
import { readDashboard, readOrganizationDashboard } from '#contract/organizations.ts'
import { listReportChoices } from '#contract/report-scope.ts'
import * as quizReports from '#contract/report-quizzes.ts'
import * as reports from '#contract/reports.ts'
import type { Tx } from '../platform/db/client.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { accountActivity, accountEntries } from './account-activity.ts'
import { engagingVideos, userEngagement } from './engagement.ts'
import { dashboardFigures } from './dashboard.ts'
import { fileOf } from './files.ts'
import { scopeOf, visibilityFor } from './scope.ts'
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

export function reportsRoutes(_app: FastifyInstance, mount: Mount, { db }: Services): void {
  mount(readDashboard, ({ tx, caller }) => figuresFor(tx, caller, caller.organizationId))

  mount(readDashboardFigures, async ({ tx, caller, query }) =>
    dashboardFigures(tx, await scopeOf(tx, caller, { ...query, period: '30d' })),
  )

  mount(readOrganizationDashboard, ({ tx, caller, params }) => figuresFor(tx, caller, params.orgId))

  mount(listReportChoices, async ({ tx, caller, query }) => ({
    items: await choicesOf(tx, await visibilityFor(tx, caller, query.organizationId), query),
  }))

  mount(reports.reportUserActivity, async ({ tx, caller, query }) =>
    userActivity(tx, await scopeOf(tx, caller, query)),
  )
  mount(reports.listUserActivity, async ({ tx, caller, query, request }) =>
    activePeople(tx, { scope: await scopeOf(tx, caller, query), query, request }),
  )
  mount(reports.exportUserActivity, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, scope, caller, request }, { report: 'account-user-activity', format, query }),
  )

  mount(reports.reportUserEngagement, async ({ tx, caller, query }) =>
    userEngagement(tx, await scopeOf(tx, caller, query)),
  )
  mount(reports.listVideoEngagement, async ({ tx, caller, query, request }) =>
    engagingVideos(tx, { scope: await scopeOf(tx, caller, query), query, request }),
  )
  mount(reports.exportVideoEngagement, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, scope, caller, request }, { report: 'user-engagement', format, query }),
  )

  mount(reports.reportAccountActivity, async ({ tx, caller, query }) =>
    accountActivity(tx, await scopeOf(tx, caller, query)),
  )
  mount(reports.listAccountActivity, async ({ tx, caller, query, request }) =>
    accountEntries(tx, { scope: await scopeOf(tx, caller, query), query, request }),
  )
  mount(reports.exportAccountActivity, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, scope, caller, request }, { report: 'account-activity', format, query }),
  )

  mount(reports.reportMessages, async ({ tx, caller, query }) =>
    messageAnalytics(tx, await scopeOf(tx, caller, query)),
  )
  mount(reports.listMessageReports, async ({ tx, caller, query, request }) =>
    messageReports(tx, { scope: await scopeOf(tx, caller, query), query, request }),
  )
  mount(reports.exportMessageReports, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, scope, caller, request }, { report: 'message-analytics', format, query }),
  )

  mount(quizReports.reportQuizMetrics, async ({ tx, caller, query }) =>
    quizMetrics(tx, await scopeOf(tx, caller, query)),
  )
  mount(quizReports.listQuizMetrics, async ({ tx, caller, query, request }) =>
    answeredQuizzes(tx, { scope: await scopeOf(tx, caller, query), query, request }),
  )
  mount(quizReports.exportQuizMetrics, ({ scope, caller, query: { format, ...query }, request }) =>
    fileOf({ db, scope, caller, request }, { report: 'quiz-metrics', format, query }),
  )
}
