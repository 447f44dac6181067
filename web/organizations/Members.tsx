import { ActionIcon } from '@mantine/core'
import { IconUserMinus, IconUsers } from '@tabler/icons-react'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { removeGroupUser, type Group } from '#contract/groups.ts'
import { listUsers, type User } from '#contract/users.ts'
import { explain } from '../api/errors.ts'
import { useChange, useList } from '../api/query.ts'
import { readSearch, usePageSearch } from '../shell/page.ts'
import { useUser } from '../shell/useSession.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { formatNumber } from '../ui/format.ts'
import { Pager } from '../ui/Pager.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { UserBulk } from './bulk/bars.tsx'
import { emailColumn, nameColumn, stateColumn } from './columns.tsx'
import './organizations.css'
import { UserPicker } from './UserPicker.tsx'
import { userEndpoints } from './RemoveUser.tsx'
import { useRemoval } from './useRemoval.ts'

export const memberSearch = z.object({
  q: z.catch(z.string(), ''),
  sort: z.catch(z.enum(['name', '-name', 'email', '-email']), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function memberQuery(groupId: string, { q, sort, offset }: z.output<typeof memberSearch>) {
  return { groupId, q, sort, offset }
}

const empty = (
  <EmptyState title="Nobody is in this group yet" icon={<IconUsers size={24} />}>
    Look for users above and add them.
  </EmptyState>
)

function columnsOf(orgId: string, groupId: string): readonly Column<User>[] {
  const part: Column<User> = {
    key: 'part',
    header: 'In this group',
    width: '152px',
    cell: ({ groups }) =>
      groups.some((group) => group.id === groupId && group.groupadmin) ? (
        <StatusBadge tone="info">Administers it</StatusBadge>
      ) : (
        'Member'
      ),
  }
  return [nameColumn(orgId), emailColumn, part, stateColumn]
}

/** Who is in a group; adding and removing takes effect at once, apart from the form above it. */
export function Members({ orgId, group }: { orgId: string; group: Group }) {
  const user = useUser()
  const isGroupadmin = user.role === 'groupadmin'
  const [state, change] = usePageSearch(memberSearch)
  const query = memberQuery(group.id, state)
  const { page, isStale, error, retry } = useList(listUsers, { params: { orgId }, query })
  const removal = useRemoval<User>()
  const { sort: _sort, offset: _offset, ...filter } = query
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const columns = columnsOf(orgId, group.id)
  const actions = (person: User) =>
    !(isGroupadmin && person.id === user.id) && (
      <ActionIcon
        variant="subtle"
        color="red"
        size={32}
        aria-label={`Take ${person.name} out of the group`}
        title="Take out of the group"
        onClick={(event) => removal.ask(person, event)}
      >
        <IconUserMinus size={18} aria-hidden />
      </ActionIcon>
    )
  return (
    <section className="org-members" aria-labelledby="members-title">
      <h2 id="members-title">Members ({formatNumber(group.memberCount)})</h2>
      <p>
        {isGroupadmin
          ? 'You can add people of all the groups that you administer. Takes effect at once.'
          : 'Adding and taking out takes effect at once.'}
      </p>
      <UserPicker orgId={orgId} group={group} />
      {(group.memberCount > 10 || state.q) && (
        <div className="ui-filters">
          <SearchField label="Search members" value={state.q} onSearch={(q) => change({ q })} />
          <div className="ui-filters-end">
            <TableView table="members" columns={columns} />
          </div>
        </div>
      )}
      <DataTable
        id="members"
        name={`Members of ${group.name}`}
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(memberSearch, { sort }).sort })}
        isStale={isStale}
        empty={state.q ? <EmptyState title="No member matches" /> : empty}
        actionsWidth="72px"
        actions={actions}
        selecting={{ selection, onSelect, nameOf: ({ name }) => name }}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <UserBulk {...page} {...{ orgId, filter, group, selection, onSelect }} />
        </Suspense>
      )}
      <TakeOut removal={removal} orgId={orgId} group={group} />
    </section>
  )
}

type TakeOutProps = { removal: ReturnType<typeof useRemoval<User>>; orgId: string; group: Group }

function TakeOut({ removal, orgId, group }: TakeOutProps) {
  const takeOut = useChange(removeGroupUser, userEndpoints)
  const { row } = removal
  if (!row) return null
  const params = { orgId, groupId: group.id, userId: row.id }
  return (
    <ConfirmDialog
      isOpen
      title={`Take ${row.name} out of ${group.name}?`}
      confirmLabel="Take out"
      onConfirm={() =>
        removal.run(() => takeOut.mutateAsync({ params }), `${row.name} is no longer in ${group.name}.`)
      }
      onClose={removal.close}
    >
      They stay in the organization, and what they have watched stays too.
    </ConfirmDialog>
  )
}
