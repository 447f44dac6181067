import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { listQuizMetrics, quizMetricsSorts, reportQuizMetrics, type QuizMetrics } from '#contract/reports.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { dash, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization } from './columns.ts'
import { Filters } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { Meanings, Plot, Share } from './Report.tsx'
import { reportFields, reportQuery } from './report.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(quizMetricsSorts), '-lastAt') })
type Search = z.output<typeof search>

function listQuery({ sort, offset, ...state }: Search) {
  return { ...reportQuery(state), sort, offset }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportQuizMetrics, { query: reportQuery(state) }),
    prefetch(listQuizMetrics, { query: listQuery(state) }),
  ])
}

const meanings = [
  {
    label: 'Attempts',
    value:
      'Attempts with the questions of a video that were completed in the period, on the day of their end.',
  },
  {
    label: 'People',
    value:
      'Different people who completed an attempt in the period. Somebody without a personal link counts by their session. In the list and in shares, each counts once for each version of the questions.',
  },
  {
    label: 'Passed',
    value: 'People who reached the pass mark in an attempt of the period.',
  },
  {
    label: 'Passed at first, median score',
    value:
      'Of people whose first completed attempt with this version of the questions lies in the period. The median is the score that half of them reached, as a share of the full score.',
  },
  {
    label: 'Hardest question',
    value:
      'The question on which the lowest share of the points was earned, by the first attempts of everybody since the version was published. Given from 30 people on.',
  },
  {
    label: 'Reliability',
    value:
      'Coefficient of internal consistency (Cronbach’s alpha times 100) by the same attempts. From 75 on satisfactory, below 64 unsatisfactory. Given from 50 people on.',
  },
  {
    label: 'Few people',
    value:
      'Figures about fewer people than the smallest group of the organization (5 unless it chose another) are not shown.',
  },
]

const figures: readonly Column<QuizMetrics>[] = [
  {
    key: 'version',
    header: 'Version',
    align: 'end',
    width: '80px',
    dimmed: true,
    cell: ({ number }) => formatNumber(number),
  },
  {
    key: 'people',
    header: 'People',
    sort: 'people',
    align: 'end',
    width: '88px',
    cell: ({ people }) => formatNumber(people),
  },
  {
    key: 'attempts',
    header: 'Attempts',
    sort: 'attempts',
    align: 'end',
    width: '104px',
    from: 'lg',
    cell: ({ attempts }) => formatNumber(attempts),
  },
  {
    key: 'passed',
    header: 'Passed',
    sort: 'passRate',
    width: '144px',
    cell: ({ passed, people }) =>
      passed === null ? (
        <span className="report-few" title="Figures about so few people are not shown">
          Too few people
        </span>
      ) : (
        <Share share={passed / people}>{formatShare(passed / people)}</Share>
      ),
  },
  {
    key: 'hardest',
    header: 'Hardest question',
    cell: ({ hardest }) =>
      hardest && (
        <span title={`${hardest.prompt}: ${formatShare(hardest.facility)} of the points`}>
          {hardest.prompt} ({formatShare(hardest.facility)})
        </span>
      ),
  },
  {
    key: 'reliability',
    header: 'Reliability',
    align: 'end',
    width: '96px',
    from: 'md',
    cell: ({ reliability }) => reliability !== null && formatNumber(reliability),
  },
  {
    key: 'last',
    header: 'Last',
    sort: 'lastAt',
    width: '120px',
    dimmed: true,
    from: 'lg',
    cell: ({ lastAt }) => <RelativeTime iso={lastAt} />,
  },
]

function columnsFor(mayOpen: boolean, ofAll: boolean): readonly Column<QuizMetrics>[] {
  const title: Column<QuizMetrics> = {
    key: 'title',
    header: 'Video',
    sort: 'title',
    isName: true,
    cell: ({ id, videoId, title: text, exists }) => {
      if (!exists) return <span title={text}>{text} (removed)</span>
      return mayOpen ? (
        <Link to={paths.videoQuizResults(videoId)} search={{ version: id }} title={text}>
          {text}
        </Link>
      ) : (
        <span title={text}>{text}</span>
      )
    },
  }
  return [title, ...(ofAll ? [organization] : []), ...figures]
}

export function QuizMetricsPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportQuizMetrics, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listQuizMetrics, { query: listQuery(state) })
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
  return (
    <>
      <PageHead title="Quiz Metrics" lead="How well the questions in your videos are answered." />
      <Filters state={state} onChange={change} organizationName={report.page?.organization?.name} />
      <div className="report">
        {report.page && <Overview report={report.page} period={state.period} />}
        <Meanings meanings={meanings} />
        <DataTable
          name="Questions of videos and how they were answered"
          columns={columnsFor(role !== 'groupadmin', role === 'superadmin' && state.organization === '')}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={
            <Nothing
              title="No questions were answered in this period"
              icon={<IconListCheck size={24} />}
              onLonger={state.period === '12m' ? undefined : () => change({ period: '12m' })}
              next={role === 'groupadmin' ? <ToEngagement /> : <ToContent />}
            >
              As soon as somebody completes the questions of a video, this report shows attempts, the share of
              people who pass, and which question is the hardest.
            </Nothing>
          }
        />
      </div>
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

function ToContent() {
  return (
    <Button component={Link} to={paths.content()}>
      Go to content
    </Button>
  )
}

function ToEngagement() {
  return (
    <Button component={Link} to={paths.reportUserEngagement()}>
      Go to User Engagement
    </Button>
  )
}

type OverviewProps = { report: Reply<typeof reportQuizMetrics>; period: Search['period'] }

function Overview({ report, period }: OverviewProps) {
  const { quizzes, attempts, people, persons, passed, first, firstPassed, medianScore } = report
  const steps = report.steps.map((step) => ({
    day: step.day,
    value: step.attempts,
    text: plural(step.attempts, 'attempt'),
  }))
  const tooFew = attempts === 0 ? undefined : `Not shown for fewer than ${report.smallestGroup} people`
  const share = (part: number | null, whole: number) =>
    part === null || whole === 0 ? dash : formatShare(part / whole)
  return (
    <>
      <Plot
        title="Completed attempts"
        sum={attempts === 0 ? 'nothing was answered' : plural(attempts, 'attempt')}
        period={period}
        steps={steps}
      />
      <Figures>
        <Figure
          label="Attempts"
          value={formatNumber(attempts)}
          hint={`with ${plural(quizzes, 'version')} of questions`}
        />
        <Figure label="People" value={formatNumber(persons)} hint="who completed an attempt" />
        <Figure
          label="Passed"
          value={share(passed, people)}
          hint={passed === null ? tooFew : `${formatNumber(passed)} of ${formatNumber(people)}`}
        />
        <Figure
          label="Passed at first"
          value={share(firstPassed, first)}
          hint={firstPassed === null ? tooFew : `${formatNumber(firstPassed)} of ${formatNumber(first)}`}
        />
        <Figure
          label="Median score"
          value={medianScore === null ? dash : formatShare(medianScore)}
          hint={medianScore === null ? tooFew : 'at the first attempt'}
        />
      </Figures>
    </>
  )
}
