import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  exportVideoEngagement,
  listVideoEngagement,
  reportUserEngagement,
  videoEngagementSorts,
  type VideoEngagement,
} from '#contract/reports.ts'
import { fetchFile } from '#web/api/client.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { ExportEvidence } from '#web/shell/evidence/ExportEvidence.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figures } from '#web/ui/Figure.tsx'
import { formatClock, formatDuration, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { organization, watched } from './columns.ts'
import { ToPeople } from './ToPeople.tsx'
import { Nothing } from './Nothing.tsx'
import { KeyFigure, Plot, Share } from './Report.tsx'
import { ReportFrame } from './ReportFrame.tsx'
import { longer, reportFields, reportQuery, type ReportState } from './report.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(videoEngagementSorts), '-watchedMs') })
type Search = z.output<typeof search>

function rowsQuery({ sort, ...state }: Search) {
  return { ...reportQuery(state), sort }
}
const listQuery = (state: Search) => ({ ...rowsQuery(state), offset: state.offset })

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportUserEngagement, { query: reportQuery(state) }),
    prefetch(listVideoEngagement, { query: listQuery(state) }),
  ])
}

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
    width: '120px',
    cell: ({ completed }) => (completed === 0 ? null : formatNumber(completed)),
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

/** The people behind a video, in the report that lists people. */
function peopleOf(state: ReportState) {
  return ({ id, title }: VideoEngagement) => (
    <ToPeople state={{ ...state, video: id }} sort="-watchedMs" of={title} />
  )
}

export function UserEngagementPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportUserEngagement, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listVideoEngagement, { query: listQuery(state) })
  const further = longer(state)
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
  const orgId = report.page?.organization?.id
  const empty = (
    <Nothing
      title="Nobody watched a video in this period"
      icon={<IconPlayerPlay size={24} />}
      onLonger={further && (() => change(further))}
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
  const ofAll = role === 'superadmin' && (report.page?.organization ?? null) === null
  return (
    <ReportFrame
      title="User Engagement"
      lead="How much of each video its viewers have seen, and what they watched again."
      state={state}
      onChange={change}
      report={report.page}
      file={{
        name: 'user-engagement',
        read: () => fetchFile(exportVideoEngagement, { query: rowsQuery(state) }),
      }}
      actions={orgId !== undefined && role !== 'groupadmin' && <ExportEvidence orgId={orgId} />}
      overview={report.page && <Overview report={report.page} />}
      meanings={['viewers', 'viewings', 'covered', 'completed', 'finished', 'rewatched', 'watched']}
    >
      <DataTable
        name="Videos and how they were watched"
        columns={columnsFor(role !== 'groupadmin', ofAll)}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
        isStale={isStale}
        empty={empty}
        actions={peopleOf(state)}
        actionsWidth="88px"
      />
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </ReportFrame>
  )
}

function watchedWords(watchedMs: number | null): string {
  if (watchedMs === null) return 'not shown: only completions are recorded'
  return watchedMs === 0 ? 'nothing was watched' : `${formatDuration(watchedMs)} in all`
}

function finishedWords(finished: number | null, viewings: string): string {
  return finished === null ? `with ${viewings}` : `${formatShare(finished)} of ${viewings} by now`
}

function Overview({ report }: { report: Reply<typeof reportUserEngagement> }) {
  const { videos, viewings, viewers, covered, completed, finished, rewatched, forgotten } = report
  const { watchedMs, range, steps } = report
  return (
    <>
      <Plot title="Time watched" sum={watchedWords(watchedMs.value)} range={range} steps={steps} isTime />
      <Figures>
        <KeyFigure name="viewers" figure={viewers} hint={`of ${plural(videos.value, 'video')}`} />
        <KeyFigure name="watched" as="time" figure={watchedMs} hint="Repeats counted" />
        <KeyFigure name="covered" as="share" figure={covered} hint="Mean over the viewers" />
        <KeyFigure
          name="completed"
          figure={completed}
          hint={finishedWords(finished.value, plural(viewings.value, 'viewing'))}
        />
        <KeyFigure name="rewatched" as="share" figure={rewatched} hint="of the time watched" />
      </Figures>
      {forgotten > 0 && (
        <p className="report-note">
          {plural(forgotten, 'viewing')} of the period {forgotten === 1 ? 'is' : 'are'} older than names are
          kept: nobody knows any more who it was, so each counts as a viewer, and none in what is covered,
          completed by now or rewatched.
        </p>
      )}
    </>
  )
}
