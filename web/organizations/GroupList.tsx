import { BegunHere } from '#web/shell/operations/Operations.tsx'
import { Button } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { attentionOf } from '#contract/attention.ts'
import { groupKinds, groupSorts, listGroups, type Group } from '#contract/groups.ts'
import { explain } from '../api/errors.ts'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { listParts, pageQuery, useListLook } from '../shell/list/search.ts'
import { Similar } from '../shell/list/Similar.tsx'
import { ViewsMenu } from '../shell/list/ViewsMenu.tsx'
import { readSearch, usePageSearch } from '../shell/page.ts'
import { toSide, useEditKey, useSide } from '../shell/side.ts'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { formatNumber } from '../ui/format.ts'
import { NativeChoice } from '../ui/NativeChoice.tsx'
import { OnlyThese } from '../ui/OnlyThese.tsx'
import { Pager } from '../ui/Pager.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { onlyWords } from '../words/only.ts'
import { GroupBulk } from './bulk/bars.tsx'
import { RemoveGroup } from './RemoveGroup.tsx'
import { RowActions } from './RowActions.tsx'
import { GroupSide } from './side.ts'
import { useRemoval } from './useRemoval.ts'

export const groupSearch = z.object({
  ...listParts,
  sort: z.catch(z.enum(groupSorts), 'name'),
  kind: z.catch(z.optional(z.enum(groupKinds)), undefined),
  groupadmins: z.catch(z.optional(z.enum(['none', 'some'])), undefined),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(attentionOf.groups)), undefined),
})
type Search = z.output<typeof groupSearch>

export function groupQuery(search: Search) {
  const { q, sort, kind, groupadmins, attention } = search
  return { q, sort, kind, groupadmins, attention, ...pageQuery(search) }
}

const kindOptions = [
  { value: '', label: 'All kinds' },
  { value: 'static', label: 'Filled by hand' },
  { value: 'rule', label: 'Filled by a rule' },
]
const administeredOptions = [
  { value: '', label: 'Administered or not' },
  { value: 'some', label: 'With a group administrator' },
  { value: 'none', label: 'Without a group administrator' },
]
const allGroups = { q: '', kind: undefined, groupadmins: undefined, attention: undefined } as const

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
    sort: 'members',
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
  const { look, view, pager } = useListLook('groups', columns, [state, change])
  const removal = useRemoval<Group>()
  const side = useSide()
  useEditKey()
  const { q, kind, groupadmins, attention } = state
  const filter = { q, kind, groupadmins, attention }
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const isFiltered = Object.values(filter).some(Boolean)
  const nothingFound = (
    <EmptyState
      title={state.q ? `No group has “${state.q}” in its name` : 'No group matches'}
      action={
        <Button variant="default" onClick={() => change(allGroups)}>
          Show all groups
        </Button>
      }
    />
  )
  const actions = (group: Group) => (
    <RowActions name={group.name} edits={group.id} onRemove={(event) => removal.ask(group, event)} />
  )
  return (
    <section aria-label="Groups">
      <FilterBar>
        <SearchField label="Search groups" value={state.q} onSearch={(q) => change({ q })} />
        <NativeChoice
          className="org-filter"
          aria-label="Kind"
          data={kindOptions}
          value={state.kind ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ kind: readSearch(groupSearch, { kind: value }).kind })
          }
        />
        <NativeChoice
          className="org-filter"
          aria-label="Group administrators"
          data={administeredOptions}
          value={state.groupadmins ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ groupadmins: readSearch(groupSearch, { groupadmins: value }).groupadmins })
          }
        />
        {isFiltered && (
          <Button variant="subtle" onClick={() => change(allGroups)}>
            Clear all
          </Button>
        )}
        <div className="ui-filters-end">
          <ViewsMenu list="groups" orgId={orgId} drawn={view} />
          <TableView {...view} />
        </div>
      </FilterBar>
      {attention && <OnlyThese says={onlyWords[attention]} onAll={() => change({ attention: undefined })} />}
      <Similar approximate={page?.approximate} q={state.q} />
      <DataTable
        look={look}
        name="Groups"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={page?.approximate ? '' : state.sort}
        onSort={(sort) => change({ sort: readSearch(groupSearch, { sort }).sort })}
        isStale={isStale}
        empty={isFiltered ? nothingFound : <NoGroup />}
        actions={actions}
        selecting={{ selection, onSelect, nameOf: ({ name }) => name }}
      />
      {page && <Pager {...page} {...pager} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <GroupBulk
            {...page}
            {...{ orgId, filter, selection, onSelect }}
            total={page.approximate ? 0 : page.total}
          />
        </Suspense>
      )}
      <BegunHere />
      <RemoveGroup removal={removal} />
      {side.form && (
        <Suspense>
          <GroupSide orgId={orgId} form={side.form} onClose={side.close} />
        </Suspense>
      )}
    </section>
  )
}

function NoGroup() {
  return (
    <EmptyState
      title="No group yet"
      icon={<IconUsersGroup size={24} />}
      action={
        <Button
          renderRoot={(props) => <Link {...props} {...toSide('new')} />}
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
