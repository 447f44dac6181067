import { Button } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  exportUserActivity,
  listUserActivity,
  reportUserActivity,
  userActivitySorts,
  type UserActivity,
} from '#contract/reports.ts'
import { userActivityOverview } from '#contract/report-overviews.ts'
import { fetchFile } from '#web/api/client.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization, watched } from './columns.ts'
import { Overview } from './Report.tsx'
import { ReportFrame } from './ReportFrame.tsx'
import { Rows, useReportTable } from './table.tsx'
import { isNarrowed, noSubjects, pageOf, reportFields, reportQuery, searchText } from './report.ts'

const empty = (
  <EmptyState
    title="Nobody to see yet"
    icon={<IconUsers size={24} />}
    action={
      <Button component={Link} to={paths.organizations()}>
        Go to organizations
      </Button>
    }
  >
    Add the people who receive your videos, or become administrator of their group. Then they are listed here.
  </EmptyState>
)

const search = z.object({
  ...reportFields,
  q: searchText,
  sort: z.catch(z.enum(userActivitySorts), '-lastActiveAt'),
})
type Search = z.output<typeof search>

function rowsQuery({ q, sort, ...state }: Search) {
  return { ...reportQuery(state), q, sort }
}
const listQuery = (state: Search) => ({ ...rowsQuery(state), ...pageOf(state) })

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportUserActivity, { query: reportQuery(state) }),
    prefetch(listUserActivity, { query: listQuery(state) }),
  ])
}

const number = (value: number) => (value === 0 ? null : formatNumber(value))

const numbers: readonly Column<UserActivity>[] = [
  {
    key: 'seen',
    header: 'Last active',
    sort: 'lastActiveAt',
    width: '136px',
    dimmed: true,
    cell: ({ lastActiveAt }) => lastActiveAt && <RelativeTime iso={lastActiveAt} />,
  },
  {
    key: 'received',
    header: 'Received',
    sort: 'received',
    align: 'end',
    width: '112px',
    cell: ({ received }) => number(received),
  },
  {
    key: 'opened',
    header: 'Opened',
    sort: 'opened',
    align: 'end',
    width: '112px',
    cell: ({ opened }) => number(opened),
  },
  {
    key: 'completed',
    header: 'Completed',
    sort: 'completed',
    align: 'end',
    width: '120px',
    cell: ({ completed }) => number(completed),
  },
]

type Shown = { isSuperadmin: boolean; videoId: string | undefined }

function columnsFor({ isSuperadmin, videoId }: Shown): readonly Column<UserActivity>[] {
  const name: Column<UserActivity> = {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: (person) => (
      <span className="ui-named">
        <Avatar name={person.name} size={24} />
        <Link to={paths.person(person.organizationId, person.id)} title={person.email}>
          {person.name}
        </Link>
      </span>
    ),
  }
  // With one video, what somebody watched is shown to the second.
  const evidence: Column<UserActivity> = {
    ...watched,
    cell: (person) =>
      videoId && person.watchedMs ? (
        <Link
          to={paths.evidence(person.organizationId, person.id, videoId)}
          title={`What ${person.name} watched`}
        >
          {watched.cell(person)}
        </Link>
      ) : (
        watched.cell(person)
      ),
  }
  return [name, ...(isSuperadmin ? [{ ...organization, width: '176px' }] : []), ...numbers, evidence]
}

const reads = [reportUserActivity, listUserActivity]

export function UserActivityPage() {
  const isSuperadmin = useUser().role === 'superadmin'
  const [state, change] = usePageSearch(search)
  const report = useList(reportUserActivity, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listUserActivity, { query: listQuery(state) })
  const ofAll = isSuperadmin && (report.page?.organization ?? null) === null
  const columns = columnsFor({ isSuperadmin, videoId: report.page?.subjects.video?.id })
  const { table, view, drawn, pager } = useReportTable({ name: 'account-user-activity', columns, ofAll }, [
    state,
    change,
  ])
  const nobody = (
    <EmptyState
      title="Nobody matches"
      action={
        <Button variant="default" onClick={() => change({ q: '', ...noSubjects })}>
          Show everybody
        </Button>
      }
    />
  )
  return (
    <ReportFrame
      name="account-user-activity"
      state={state}
      onChange={change}
      report={report.page}
      failure={report.error ?? error}
      onRetry={report.error ? report.retry : retry}
      reads={reads}
      drawn={drawn}
      read={(format) => fetchFile(exportUserActivity, { query: { ...rowsQuery(state), format } })}
      filters={<SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />}
      overview={report.page && <Overview words={userActivityOverview(report.page)} report={report.page} />}
    >
      <Rows title="People and their activity" view={view}>
        <DataTable
          {...table}
          name="People and their activity"
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={state.q || isNarrowed(state) ? nobody : empty}
        />
        {page && <Pager {...page} {...pager} />}
      </Rows>
    </ReportFrame>
  )
}
