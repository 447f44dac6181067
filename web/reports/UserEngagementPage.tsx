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
} from '#contract/reports/reports.ts'
import { userEngagementOverview } from '#contract/reports/report-overviews.ts'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { formatNumber, formatRuntime, formatShare } from '#web/ui/format.ts'
import { organization, watched } from './columns.ts'
import { ToPeople } from './ToPeople.tsx'
import { Nothing } from './Nothing.tsx'
import { Share } from './Report.tsx'
import { longer, reportFields, type ReportState } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { tip, tipStop } from '#web/ui/overlays/tips.ts'

const search = z.object({ ...reportFields, sort: z.catch(z.enum(videoEngagementSorts), '-watchedMs') })
/** The number leads to the people behind a video, in the report that lists people. */
const viewersFor = (state: ReportState): Column<VideoEngagement> => ({
  key: 'viewers',
  header: 'Viewers',
  sort: 'viewers',
  align: 'end',
  width: '104px',
  phone: 'end',
  cell: ({ id, title, viewers }) => (
    <ToPeople state={{ ...state, video: id }} sort="-watchedMs" of={title}>
      {formatNumber(viewers)}
    </ToPeople>
  ),
})

const figures: readonly Column<VideoEngagement>[] = [
  {
    key: 'covered',
    header: 'Seen',
    sort: 'covered',
    width: '136px',
    phone: 'line',
    cell: ({ covered }) => (covered === null ? null : <Share tone="watched" share={covered} />),
  },
  {
    key: 'completed',
    header: 'Completed',
    sort: 'completed',
    align: 'end',
    width: '112px',
    phone: 'line',
    cell: ({ completed }) => (completed === 0 ? null : formatNumber(completed)),
  },
  {
    key: 'rewatched',
    header: 'Rewatched',
    sort: 'rewatched',
    align: 'end',
    width: '112px',
    cell: ({ rewatched }) => (rewatched ? formatShare(rewatched) : null),
  },
  watched,
]

type ColumnOptions = { mayOpen: boolean; isSuperadmin: boolean; state: ReportState }

function columnsFor({ mayOpen, isSuperadmin, state }: ColumnOptions): readonly Column<VideoEngagement>[] {
  const title: Column<VideoEngagement> = {
    key: 'title',
    header: 'Video',
    sort: 'title',
    isName: true,
    cell: ({ id, title: text, durationMs, exists }) => {
      const long = durationMs === null ? text : `${text} (${formatRuntime(durationMs)})`
      if (!exists) return <span {...tipStop(long)}>{text} (removed)</span>
      return mayOpen ? (
        <Link to={paths.video(id)} {...tip(long)}>
          {text}
        </Link>
      ) : (
        <span {...tipStop(long)}>{text}</span>
      )
    },
  }
  return [title, ...(isSuperadmin ? [organization] : []), viewersFor(state), ...figures]
}

const { load, Page } = reportPage({
  name: 'user-engagement',
  search,
  report: reportUserEngagement,
  list: listVideoEngagement,
  file: exportVideoEngagement,
  overview: userEngagementOverview,
  title: 'Videos and how they were watched',
  columns: ({ role, isSuperadmin, state }) =>
    columnsFor({ mayOpen: role !== 'groupadmin', isSuperadmin, state }),
  rowKey: ({ id }) => id,
  evidenceOf: ({ role, report }) => (role === 'groupadmin' ? undefined : report?.organization?.id),
  empty: ({ role, state, change }) => {
    const further = longer(state)
    return (
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
  },
})
export { load, Page as UserEngagementPage }
