import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  accountActivitySorts,
  listAccountActivity,
  reportAccountActivity,
  type AccountActivity,
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
import { formatNumber, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { product } from '#web/ui/product.ts'
import { SearchField } from '#web/ui/SearchField.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { actionWord, addressOf } from './actions.ts'
import { organization } from './columns.ts'
import { Choice, Filters } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { Meanings, Plot } from './Report.tsx'
import { reportFields, reportQuery, searchText } from './report.ts'

const search = z.object({
  ...reportFields,
  q: searchText,
  action: z.catch(z.string().check(z.maxLength(100)), ''),
  sort: z.catch(z.enum(accountActivitySorts), '-at'),
})
type Search = z.output<typeof search>

function listQuery({ q, action, sort, offset, ...state }: Search) {
  return { ...reportQuery(state), ...(action ? { action } : {}), q, sort, offset }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  return Promise.all([
    prefetch(reportAccountActivity, { query: reportQuery(state) }),
    prefetch(listAccountActivity, { query: listQuery(state) }),
  ])
}

const meanings = [
  {
    label: 'Action',
    value:
      'An entry of the audit log: every sign-in and every change in the account, written together with the change itself. Looking at something is not an action.',
  },
  {
    label: 'People',
    value: 'Different people who did something. What the product did by itself counts for nobody.',
  },
  { label: 'Sign-ins', value: 'Sessions that were opened in the console by somebody of the account.' },
  {
    label: 'Failed sign-ins',
    value: 'Tries with a wrong password for an address of the account. Who tried is not known.',
  },
]

/** Who is not named has either not signed in, or is not a person at all. */
function ActorCell({ actor, action }: AccountActivity) {
  if (!actor) return action.endsWith('_failed') ? 'Somebody not signed in' : product.name
  const name = actor.name ?? 'A superadmin'
  return (
    <span className="ui-named">
      <Avatar name={name} size={24} />
      {actor.organizationId ? (
        <Link to={paths.userEdit(actor.organizationId, actor.id)} title={name}>
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
const ofAll = [...columns.slice(0, -1), organization, ...columns.slice(-1)]

export function AccountActivityPage() {
  const isSuperadmin = useUser().role === 'superadmin'
  const [state, change] = usePageSearch(search)
  const report = useList(reportAccountActivity, { query: reportQuery(state) })
  const { page, isStale, error, retry } = useList(listAccountActivity, { query: listQuery(state) })
  const failure = report.error ?? error
  if (failure) return <ErrorState {...explain(failure)} onRetry={report.error ? report.retry : retry} />
  const isFiltered = state.q !== '' || state.action !== ''
  return (
    <>
      <PageHead title="Account Activity" lead="Who did what, when, and to what." />
      <Filters state={state} onChange={change} organizationName={report.page?.organization?.name}>
        <Choice
          label="Action"
          value={state.action}
          onChoose={(action) => change({ action })}
          options={choices(report.page?.kinds ?? [], state.action)}
        />
        <SearchField label="Search by who did it" value={state.q} onSearch={(q) => change({ q })} />
      </Filters>
      <div className="report">
        {report.page && <Overview report={report.page} period={state.period} />}
        <Meanings meanings={meanings} />
        <DataTable
          name="What was done"
          columns={isSuperadmin && state.organization === '' ? ofAll : columns}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={
            isFiltered ? (
              <NothingFound onAll={() => change({ q: '', action: '' })} />
            ) : (
              <Nothing
                title="Nothing was done in this period"
                icon={<IconHistory size={24} />}
                onLonger={state.period === '12m' ? undefined : () => change({ period: '12m' })}
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
      </div>
      {page && <Pager {...page} offset={state.offset} onOffset={(offset) => change({ offset })} />}
    </>
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

function Overview({ report, period }: { report: Report; period: Search['period'] }) {
  const { actions, people, signIns, failedSignIns, kinds } = report
  const steps = report.steps.map((step) => ({
    day: step.day,
    value: step.actions,
    text: plural(step.actions, 'action'),
  }))
  return (
    <>
      <Plot
        title="Actions"
        sum={actions === 0 ? 'nothing was done' : plural(actions, 'action')}
        period={period}
        steps={steps}
      />
      <Figures>
        <Figure label="Actions" value={formatNumber(actions)} hint={plural(kinds.length, 'kind')} />
        <Figure label="People" value={formatNumber(people)} hint="who did something" />
        <Figure label="Sign-ins" value={formatNumber(signIns)} hint="to the console" />
        <Figure label="Failed sign-ins" value={formatNumber(failedSignIns)} hint="with a wrong password" />
      </Figures>
    </>
  )
}
