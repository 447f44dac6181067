import { Button } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { listGroups, type Group } from '#contract/groups.ts'
import { explain } from '../api/errors.ts'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch } from '../shell/page.ts'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { formatNumber } from '../ui/format.ts'
import { Pager } from '../ui/Pager.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { GroupBulk } from './bulk/bars.tsx'
import { RemoveGroup } from './RemoveGroup.tsx'
import { RowActions } from './RowActions.tsx'
import { useRemoval } from './useRemoval.ts'

export const groupSearch = z.object({
  q: z.catch(z.string(), ''),
  sort: z.catch(z.enum(['name', '-name', 'createdAt', '-createdAt']), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function groupQuery({ q, sort, offset }: z.output<typeof groupSearch>) {
  return { q, sort, offset }
}

const columns: readonly Column<Group>[] = [
  {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, organizationId, name }) => (
      <Link to={paths.groupEdit(organizationId, id)} title={name}>
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    header: 'Description',
    dimmed: true,
    from: 'md',
    cell: ({ description }) => description,
  },
  {
    key: 'members',
    header: 'Members',
    align: 'end',
    width: '112px',
    cell: ({ id, organizationId, memberCount }) =>
      memberCount === 0 ? (
        '0'
      ) : (
        <Link
          to={paths.organizationDashboard(organizationId)}
          search={{ group: id }}
          title="Show the members"
        >
          {formatNumber(memberCount)}
        </Link>
      ),
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

/** The groups of an organization, as far as the reader administers them. */
export function GroupList({ orgId }: { orgId: string }) {
  const [state, change] = usePageSearch(groupSearch)
  const { page, isStale, error, retry } = useList(listGroups, { params: { orgId }, query: groupQuery(state) })
  const removal = useRemoval<Group>()
  const { sort: _sort, offset: _offset, ...filter } = groupQuery(state)
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const nothingFound = (
    <EmptyState
      title={`No group has “${state.q}” in its name`}
      action={
        <Button variant="default" onClick={() => change({ q: '' })}>
          Show all groups
        </Button>
      }
    />
  )
  const actions = (group: Group) => (
    <RowActions
      name={group.name}
      editPath={paths.groupEdit(orgId, group.id)}
      onRemove={(event) => removal.ask(group, event)}
    />
  )
  return (
    <section aria-label="Groups">
      <div className="ui-filters">
        <SearchField label="Search groups" value={state.q} onSearch={(q) => change({ q })} />
        <div className="ui-filters-end">
          <TableView table="groups" columns={columns} />
        </div>
      </div>
      <DataTable
        id="groups"
        name="Groups"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(groupSearch, { sort }).sort })}
        isStale={isStale}
        empty={state.q ? nothingFound : <NoGroup orgId={orgId} />}
        actions={actions}
        selecting={{ selection, onSelect, nameOf: ({ name }) => name }}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <GroupBulk {...page} {...{ orgId, filter, selection, onSelect }} />
        </Suspense>
      )}
      <RemoveGroup removal={removal} />
    </section>
  )
}

function NoGroup({ orgId }: { orgId: string }) {
  return (
    <EmptyState
      title="No group yet"
      icon={<IconUsersGroup size={24} />}
      action={
        <Button
          component={Link}
          to={paths.groupCreate(orgId)}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          Create group
        </Button>
      }
    >
      Groups let you send to a team or a class at once, and let somebody look after it.
    </EmptyState>
  )
}
