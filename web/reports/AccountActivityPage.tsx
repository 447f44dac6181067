import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { actionWord } from '#contract/audit-actions.ts'
import {
  accountActivitySorts,
  exportAccountActivity,
  listAccountActivity,
  reportAccountActivity,
  type AccountActivity,
} from '#contract/reports.ts'
import { accountActivityOverview, auditNote } from '#contract/report-overviews.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import type { Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { product } from '#web/ui/product.ts'
import { SearchField } from '#web/ui/SearchField.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { addressOf } from './addresses.ts'
import { organization } from './columns.ts'
import { Choice } from './Filters.tsx'
import { Nothing } from './Nothing.tsx'
import { isNarrowed, longer, noSubjects, reportFields, searchText } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { whole, wholeStop } from '#web/ui/tips.ts'

const search = z.object({
  ...reportFields,
  q: searchText,
  action: z.catch(z.string().check(z.maxLength(100)), ''),
  sort: z.catch(z.enum(accountActivitySorts), '-at'),
})
/** Who is not named has either not signed in, or is not a person at all. */
function ActorCell({ actor, action }: AccountActivity) {
  if (!actor) return action.endsWith('_failed') ? 'Somebody not signed in' : product.name
  const name = actor.name ?? 'A superadmin'
  return (
    <span className="ui-named">
      <Avatar name={name} size={24} />
      {actor.organizationId ? (
        <Link to={paths.person(actor.organizationId, actor.id)} {...whole}>
          {name}
        </Link>
      ) : (
        <span {...wholeStop}>{name}</span>
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
        <Link to={address} {...whole}>
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

const { load, Page } = reportPage({
  name: 'account-activity',
  search,
  report: reportAccountActivity,
  list: listAccountActivity,
  file: exportAccountActivity,
  overview: accountActivityOverview,
  note: <p className="ui-hint">{auditNote}</p>,
  title: 'What was done',
  columns: ({ isSuperadmin }) => (isSuperadmin ? withOrganization : columns),
  rowKey: ({ id }) => id,
  filters: ({ report, state, change }) => (
    <>
      <Choice
        label="Action"
        value={state.action}
        onChoose={(action) => change({ action })}
        options={choices(report?.kinds ?? [], state.action)}
      />
      <SearchField label="Search by who did it" value={state.q} onSearch={(q) => change({ q })} />
    </>
  ),
  empty: ({ state, change }) => {
    const further = longer(state)
    if (state.q !== '' || state.action !== '' || isNarrowed(state))
      return <NothingFound onAll={() => change({ q: '', action: '', ...noSubjects })} />
    return (
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
  },
})
export { load, Page as AccountActivityPage }
