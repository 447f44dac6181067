import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  exportQuizMetrics,
  listQuizMetrics,
  quizMetricsSorts,
  reportQuizMetrics,
  type QuizMetrics,
} from '#contract/reports/report-quizzes.ts'
import { quizMetricsOverview } from '#contract/reports/report-overviews.ts'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { formatNumber, formatShare } from '#web/ui/format.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization } from './columns.ts'
import { Nothing } from './Nothing.tsx'
import { Share } from './Report.tsx'
import { longer, reportFields } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { tipStop, whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(quizMetricsSorts), '-lastAt') })
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
    phone: 'end',
    cell: ({ people }) => formatNumber(people),
  },
  {
    key: 'attempts',
    header: 'Attempts',
    sort: 'attempts',
    align: 'end',
    width: '104px',
    isExtra: true,
    cell: ({ attempts }) => formatNumber(attempts),
  },
  {
    key: 'passed',
    header: 'Passed',
    sort: 'passRate',
    width: '136px',
    phone: 'line',
    cell: ({ passed, people }) =>
      passed === null ? (
        <span className={shapes.unit} {...tipStop('Figures about so few people are not shown')}>
          Too few people
        </span>
      ) : (
        <Share tone="success" share={passed / people} />
      ),
  },
  {
    key: 'hardest',
    header: 'Hardest question',
    phone: 'line',
    cell: ({ hardest }) =>
      hardest && (
        <span {...tipStop(`${hardest.prompt}: ${formatShare(hardest.right)} got it right`)}>
          {hardest.prompt} ({formatShare(hardest.right)})
        </span>
      ),
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

function columnsFor(mayOpen: boolean, isSuperadmin: boolean): readonly Column<QuizMetrics>[] {
  const title: Column<QuizMetrics> = {
    key: 'title',
    header: 'Video',
    sort: 'title',
    isName: true,
    cell: ({ id, videoId, title: text, exists }) => {
      if (!exists) return `${text} (removed)`
      return mayOpen ? (
        <Link to={paths.videoQuizResults(videoId)} search={{ version: id }} {...whole}>
          {text}
        </Link>
      ) : (
        text
      )
    },
  }
  return [title, ...(isSuperadmin ? [organization] : []), ...figures]
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

const { load, Page } = reportPage({
  name: 'quiz-metrics',
  search,
  report: reportQuizMetrics,
  list: listQuizMetrics,
  file: exportQuizMetrics,
  overview: quizMetricsOverview,
  title: 'Questions of videos and how they were answered',
  columns: ({ role, isSuperadmin }) => columnsFor(role !== 'groupadmin', isSuperadmin),
  rowKey: ({ id }) => id,
  empty: ({ role, state, change }) => {
    const further = longer(state)
    return (
      <Nothing
        title="No questions were answered in this period"
        icon={<IconListCheck size={24} />}
        onLonger={further && (() => change(further))}
        next={role === 'groupadmin' ? <ToEngagement /> : <ToContent />}
      >
        As soon as somebody completes the questions of a video, this report shows attempts, the share of
        people who pass, and which question is the hardest.
      </Nothing>
    )
  },
})
export { load, Page as QuizMetricsPage }
