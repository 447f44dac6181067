import { plural } from '#contract/platform/text/format.ts'
import { actionWord } from '#contract/platform/audit-actions.ts'
import { changeOf } from '#contract/reports/report-change.ts'
import { figureMeanings } from '#contract/reports/report-figures.ts'
import { reportSubjects, type ReportStep } from '#contract/reports/report-scope.ts'
import { commonMeanings, reportHeads, type ReportName } from '#contract/reports/report-heads.ts'
import * as overviews from '#contract/reports/report-overviews.ts'
import { spanText, stepName, type Range } from '#contract/reports/report-labels.ts'
import type { Quality } from '#contract/tracking/quality.ts'
import { qualityFacts, qualityLine } from '#contract/tracking/quality-labels.ts'
import type { Tx } from '../platform/db/client.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Fact, Paper, PaperFigure } from '../documents/paper.ts'
import { instantText } from '../documents/labels.ts'
import { accountActivity } from './account-activity.ts'
import { userEngagement } from './engagement.ts'
import type { ReportScope } from './scope.ts'
import { messageAnalytics } from './messages.ts'
import { quizMetrics } from './quiz-metrics.ts'
import { orderText } from './tables.ts'
import { userActivity } from './user-activity.ts'

type AnyReport = { range: Range; quality: Quality | null; steps: ReportStep[] }
type Read = (tx: Tx, scope: ReportScope) => Promise<{ report: AnyReport; words: overviews.Overview }>

function said<Report extends AnyReport>(
  read: (tx: Tx, scope: ReportScope) => Promise<Report>,
  words: (report: Report) => overviews.Overview,
): Read {
  return async (tx, scope) => {
    const report = await read(tx, scope)
    return { report, words: words(report) }
  }
}

const readers: Record<ReportName, Read> = {
  'account-user-activity': said(userActivity, overviews.userActivityOverview),
  'user-engagement': said(userEngagement, overviews.userEngagementOverview),
  'account-activity': said(accountActivity, overviews.accountActivityOverview),
  'message-analytics': said(messageAnalytics, overviews.messagesOverview),
  'quiz-metrics': said(quizMetrics, overviews.quizMetricsOverview),
}

const subjectNames = {
  group: 'Group',
  project: 'Project',
  video: 'Video',
  transmission: 'Transmission',
} as const

type Query = { sort: string; action?: string | undefined; q?: string | undefined }
type PaperRequest = { scope: ReportScope; query: Query; by: Maker }
/** For whom a file is made: what they see is what it tells. */
export type Maker = Pick<Caller, 'name' | 'role'> & Partial<Pick<Caller, 'viewer'>>

function makerText({ name, viewer }: Maker): string {
  return viewer ? `${viewer.name}, viewing as ${name}` : name
}

/** Every choice that decides what is counted or listed. */
function filterFacts({ scope, query, by }: PaperRequest): Fact[] {
  const { groupIds, subjects } = scope
  const visibility = groupIds
    ? [
        {
          label: 'People in sight',
          value: `Members of the ${plural(groupIds.length, 'group')} of ${by.name}`,
        },
      ]
    : []
  const chosen = reportSubjects.flatMap((subject) => {
    const name = subjects[subject]?.name
    return name === undefined ? [] : [{ label: subjectNames[subject], value: name }]
  })
  const action = query.action ? [{ label: 'Action', value: actionWord(query.action) }] : []
  const search = query.q ? [{ label: 'Search', value: `“${query.q}”, in the table alone` }] : []
  const narrowing = [...chosen, ...action, ...search]
  return [...visibility, ...(narrowing.length > 0 ? narrowing : [{ label: 'Filters', value: 'None' }])]
}

/** All of a report but its rows and its picture: what the screen says, in the same words. */
export async function faceOf(
  tx: Tx,
  name: ReportName,
  asked: PaperRequest,
): Promise<Omit<Paper, 'logo' | 'table'>> {
  const { title, lead, meanings } = reportHeads[name]
  const { report, words } = await readers[name](tx, asked.scope)
  const { range, quality, steps } = report
  const made = `${instantText(new Date().toISOString())} UTC, by ${makerText(asked.by)}`
  const notes = name === 'account-activity' ? [overviews.auditNote] : []
  return {
    title,
    lead,
    owner: asked.scope.organization?.name ?? 'All organizations',
    facts: [
      { label: 'Period', value: `${spanText(range)} (${asked.scope.timeZone}, both days included)` },
      { label: 'Compared with', value: spanText(range.before) },
      ...filterFacts(asked),
      { label: 'Order', value: orderText(name, asked.query.sort) },
      { label: 'Made', value: made },
    ],
    figures: words.figures.map(figureOf),
    plot:
      steps.length === 0
        ? null
        : {
            title: `${words.plot.title} per ${range.unit}`,
            sum: words.plot.sum,
            isTime: words.plot.isTime ?? false,
            heads: [
              range.unit === 'month' ? 'Month' : 'Day',
              'This period',
              `Before (${spanText(range.before)})`,
            ],
            steps: steps.map(({ day, value, before }) => ({
              day,
              value,
              before,
              label: stepName(range.unit, day),
            })),
          },
    notes: [...notes, ...(words.notes ?? [])],
    // Nothing of what is counted there is evidence of viewing.
    quality:
      name !== 'account-activity' && quality !== null
        ? {
            line: [`Complete to ${instantText(quality.completeTo)} UTC`, ...qualityLine(quality)].join(', '),
            facts: qualityFacts(quality),
          }
        : null,
    meanings: [...meanings, ...commonMeanings].map((figure) => figureMeanings[figure]),
  }
}

function figureOf({
  name,
  figure,
  as = 'count',
  hint,
}: Omit<overviews.ReportFigure, 'as'> & { as?: PaperFigure['as'] }) {
  const change = changeOf(figure, as === 'share' ? 'share' : 'count')
  return { label: figureMeanings[name].label, as, figure, change, hint }
}
