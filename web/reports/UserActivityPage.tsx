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
} from '#contract/reports/reports.ts'
import { userActivityOverview } from '#contract/reports/report-overviews.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization, watched } from './columns.ts'
import { isNarrowed, noSubjects, reportFields, searchText } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { tip } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

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
const number = (value: number) => (value === 0 ? null : formatNumber(value))

const numbers: readonly Column<UserActivity>[] = [
  {
    key: 'seen',
    header: 'Last active',
    sort: 'lastActiveAt',
    width: '128px',
    dimmed: true,
    phone: 'end',
    cell: ({ lastActiveAt }) => lastActiveAt && <RelativeTime iso={lastActiveAt} />,
  },
  {
    key: 'received',
    header: 'Received',
    sort: 'received',
    align: 'end',
    width: '104px',
    phone: 'line',
    cell: ({ received }) => number(received),
  },
  {
    key: 'opened',
    header: 'Opened',
    sort: 'opened',
    align: 'end',
    width: '96px',
    cell: ({ opened }) => number(opened),
  },
  {
    key: 'completed',
    header: 'Completed',
    sort: 'completed',
    align: 'end',
    width: '112px',
    phone: 'line',
    cell: ({ completed }) => number(completed),
  },
]

type ColumnOptions = { isSuperadmin: boolean; videoId: string | undefined }

function columnsFor({ isSuperadmin, videoId }: ColumnOptions): readonly Column<UserActivity>[] {
  const name: Column<UserActivity> = {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: (person) => (
      <span className={shapes.named}>
        <Avatar name={person.name} size={24} />
        <Link to={paths.person(person.organizationId, person.id)} {...tip(person.email)}>
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
          {...tip(`What ${person.name} watched`)}
        >
          {watched.cell(person)}
        </Link>
      ) : (
        watched.cell(person)
      ),
  }
  return [name, ...(isSuperadmin ? [organization] : []), ...numbers, evidence]
}

const { load, Page } = reportPage({
  name: 'account-user-activity',
  search,
  report: reportUserActivity,
  list: listUserActivity,
  file: exportUserActivity,
  overview: userActivityOverview,
  title: 'People and their activity',
  columns: ({ isSuperadmin, report }) => columnsFor({ isSuperadmin, videoId: report?.subjects.video?.id }),
  rowKey: ({ id }) => id,
  searchField: ({ state, change }) => ({
    label: 'Search people',
    value: state.q,
    onSearch: (q) => change({ q }),
  }),
  empty: ({ state, change }) =>
    state.q || isNarrowed(state) ? (
      <EmptyState
        title="Nobody matches"
        action={
          <Button variant="default" onClick={() => change({ q: '', ...noSubjects })}>
            Show everybody
          </Button>
        }
      />
    ) : (
      empty
    ),
})
export { load, Page as UserActivityPage }
