import { Button } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  exportUserActivity,
  listUserActivity,
  reportUserActivity,
  userActivitySorts,
  type UserActivity,
} from '#contract/reports.ts'
import { fetchFile } from '#web/api/client.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figures } from '#web/ui/Figure.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization, watched } from './columns.ts'
import { KeyFigure, Plot } from './Report.tsx'
import { ReportFrame } from './ReportFrame.tsx'
import { isNarrowed, noSubjects, reportFields, reportQuery, searchText, shareOf } from './report.ts'

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
  sort: z.catch(z.enum(userActivitySorts), '-lastSeenAt'),
})
type Search = z.output<typeof search>

function rowsQuery({ q, sort, ...state }: Search) {
  return { ...reportQuery(state), q, sort }
}
const listQuery = (state: Search) => ({ ...rowsQuery(state), offset: state.offset })

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
    header: 'Last seen',
    sort: 'lastSeenAt',
    width: '136px',
    dimmed: true,
    cell: ({ lastSeenAt }) => lastSeenAt && <RelativeTime iso={lastSeenAt} />,
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

type Shown = { ofAll: boolean; videoId: string | undefined }

function columnsFor({ ofAll, videoId }: Shown): readonly Column<UserActivity>[] {
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
  return [name, ...(ofAll ? [{ ...organization, width: '176px' }] : []), ...numbers, evidence]
}

export function UserActivityPage() {
  const { role } = useUser()
  const [state, change] = usePageSearch(search)
  const report = useList(reportUserActivity, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listUserActivity, { query: listQuery(state) })
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
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
  const ofAll = role === 'superadmin' && (report.page?.organization ?? null) === null
  return (
    <ReportFrame
      title="Account User Activity"
      lead="Who was there, and what became of the messages that they got."
      state={state}
      onChange={change}
      report={report.page}
      file={{
        name: 'account-user-activity',
        read: () => fetchFile(exportUserActivity, { query: rowsQuery(state) }),
      }}
      filters={<SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />}
      overview={report.page && <Overview report={report.page} />}
      meanings={['active', 'lastSeen', 'received', 'openedOfReceived', 'completedOfReceived', 'watched']}
    >
      <DataTable
        name="People and their activity"
        columns={columnsFor({ ofAll, videoId: report.page?.subjects.video?.id })}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
        isStale={isStale}
        empty={state.q || isNarrowed(state) ? nobody : empty}
      />
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </ReportFrame>
  )
}

function Overview({ report }: { report: Reply<typeof reportUserActivity> }) {
  const { people, active, received, opened, completed, watchedMs, forgotten, range, steps } = report
  const messages = plural(received.value, 'message')
  return (
    <>
      <Plot
        title="Active people"
        sum={active.value === 0 ? 'nobody was active' : `${plural(active.value, 'person', 'people')} in all`}
        range={range}
        steps={steps}
      />
      <Figures>
        <KeyFigure
          name="active"
          figure={active}
          hint={shareOf(active.value, people, plural(people, 'person', 'people'))}
        />
        <KeyFigure
          name="openedOfReceived"
          figure={opened}
          hint={shareOf(opened.value, received.value, messages) ?? 'Nothing was sent'}
        />
        <KeyFigure
          name="completedOfReceived"
          figure={completed}
          hint={shareOf(completed.value, received.value, messages) ?? 'Nothing was sent'}
        />
        <KeyFigure name="watched" as="time" figure={watchedMs} hint="Repeats counted" />
      </Figures>
      {forgotten > 0 && (
        <p className="report-note">
          {plural(forgotten, 'viewing')} of the period {forgotten === 1 ? 'is' : 'are'} older than names are
          kept: nobody knows any more who it was, so {forgotten === 1 ? 'it counts' : 'they count'} in the
          time watched, and nobody counts as active because of {forgotten === 1 ? 'it' : 'them'}.
        </p>
      )}
    </>
  )
}
