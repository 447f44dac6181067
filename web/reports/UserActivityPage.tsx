import { Button } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  listUserActivity,
  reportUserActivity,
  userActivitySorts,
  type UserActivity,
} from '#contract/reports.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { formatNumber, formatWatched, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { organization, watched } from './columns.ts'
import { Filters } from './Filters.tsx'
import { Meanings, Plot } from './Report.tsx'
import { reportFields, reportQuery, searchText, shareOf } from './report.ts'

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

function listQuery({ q, sort, offset, ...state }: Search) {
  return { ...reportQuery(state), q, sort, offset }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportUserActivity, { query: reportQuery(state) }),
    prefetch(listUserActivity, { query: listQuery(state) }),
  ])
}

const meanings = [
  {
    label: 'Last seen',
    value: 'The last visit to the console or to a video, whichever came later, also before the period.',
  },
  {
    label: 'Active',
    value:
      'A person who opened a video, signed in to the console or changed something there on that day. Over the period each person counts once.',
  },
  {
    label: 'Received',
    value:
      'Messages of the period that the mail server took. A message belongs to the day of its transmission.',
  },
  {
    label: 'Opened',
    value: 'Of these messages, those whose video page was opened by the personal link, until now.',
  },
  {
    label: 'Completed',
    value:
      'Of these messages, those whose video was covered up to the threshold of the organization (95% unless it chose another). It never falls back.',
  },
  {
    label: 'Watched',
    value: 'Media time played in the period, repeats counted. A sitting counts on the day on which it began.',
  },
]

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
  watched,
]

function columnsFor(mayOpen: boolean, ofAll: boolean): readonly Column<UserActivity>[] {
  const name: Column<UserActivity> = {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: (person) => (
      <span className="ui-named">
        <Avatar name={person.name} size={24} />
        {mayOpen ? (
          <Link to={paths.userEdit(person.organizationId, person.id)} title={person.email}>
            {person.name}
          </Link>
        ) : (
          <span title={person.email}>{person.name}</span>
        )}
      </span>
    ),
  }
  return [name, ...(ofAll ? [{ ...organization, width: '176px' }] : []), ...numbers]
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
        <Button variant="default" onClick={() => change({ q: '' })}>
          Show everybody
        </Button>
      }
    />
  )
  return (
    <>
      <PageHead
        title="Account User Activity"
        lead="Who was there, and what became of the messages that they got."
      />
      <Filters state={state} onChange={change} organizationName={report.page?.organization?.name}>
        <SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />
      </Filters>
      <div className="report">
        {report.page && <Overview report={report.page} period={state.period} />}
        <Meanings meanings={meanings} />
        <DataTable
          name="People and their activity"
          columns={columnsFor(role !== 'groupadmin', role === 'superadmin' && state.organization === '')}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={state.q ? nobody : empty}
        />
      </div>
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

type OverviewProps = { report: Reply<typeof reportUserActivity>; period: Search['period'] }

function Overview({ report, period }: OverviewProps) {
  const { people, active, received, opened, completed, watchedMs } = report
  const steps = report.steps.map((step) => ({
    day: step.day,
    value: step.active,
    text: plural(step.active, 'person', 'people'),
  }))
  return (
    <>
      <Plot
        title="Active people"
        sum={active === 0 ? 'nobody was active' : `${plural(active, 'person', 'people')} in all`}
        period={period}
        steps={steps}
      />
      <Figures>
        <Figure
          label="Active people"
          value={formatNumber(active)}
          hint={shareOf(active, people, plural(people, 'person', 'people'))}
        />
        <Figure
          label="Opened"
          value={formatNumber(opened)}
          hint={shareOf(opened, received, plural(received, 'message')) ?? 'Nothing was sent'}
        />
        <Figure
          label="Completed"
          value={formatNumber(completed)}
          hint={shareOf(completed, received, plural(received, 'message')) ?? 'Nothing was sent'}
        />
        <Figure label="Time watched" value={formatWatched(watchedMs)} hint="Repeats counted" />
      </Figures>
    </>
  )
}
