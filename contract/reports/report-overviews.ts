import type { Reply } from '../endpoint.ts'
import { formatDuration, formatNumber, formatShare, plural } from '../platform/text/format.ts'
import type { FigureName } from './report-figures.ts'
import type { Measure, ReportStep } from './report-scope.ts'
import type { reportQuizMetrics } from './report-quizzes.ts'
import { ratio, shareOf } from './report-labels.ts'
import type {
  reportAccountActivity,
  reportMessages,
  reportUserActivity,
  reportUserEngagement,
} from './reports.ts'

export type ReportFigure = {
  name: FigureName
  figure: Measure
  /** Left out: a count. Times are milliseconds, shares 0 to 1. */
  as?: 'share' | 'time'
  hint?: string | undefined
  /** How it went; left out, or empty, where that is not known or may not be told. */
  steps?: readonly ReportStep[]
}

/** What a report says above its table: the same on the screen and in its files. */
export type Overview = {
  /** What the report has found, in one sentence. */
  answer: string
  /** What the plot counts, as a heading, and all of it in one line. Milliseconds are told as time. */
  plot: { title: string; sum: string; isTime?: boolean }
  figures: readonly ReportFigure[]
  /** What has to be known to read the figures right. */
  notes?: readonly string[]
}

const forgottenText = (viewings: number) =>
  `${plural(viewings, 'viewing')} of the period ${viewings === 1 ? 'is' : 'are'} older than names are kept: nobody knows any more who it was`

export function userActivityOverview(report: Reply<typeof reportUserActivity>): Overview {
  const { people, active, received, opened, completed, watchedMs, forgotten, steps, series } = report
  const messages = plural(received.value, 'message')
  return {
    answer: `${active.value === 0 ? 'None' : formatNumber(active.value)} of ${plural(people, 'person', 'people')} ${active.value > 1 ? 'were' : 'was'} active. ${
      received.value === 0
        ? 'Nothing was sent.'
        : `Of ${messages}, ${formatNumber(opened.value)} opened and ${formatNumber(completed.value)} completed.`
    }`,
    plot: {
      title: 'Active people',
      sum: active.value === 0 ? 'nobody was active' : `${plural(active.value, 'person', 'people')} in all`,
    },
    figures: [
      {
        name: 'active',
        figure: active,
        hint: shareOf(active.value, people, plural(people, 'person', 'people')),
        steps,
      },
      {
        name: 'openedOfReceived',
        figure: opened,
        hint: shareOf(opened.value, received.value, messages) ?? 'Nothing was sent',
        steps: series.opened,
      },
      {
        name: 'completedOfReceived',
        figure: completed,
        hint: shareOf(completed.value, received.value, messages) ?? 'Nothing was sent',
        steps: series.completed,
      },
      { name: 'watched', as: 'time', figure: watchedMs, hint: 'Repeats counted', steps: series.watchedMs },
    ],
    notes:
      forgotten === 0
        ? []
        : [
            `${forgottenText(forgotten)}, so ${forgotten === 1 ? 'it counts' : 'they count'} in the time watched, and nobody counts as active because of ${forgotten === 1 ? 'it' : 'them'}.`,
          ],
  }
}

function watchedText(watchedMs: number | null): string {
  if (watchedMs === null) return 'not shown: only completions are recorded'
  return watchedMs === 0 ? 'nothing was watched' : `${formatDuration(watchedMs)} in all`
}

function finishedText(finished: number | null, viewings: string): string {
  return finished === null ? `with ${viewings}` : `${formatShare(finished)} of ${viewings} by now`
}

function seenText({ viewers, covered, watchedMs }: Reply<typeof reportUserEngagement>): string {
  if (viewers.value === 0) return 'Nobody has watched a video.'
  const who = plural(viewers.value, 'viewer')
  const time = watchedMs.value === null ? '' : ` in ${formatDuration(watchedMs.value)}`
  if (covered.value === null) return `${who} watched${time}.`
  return `${who} saw ${formatShare(covered.value)} of what they opened${time}.`
}

export function userEngagementOverview(report: Reply<typeof reportUserEngagement>): Overview {
  const { videos, viewings, viewers, covered, completed, finished, rewatched, watchedMs } = report
  const { forgotten, steps, series } = report
  return {
    answer: seenText(report),
    plot: { title: 'Time watched', sum: watchedText(watchedMs.value), isTime: true },
    figures: [
      { name: 'viewers', figure: viewers, hint: `of ${plural(videos.value, 'video')}` },
      { name: 'watched', as: 'time', figure: watchedMs, hint: 'Repeats counted', steps },
      { name: 'covered', as: 'share', figure: covered, hint: 'Mean over the viewers' },
      {
        name: 'completed',
        figure: completed,
        hint: finishedText(finished.value, plural(viewings.value, 'viewing')),
        steps: series.completed,
      },
      { name: 'rewatched', as: 'share', figure: rewatched, hint: 'of the time watched' },
    ],
    notes:
      forgotten === 0
        ? []
        : [
            `${forgottenText(forgotten)}, so each counts as a viewer, and none in what is seen, completed by now or rewatched.`,
          ],
  }
}

