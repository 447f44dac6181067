import { Button } from '@mantine/core'
import { IconBolt, IconHistory, IconUserQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { actionWord } from '#contract/platform/audit-actions.ts'
import {
  accountActivitySorts,
  exportAccountActivity,
  listAccountActivity,
  reportAccountActivity,
  type AccountActivity,
} from '#contract/reports/reports.ts'
import { accountActivityOverview, auditNote } from '#contract/reports/report-overviews.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { product } from '#web/ui/product.ts'
import { DateTime } from '#web/ui/Time.tsx'
import { addressOf } from './addresses.ts'
import { organization } from './columns.ts'
import { Nothing } from './Nothing.tsx'
import { isNarrowed, longer, noSubjects, reportFields, searchText } from './report.ts'
import { reportPage } from './reportPage.tsx'
import { useStories } from './stories.tsx'
import { whole, wholeStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

const search = z.object({
  ...reportFields,
  q: searchText,
  action: z.catch(z.string().check(z.maxLength(100)), ''),
  sort: z.catch(z.enum(accountActivitySorts), '-at'),
})
/** Who is not named has either not signed in, or is not a person at all. */
function ActorCell({ actor, action }: AccountActivity) {
  if (!actor) {
    const isPerson = action.endsWith('_failed')
    const Shown = isPerson ? IconUserQuestion : IconBolt
    return (
      <span className={shapes.named}>
        <span className={`${shapes.disc} ${shapes.blank}`}>
          <Shown size={16} aria-hidden />
        </span>
        <span {...wholeStop}>{isPerson ? 'Somebody not signed in' : product.name}</span>
      </span>
    )
  }
  const name = actor.name ?? 'A superadmin'
  return (
    <span className={shapes.named}>
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
  { key: 'actor', header: 'Who', width: '192px', phone: 'line', cell: ActorCell },
  {
    key: 'entity',
    header: 'To what',
    phone: 'line',
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
    width: '176px',
    dimmed: true,
    phone: 'end',
    cell: ({ at }) => <DateTime iso={at} />,
  },
]
const withOrganization = [...columns.slice(0, -1), organization, ...columns.slice(-1)]

type Report = Reply<typeof reportAccountActivity>

/** What occurred in the period; the chosen one stays in the list where it did not. */
function choices(kinds: Report['kinds'], chosen: string) {
  const found = kinds.map(({ action, count }) => [action, actionWord(action), count] as const)
  const isMissing = chosen !== '' && !kinds.some(({ action }) => action === chosen)
  return isMissing ? [[chosen, actionWord(chosen)] as const, ...found] : found
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
  note: <p className={shapes.hint}>{auditNote}</p>,
  title: 'What was done',
  columns: ({ isSuperadmin }) => (isSuperadmin ? withOrganization : columns),
  rowKey: ({ id }) => id,
  useFold: useStories,
  searchField: ({ state, change }) => ({
    label: 'Search by who did it',
    value: state.q,
    onSearch: (q) => change({ q }),
  }),
  filters: ({ report, state, change }) => [
    choice({
      label: 'Action',
      none: 'All actions',
      options: choices(report?.kinds ?? [], state.action),
      value: state.action,
      onChange: (action) => change({ action: action ?? '' }),
    }),
  ],
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
