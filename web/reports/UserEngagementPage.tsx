import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  exportVideoEngagement,
  listVideoEngagement,
  reportUserEngagement,
  videoEngagementSorts,
  type VideoEngagement,
} from '#contract/reports.ts'
import { userEngagementOverview } from '#contract/report-overviews.ts'
import { fetchFile } from '#web/api/client.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { ExportEvidence } from '#web/shell/evidence/ExportEvidence.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { formatNumber, formatRuntime, formatShare } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { organization, watched } from './columns.ts'
import { ToPeople } from './ToPeople.tsx'
import { Nothing } from './Nothing.tsx'
import { Overview, Share } from './Report.tsx'
import { ReportFrame } from './ReportFrame.tsx'
import { Rows, useReportTable } from './table.tsx'
import { longer, pageOf, reportFields, reportQuery, type ReportState } from './report.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(videoEngagementSorts), '-watchedMs') })
type Search = z.output<typeof search>

function rowsQuery({ sort, ...state }: Search) {
  return { ...reportQuery(state), sort }
}
const listQuery = (state: Search) => ({ ...rowsQuery(state), ...pageOf(state) })

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

function columnsFor(mayOpen: boolean, isSuperadmin: boolean): readonly Column<VideoEngagement>[] {
  const title: Column<VideoEngagement> = {
    key: 'title',
    header: 'Video',
    sort: 'title',
    isName: true,
    cell: ({ id, title: text, durationMs, exists }) => {
      const long = durationMs === null ? text : `${text} (${formatRuntime(durationMs)})`
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
  return [title, ...(isSuperadmin ? [organization] : []), ...figures]
}

/** The people behind a video, in the report that lists people. */
function peopleOf(state: ReportState) {
  return ({ id, title }: VideoEngagement) => (
    <ToPeople state={{ ...state, video: id }} sort="-watchedMs" of={title} />
  )
}

const reads = [reportUserEngagement, listVideoEngagement]

export function UserEngagementPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportUserEngagement, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listVideoEngagement, { query: listQuery(state) })
  const isSuperadmin = role === 'superadmin'
  const ofAll = isSuperadmin && (report.page?.organization ?? null) === null
  const columns = columnsFor(role !== 'groupadmin', isSuperadmin)
  const { table, view, drawn, pager } = useReportTable({ name: 'user-engagement', columns, ofAll }, [
    state,
    change,
  ])
  const further = longer(state)
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
  return (
    <ReportFrame
      name="user-engagement"
      state={state}
      onChange={change}
      report={report.page}
      failure={report.error ?? error}
      onRetry={report.error ? report.retry : retry}
      reads={reads}
      drawn={drawn}
      read={(format) => fetchFile(exportVideoEngagement, { query: { ...rowsQuery(state), format } })}
      actions={orgId !== undefined && role !== 'groupadmin' && <ExportEvidence orgId={orgId} />}
      overview={report.page && <Overview words={userEngagementOverview(report.page)} report={report.page} />}
    >
      <Rows title="Videos and how they were watched" view={view}>
        <DataTable
          {...table}
          name="Videos and how they were watched"
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={empty}
          actions={peopleOf(state)}
          actionsWidth="88px"
        />
        {page && <Pager {...page} {...pager} />}
      </Rows>
    </ReportFrame>
  )
}