export function accountActivityOverview(report: Reply<typeof reportAccountActivity>): Overview {
  const { actions, people, signIns, failedSignIns, kinds, steps, series } = report
  return {
    answer:
      actions.value === 0
        ? 'Nothing was done.'
        : `${plural(actions.value, 'action')} by ${plural(people.value, 'person', 'people')}. ${plural(signIns.value, 'sign-in')}, ${formatNumber(failedSignIns.value)} failed.`,
    plot: {
      title: 'Actions',
      sum: actions.value === 0 ? 'nothing was done' : plural(actions.value, 'action'),
    },
    figures: [
      { name: 'actions', figure: actions, hint: plural(kinds.length, 'kind'), steps },
      { name: 'actors', figure: people, hint: 'who did something' },
      { name: 'signIns', figure: signIns, hint: 'to the console', steps: series.signIns },
      {
        name: 'failedSignIns',
        figure: failedSignIns,
        hint: 'with a wrong password',
        steps: series.failedSignIns,
      },
    ],
  }
}

/** In place of the quality of viewing evidence, of which the figures of Account Activity hold none. */
export const auditNote =
  'From the audit log, which has every change up to this moment: entries are written together with the change itself.'

export function messagesOverview(report: Reply<typeof reportMessages>): Overview {
  const { transmissions, recipients, accepted, failed, unknown, opened, started, completed } = report
  const { steps, series } = report
  const trouble = [
    failed.value > 0 && `${formatNumber(failed.value)} failed`,
    unknown.value > 0 && `${formatNumber(unknown.value)} uncertain`,
  ].filter(Boolean)
  const ofSent = ({ value }: { value: number }) => shareOf(value, accepted.value, 'those sent')
  return {
    answer:
      recipients.value === 0
        ? 'Nothing was sent.'
        : `${[`${formatNumber(accepted.value)} of ${plural(recipients.value, 'message')} sent`, ...trouble].join(', ')}. ${formatNumber(opened.value)} opened, ${formatNumber(completed.value)} completed.`,
    plot: {
      title: 'Messages sent',
      sum: accepted.value === 0 ? 'nothing was sent' : `${plural(accepted.value, 'message')} in all`,
    },
    figures: [
      {
        name: 'sent',
        figure: accepted,
        hint: `in ${plural(transmissions.value, 'transmission')}`,
        steps,
      },
      { name: 'opened', figure: opened, hint: ofSent(opened), steps: series.opened },
      { name: 'started', figure: started, hint: ofSent(started), steps: series.started },
      { name: 'completedMessage', figure: completed, hint: ofSent(completed), steps: series.completed },
    ],
  }
}

export function quizMetricsOverview(report: Reply<typeof reportQuizMetrics>): Overview {
  const { quizzes, attempts, people, persons, passed, first, firstPassed, medianScore, steps } = report
  const tooFew = attempts.value === 0 ? undefined : `Not shown for fewer than ${report.smallestGroup} people`
  const of = (part: number | null, whole: number) =>
    part === null ? tooFew : `${formatNumber(part)} of ${formatNumber(whole)}`
  const { value: share } = ratio(passed, people)
  return {
    answer:
      attempts.value === 0
        ? 'Nobody has answered questions.'
        : `${plural(persons.value, 'person', 'people')} in ${plural(attempts.value, 'attempt')}. ${share === null ? 'Too few to say how many passed.' : `${formatShare(share)} passed.`}`,
    plot: {
      title: 'Completed attempts',
      sum: attempts.value === 0 ? 'nothing was answered' : plural(attempts.value, 'attempt'),
    },
    figures: [
      {
        name: 'attempts',
        figure: attempts,
        hint: `with ${plural(quizzes.value, 'version')} of questions`,
        steps,
      },
      { name: 'takers', figure: persons, hint: 'who completed an attempt' },
      {
        name: 'passed',
        as: 'share',
        figure: ratio(passed, people),
        hint: of(passed.value, people.value),
      },
      {
        name: 'firstPassed',
        as: 'share',
        figure: ratio(firstPassed, first),
        hint: of(firstPassed.value, first.value),
      },
      {
        name: 'medianScore',
        as: 'share',
        figure: medianScore,
        hint: medianScore.value === null ? tooFew : 'at the first attempt',
      },
    ],
  }
}
