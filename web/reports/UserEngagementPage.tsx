import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  listVideoEngagement,
  reportUserEngagement,
  videoEngagementSorts,
  type VideoEngagement,
} from '#contract/reports.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { ExportEvidence } from '#web/shell/evidence/ExportEvidence.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { dash, formatClock, formatDuration, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { organization, watched } from './columns.ts'
import { Filters } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { Meanings, Part, Plot, Share } from './Report.tsx'
import { reportFields, reportQuery, shareOf } from './report.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(videoEngagementSorts), '-watchedMs') })
type Search = z.output<typeof search>

function listQuery({ sort, offset, ...state }: Search) {
  return { ...reportQuery(state), sort, offset }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportUserEngagement, { query: reportQuery(state) }),
    prefetch(listVideoEngagement, { query: listQuery(state) }),
  ])
}

const meanings = [
  {
    label: 'Viewers',
    value:
      'Different people who visited a video in the period and have played some of it. Somebody without a personal link counts by their browser.',
  },
  {
    label: 'Covered',
    value:
      'The share of the video that a viewer has seen so far, repeats counted once; here the mean over the viewers. Each version of a video is measured by its own length.',
  },
  {
    label: 'Completed',
    value:
      'Viewers who have covered the video up to the threshold of the organization (95% unless it chose another). It never falls back. Over all videos, a viewer counts once for each of them.',
  },
  {
    label: 'Rewatched',
    value: 'The part of the time watched that repeated what the same viewer had seen before.',
  },
  {
    label: 'Watched',
    value: 'Media time played in the period, repeats counted. A sitting counts on the day on which it began.',
  },
]

const figures: readonly Column<VideoEngagement>[] = [
  {
    key: 'viewers',
    header: 'Viewers',
    sort: 'viewers',
    align: 'end',
    width: '104px',
    cell: ({ viewers }) => formatNumber(viewers),
  },
  {
    key: 'covered',
    header: 'Covered',
    sort: 'covered',
    width: '176px',
    cell: ({ covered }) => (covered === null ? null : <Share share={covered}>{formatShare(covered)}</Share>),
  },
  {
    key: 'completed',
    header: 'Completed',
    sort: 'completed',
    align: 'end',
    width: '136px',
    cell: ({ completed, viewers }) => (completed === 0 ? null : <Part count={completed} whole={viewers} />),
  },
  {
    key: 'rewatched',
    header: 'Rewatched',
    sort: 'rewatched',
    align: 'end',
    width: '120px',
    cell: ({ rewatched }) => (rewatched ? formatShare(rewatched) : null),
  },
  watched,
]

function columnsFor(mayOpen: boolean, ofAll: boolean): readonly Column<VideoEngagement>[] {
  const title: Column<VideoEngagement> = {
    key: 'title',
    header: 'Video',
    sort: 'title',
    isName: true,
    cell: ({ id, title: text, durationMs, exists }) => {
      const long = durationMs === null ? text : `${text} (${formatClock(durationMs)})`
      if (!exists) return <span title={long}>{text} (removed)</span>
      return mayOpen ? (
        <Link to={paths.video(id)} title={long}>
          {text}
        </Link>
      ) : (
        <span title={long}>{text}</span>
      )
    },
  }
  return [title, ...(ofAll ? [organization] : []), ...figures]
}

export function UserEngagementPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportUserEngagement, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listVideoEngagement, { query: listQuery(state) })
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
  const orgId = report.page?.organization?.id
  const empty = (
    <Nothing
      title="Nobody watched a video in this period"
      icon={<IconPlayerPlay size={24} />}
      onLonger={state.period === '12m' ? undefined : () => change({ period: '12m' })}
      next={
        role === 'groupadmin' ? undefined : (
          <Button component={Link} to={paths.transmissionCreate()}>
            Send a video
          </Button>
        )
      }
    >
      As soon as somebody plays a video, this report shows how much of it they have seen.
    </Nothing>
  )
  return (
    <>
      <PageHead
        title="User Engagement"
        lead="How much of each video its viewers have seen, and what they watched again."
        actions={orgId !== undefined && role !== 'groupadmin' && <ExportEvidence orgId={orgId} />}
      />
      <Filters state={state} onChange={change} organizationName={report.page?.organization?.name} />
      <div className="report">
        {report.page && <Overview report={report.page} period={state.period} />}
        <Meanings meanings={meanings} />
        <DataTable
          name="Videos and how they were watched"
          columns={columnsFor(role !== 'groupadmin', role === 'superadmin' && state.organization === '')}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={empty}
        />
      </div>
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

function watchedWords(watchedMs: number | null): string {
  if (watchedMs === null) return 'not shown: only completions are recorded'
  return watchedMs === 0 ? 'nothing was watched' : `${formatDuration(watchedMs)} in all`
}

type OverviewProps = { report: Reply<typeof reportUserEngagement>; period: Search['period'] }

function Overview({ report, period }: OverviewProps) {
  const { videos, viewings, viewers, covered, completed, rewatched, watchedMs } = report
  const steps = report.steps.map((step) => ({
    day: step.day,
    value: step.watchedMs,
    text: formatDuration(step.watchedMs),
  }))
  return (
    <>
      <Plot title="Time watched" sum={watchedWords(watchedMs)} period={period} steps={steps} />
      <Figures>
        <Figure label="Viewers" value={formatNumber(viewers)} hint={`of ${plural(videos, 'video')}`} />
        <Figure
          label="Covered"
          value={covered === null ? dash : formatShare(covered)}
          hint="Mean over the viewers"
        />
        <Figure
          label="Completed"
          value={formatNumber(completed)}
          hint={shareOf(completed, viewings, plural(viewings, 'viewing'))}
        />
        <Figure
          label="Rewatched"
          value={rewatched === null ? dash : formatShare(rewatched)}
          hint="of the time watched"
        />
      </Figures>
    </>
  )
}
