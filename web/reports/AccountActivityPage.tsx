import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { actionWord } from '#contract/report-actions.ts'
import {
  accountActivitySorts,
  exportAccountActivity,
  listAccountActivity,
  reportAccountActivity,
  type AccountActivity,
} from '#contract/reports.ts'
import { accountActivityOverview, auditNote } from '#contract/report-overviews.ts'
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
import { product } from '#web/ui/product.ts'
import { SearchField } from '#web/ui/SearchField.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { addressOf } from './addresses.ts'
import { organization } from './columns.ts'
import { Choice } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { Overview } from './Report.tsx'
import { ReportFrame } from './ReportFrame.tsx'
import { Rows, useReportTable } from './table.tsx'
import { isNarrowed, longer, noSubjects, pageOf, reportFields, reportQuery, searchText } from './report.ts'

const search = z.object({
  ...reportFields,
  q: searchText,
  action: z.catch(z.string().check(z.maxLength(100)), ''),
  sort: z.catch(z.enum(accountActivitySorts), '-at'),
})
type Search = z.output<typeof search>

function rowsQuery({ q, action, sort, ...state }: Search) {
  return { ...reportQuery(state), ...(action ? { action } : {}), q, sort }
}
const listQuery = (state: Search) => ({ ...rowsQuery(state), ...pageOf(state) })

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportAccountActivity, { query: reportQuery(state) }),
    prefetch(listAccountActivity, { query: listQuery(state) }),
  ])
}

/** Who is not named has either not signed in, or is not a person at all. */
function ActorCell({ actor, action }: AccountActivity) {
  if (!actor) return action.endsWith('_failed') ? 'Somebody not signed in' : product.name
  const name = actor.name ?? 'A superadmin'
  return (
    <span className="ui-named">
      <Avatar name={name} size={24} />
      {actor.organizationId ? (
        <Link to={paths.person(actor.organizationId, actor.id)} title={name}>
          {name}
        </Link>
      ) : (
        <span title={name}>{name}</span>
      )}
    </span>
  )
}

const columns: readonly Column<AccountActivity>[] = [
  {
    key: 'action',
    header: 'Action',
    sort: 'action',
    isName: true,
    cell: ({ action }) => actionWord(action),
  },
  { key: 'actor', header: 'Who', width: '240px', cell: ActorCell },
  {
    key: 'entity',
    header: 'To what',
    cell: (entry) => {
      // Who signs in does it to nobody but themselves.
      if (entry.entityId === entry.actor?.id) return null
      const address = addressOf(entry)
      return address && entry.entityName ? (
        <Link to={address} title={entry.entityName}>
          {entry.entityName}
        </Link>
      ) : (
        entry.entityName
      )
    },
  },
  {
    key: 'at',
    header: 'When',
    sort: 'at',
    width: '192px',
    dimmed: true,
    cell: ({ at }) => <DateTime iso={at} />,
  },
]
const withOrganization = [...columns.slice(0, -1), organization, ...columns.slice(-1)]

const reads = [reportAccountActivity, listAccountActivity]

export function AccountActivityPage() {
  const isSuperadmin = useUser().role === 'superadmin'
  const [state, change] = usePageSearch(search)
  const report = useList(reportAccountActivity, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listAccountActivity, { query: listQuery(state) })
  const ofAll = isSuperadmin && (report.page?.organization ?? null) === null
  const { table, view, drawn, pager } = useReportTable(
    { name: 'account-activity', columns: isSuperadmin ? withOrganization : columns, ofAll },
    [state, change],
  )
  const further = longer(state)
  const isFiltered = state.q !== '' || state.action !== '' || isNarrowed(state)
  return (
    <ReportFrame
      name="account-activity"
      state={state}
      onChange={change}
      report={report.page}
      failure={report.error ?? error}
      onRetry={report.error ? report.retry : retry}
      reads={reads}
      drawn={drawn}
      read={(format) => fetchFile(exportAccountActivity, { query: { ...rowsQuery(state), format } })}
      filters={
        <>
          <Choice
            label="Action"
            value={state.action}
            onChoose={(action) => change({ action })}
            options={choices(report.page?.kinds ?? [], state.action)}
          />
          <SearchField label="Search by who did it" value={state.q} onSearch={(q) => change({ q })} />
        </>
      }
      overview={report.page && <Overview words={accountActivityOverview(report.page)} report={report.page} />}
      note={<p className="report-note">{auditNote}</p>}
    >
      <Rows title="What was done" view={view}>
        <DataTable
          {...table}
          name="What was done"
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={
            isFiltered ? (
              <NothingFound onAll={() => change({ q: '', action: '', ...noSubjects })} />
            ) : (
              <Nothing
                title="Nothing was done in this period"
                icon={<IconHistory size={24} />}
                onLonger={further && (() => change(further))}
                next={
                  <Button component={Link} to={paths.organizations()}>
                    Go to organizations
                  </Button>
                }
              >
                Sign-ins and changes to people, content and transmissions are listed here as they happen.
              </Nothing>
            )
          }
        />
        {page && <Pager {...page} {...pager} />}
      </Rows>
    </ReportFrame>
  )
}

type Report = Reply<typeof reportAccountActivity>

/** What occurred in the period; the chosen one stays in the list where it did not. */
function choices(kinds: Report['kinds'], chosen: string) {
  const found = kinds.map(({ action, count }) => ({
    value: action,
    label: `${actionWord(action)} (${formatNumber(count)})`,
  }))
  const missing = chosen !== '' && !kinds.some(({ action }) => action === chosen)
  const kept = missing ? [{ value: chosen, label: actionWord(chosen) }] : []
  return [{ value: '', label: 'All actions' }, ...kept, ...found]
}

function NothingFound({ onAll }: { onAll: () => void }) {
  return (
    <EmptyState
      title="No action matches"
      action={
        <Button variant="default" onClick={onAll}>
          Show all actions
        </Button>
      }
    />
  )
}
