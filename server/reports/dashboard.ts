import * as z from 'zod/mini'
import type { DashboardFigure, readDashboardFigures } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { compared, stepsOf, toldOf, type DayCount, type ReportScope } from './scope.ts'
import { activityOf } from './user-activity.ts'

const TellsRow = z.object({ isDisclosed: z.boolean() })

/** The figures of the report on people, each with its days: what a dashboard says, that report says too. */
export async function dashboardFigures(
  tx: Tx,
  scope: ReportScope,
): Promise<Reply<typeof readDashboardFigures>> {
  const [now, before] = await compared(scope, (one) => activityOf(tx, one))
  const disclosure = await row(tx, TellsRow, sql`select ${toldOf(scope)} as "isDisclosed"`)
  const daysOf = (counted: readonly DayCount[]) => stepsOf(scope, counted, []).map(({ value }) => value)
  const count = (key: Exclude<DashboardFigure, 'watchedMs'>, counted: readonly DayCount[]) => ({
    key,
    value: now.counts[key],
    before: before.counts[key],
    days: daysOf(counted),
  })
  const sent = (name: 'accepted' | 'opened' | 'completed') =>
    now.messages.map((message) => ({ day: message.day, n: message[name] }))
  const watched = disclosure?.isDisclosed
    ? { value: now.watchedMs, before: before.watchedMs, days: daysOf(now.watched) }
    : { value: null, before: null, days: [] }
  return {
    range: scope.span,
    figures: [
      count('active', now.steps),
      count('received', sent('accepted')),
      count('opened', sent('opened')),
      count('completed', sent('completed')),
      { key: 'watchedMs', ...watched },
    ],
  }
}
