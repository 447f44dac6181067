import { Button } from '@mantine/core'
import { IconBuilding, IconMailPlus, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { listOrganizations, type Organization } from '#contract/organizations.ts'
import { explain } from '../api/errors.ts'
import { prefetch, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '../shell/page.ts'
import { useUser } from '../shell/useSession.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { formatNumber } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { Pager } from '../ui/Pager.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { OrganizationBulk } from './bulk/bars.tsx'
import { RemoveOrganization } from './RemoveOrganization.tsx'
import { RowActions } from './RowActions.tsx'
import { organizationStates } from './states.ts'
import { useRemoval } from './useRemoval.ts'

const create = (
  <Button
    component={Link}
    to={paths.organizationCreate()}
    data-create
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    Create organization
  </Button>
)
const superadminActions = (
  <>
    <Button
      variant="default"
      component={Link}
      to={paths.superadminInvitations()}
      leftSection={<IconMailPlus size={16} aria-hidden />}
    >
      Invite a superadmin
    </Button>
    {create}
  </>
)

function InvitePeople({ orgId }: { orgId: string }) {
  return (
    <Button
      component={Link}
      to={paths.organizationInvite(orgId)}
      leftSection={<IconMailPlus size={16} aria-hidden />}
    >
      Invite people
    </Button>
  )
}

const empty = (
  <EmptyState title="No organization yet" icon={<IconBuilding size={24} />} action={create}>
    An organization holds people, groups and videos. Create the first one to begin.
  </EmptyState>
)

export const search = z.object({
  q: z.catch(z.string(), ''),
  sort: z.catch(z.enum(['name', '-name', 'createdAt', '-createdAt']), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function load({ search: given }: LoadInput) {
  return prefetch(listOrganizations, { query: readSearch(search, given) })
}

const columns: readonly Column<Organization>[] = [
  {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, name }) => (
      <span className="ui-named">
        <Avatar name={name} size={24} />
        <Link to={paths.organizationDashboard(id)} title={name}>
          {name}
        </Link>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    width: '136px',
    cell: ({ state }) => (
      <StatusBadge tone={organizationStates[state].tone} title={organizationStates[state].means}>
        {organizationStates[state].word}
      </StatusBadge>
    ),
  },
  {
    key: 'users',
    header: 'Users',
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
  const { role, organizationId } = useUser()
  const isSuperadmin = role === 'superadmin'
  const [query, change] = usePageSearch(search)
  const { page, isStale, error, retry } = useList(listOrganizations, { query })
  const removal = useRemoval<Organization>()
  const { sort: _sort, offset: _offset, ...filter } = query
  const [selection, onSelect] = useSelection(filter)
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const nothingFound = (
    <EmptyState
      title={`No organization has “${query.q}” in its name`}
      action={
        <Button variant="default" onClick={() => change({ q: '' })}>
          Show all organizations
        </Button>
      }
    />
  )
  const actions = (organization: Organization) => (
    <RowActions
      name={organization.name}
      editPath={paths.organizationEdit(organization.id)}
      onRemove={(event) => removal.ask(organization, event)}
    />
  )
  return (
    <>
      <PageHead
        title="Organizations"
        lead={isSuperadmin ? 'Each has its own people, groups and videos.' : 'Your organization.'}
        actions={isSuperadmin ? superadminActions : organizationId && <InvitePeople orgId={organizationId} />}
      />
      {isSuperadmin && (
        <div className="ui-filters">
          <SearchField label="Search organizations" value={query.q} onSearch={(q) => change({ q })} />
          <div className="ui-filters-end">
            <TableView table="organizations" columns={columns} />
          </div>
        </div>
      )}
      <DataTable
        id="organizations"
        name="Organizations"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={query.sort}
        onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
        isStale={isStale}
        empty={query.q ? nothingFound : empty}
        {...(isSuperadmin ? { actions, selecting: { selection, onSelect, nameOf } } : {})}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <OrganizationBulk {...page} {...{ filter, selection, onSelect }} />
        </Suspense>
      )}
      <RemoveOrganization removal={removal} />
    </>
  )
}
