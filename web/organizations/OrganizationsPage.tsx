import { Button } from '@mantine/core'
import { IconBuilding, IconMailPlus, IconPlus } from '@tabler/icons-react'
import { Link, redirect } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import {
  listOrganizations,
  organizationSorts,
  organizationStates as states,
  type Organization,
  deleteOrganization,
  readDashboard,
} from '#contract/directory/organizations.ts'
import { prefetch, soon, useList, useChange } from '../api/query.ts'
import { session } from '../api/session.ts'
import { paths } from '../paths.ts'
import { listParts, pageQuery } from '../lists/search.ts'
import { readSearch, usePageSearch, type LoadInput } from '../layout/page.ts'
import { sideOf, toSide, useEditKey, useSide } from '../layout/side.ts'
import { useUser } from '../session/useSession.ts'
import { OrganizationMark } from '../ui/Avatar.tsx'
import type { Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import { RowActions } from './RowActions.tsx'
import { organizationStates } from './states.ts'
import { useRemoval } from '#web/lists/useRemoval.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { RecordList } from '#web/lists/RecordList.tsx'
import { dialogOnDemand, onDemand } from '../ui/browser/onDemand.tsx'
import { all } from '#web/lists/uniform.ts'
import { whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'

const create = (
  <Button
    renderRoot={(props) => <Link {...props} {...toSide('new')} />}
    data-create
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    Add an organization
  </Button>
)
const inviteSuperadmin = (
  <Button
    variant="default"
    component={Link}
    to={paths.superadminInvitations()}
    leftSection={<IconMailPlus size={16} aria-hidden />}
  >
    Invite a superadmin
  </Button>
)

const empty = (
  <EmptyState title="No organization yet" icon={<IconBuilding size={24} />} action={create}>
    An organization holds people, groups and videos. Add the first one to begin.
  </EmptyState>
)

export const search = z.object({
  ...listParts,
  sort: z.catch(z.enum(organizationSorts), 'name'),
  state: z.catch(z.optional(z.enum(states)), undefined),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(alertsOf.organizations)), undefined),
})

function queryFrom(given: z.output<typeof search>) {
  const { q, sort, state, attention } = given
  return { q, sort, state, attention, ...pageQuery(given) }
}

/** Fetched while the pointer is on its way to a form. */
const fetchOrganizationSide = () => import('./forms/OrganizationSide.tsx')
const OrganizationBulk = onDemand(async () => (await import('./bulk/OrganizationBulk.tsx')).OrganizationBulk)
const OrganizationSide = dialogOnDemand(async () => (await fetchOrganizationSide()).OrganizationSide)

/** Whoever belongs to one organization comes to it, and to no list with one row. */
export function load({ search: given }: LoadInput) {
  const own = session.read().user?.organizationId
  if (own) throw redirect({ to: paths.organizationDashboard(own), replace: true })
  if (sideOf(given)) void fetchOrganizationSide().catch(() => undefined)
  return soon([prefetch(listOrganizations, { query: queryFrom(readSearch(search, given)) })])
}

const stateOptions = states.map((value) => [value, organizationStates[value].word] as const)
const allOrganizations = { q: '', state: undefined, attention: undefined } as const

const columns: readonly Column<Organization>[] = [
  {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, name, logo }) => (
      <span className={shapes.named}>
        <OrganizationMark name={name} picture={logo} />
        <Link to={paths.organizationDashboard(id)} {...whole}>
          {name}
        </Link>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'end',
    width: '136px',
    uniformWord: ({ state }) => all(organizationStates[state].word),
    cell: ({ state }) => (
      <StatusBadge tone={organizationStates[state].tone} title={organizationStates[state].means}>
        {organizationStates[state].word}
      </StatusBadge>
    ),
  },
  {
    key: 'users',
    header: 'People',
    phone: 'line',
    sort: 'users',
    align: 'end',
    width: '96px',
    cell: (organization) => formatNumber(organization.userCount),
  },
  {
    key: 'groups',
    header: 'Groups',
    align: 'end',
    width: '96px',
    from: 'md',
    cell: (organization) => formatNumber(organization.groupCount),
  },
  {
    key: 'videos',
    header: 'Videos',
    align: 'end',
    width: '96px',
    from: 'md',
    cell: (organization) => formatNumber(organization.videoCount),
  },
  {
    key: 'created',
    header: 'Created',
    sort: 'createdAt',
    width: '144px',
    dimmed: true,
    from: 'lg',
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]

const nameOf = ({ name }: Organization) => name

export function OrganizationsPage() {
  const { role } = useUser()
  const isSuperadmin = role === 'superadmin'
  const [state, change] = usePageSearch(search)
  const found = useList(listOrganizations, { query: queryFrom(state) })
  const removal = useRemoval<Organization>()
  const side = useSide()
  useEditKey(isSuperadmin)
  const filter = { q: state.q, state: state.state, attention: state.attention }
  const isNarrowed = Object.values(filter).some(Boolean)
  const filters = [
    choice({
      label: 'State',
      none: 'All states',
      options: stateOptions,
      value: state.state,
      onChange: (value) => change({ state: value }),
    }),
  ]
  const actions = (organization: Organization) => (
    <RowActions
      name={organization.name}
      edits={organization.id}
      onRemove={(button) => removal.ask(organization, { currentTarget: button })}
    />
  )
  return (
    <>
      <PageHead
        title="Organizations"
        more={isSuperadmin && inviteSuperadmin}
        actions={isSuperadmin && create}
      />
      <RecordList
        list="organizations"
        name="Organizations"
        counted={(total) => plural(total, 'organization')}
        {...{ columns, state, change, found, filter, empty }}
        narrowed={
          isNarrowed
            ? {
                all: allOrganizations,
                nothing: state.q ? `No organization has “${state.q}” in its name` : 'No organization matches',
                showAll: 'Show all organizations',
              }
            : null
        }
        search="Search organizations"
        filters={isSuperadmin ? filters : null}
        {...(isSuperadmin && {
          actions,
          bulk: { nameOf, renderBar: (chosen) => <OrganizationBulk {...chosen} filter={filter} /> },
        })}
      />
      <RemoveOrganization removal={removal} />
      {side.form && isSuperadmin && (
        <Suspense>
          <OrganizationSide form={side.form} onClose={side.close} />
        </Suspense>
      )}
    </>
  )
}

type Props = { removal: ReturnType<typeof useRemoval<Organization>> }

function RemoveOrganization({ removal }: Props) {
  const remove = useChange(deleteOrganization, [listOrganizations, readDashboard])
  const { row } = removal
  if (!row) return null
  const inside = [
    plural(row.userCount, 'person', 'people'),
    plural(row.groupCount, 'group'),
    plural(row.videoCount, 'video'),
  ].join(', ')
  const confirm = () =>
    removal.run(() => remove.mutateAsync({ params: { orgId: row.id } }), `${row.name} was removed.`)
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${row.name}?`}
      confirmLabel="Remove organization"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>
        It disappears with {inside}. Nobody of it can sign in any more, and everybody who is signed in now is
        signed out.
      </p>
      <p>
        Evidence of viewing and the record of who changed what are kept. Can be undone for 30 days; people
        then sign in again as before.
      </p>
    </ConfirmDialog>
  )
}
