import { BegunHere } from '#web/shell/operations/Operations.tsx'
import { Button } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import { asRole } from '#contract/roles.ts'
import { listUsers, type User } from '#contract/users.ts'
import { explain } from '../api/errors.ts'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { useListLook } from '../shell/list/search.ts'
import { Similar } from '../shell/list/Similar.tsx'
import { ViewsMenu } from '../shell/list/ViewsMenu.tsx'
import { readSearch, usePageSearch } from '../shell/page.ts'
import { toSide, useEditKey, useSide } from '../shell/side.ts'
import { useUser } from '../shell/useSession.ts'
import { DataTable } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Pager } from '../ui/Pager.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { UserBulk } from './bulk/bars.tsx'
import { userColumns } from './columns.tsx'
import { UserFilters } from './filters/UserFilters.tsx'
import {
  everybody,
  isFiltered,
  userFilter,
  userQuery,
  userSearch,
  type Change,
} from './filters/userSearch.ts'
import { RemoveUser } from './RemoveUser.tsx'
import { RowActions } from './RowActions.tsx'
import { UserSide } from './side.ts'
import { TakeAlong } from './TakeAlong.tsx'
import { useRemoval } from './useRemoval.ts'

/** The people of an organization, as far as the reader may see them. */
export function UserList({ orgId }: { orgId: string }) {
  const user = useUser()
  const mayEdit = asRole(user.role) !== 'groupadmin'
  const [state, change] = usePageSearch(userSearch)
  const { page, isStale, error, retry } = useList(listUsers, { params: { orgId }, query: userQuery(state) })
  const columns = useMemo(() => userColumns(orgId), [orgId])
  const { look, view, pager } = useListLook('users', columns, [state, change])
  const removal = useRemoval<User>()
  const side = useSide()
  useEditKey(mayEdit)
  const filter = userFilter(state)
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const actions = (person: User) => (
    <RowActions
      name={person.name}
      edits={person.id}
      onRemove={person.id === user.id ? undefined : (event) => removal.ask(person, event)}
    />
  )
  return (
    <section aria-label="People">
      <UserFilters orgId={orgId} state={state} change={change}>
        <TakeAlong orgId={orgId} query={{ ...userFilter(state), sort: state.sort }} mayImport={mayEdit} />
        <ViewsMenu list="users" orgId={orgId} drawn={view} />
        <TableView {...view} />
      </UserFilters>
      <Similar approximate={page?.approximate} q={state.q} />
      <DataTable
        look={look}
        name="People"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={page?.approximate ? '' : state.sort}
        onSort={(sort) => change({ sort: readSearch(userSearch, { sort }).sort })}
        isStale={isStale}
        empty={
          isFiltered(state) ? <NobodyFound change={change} /> : <Nobody orgId={orgId} mayEdit={mayEdit} />
        }
        {...(mayEdit ? { actions, selecting: { selection, onSelect, nameOf } } : {})}
      />
      {page && <Pager {...page} {...pager} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <UserBulk
            {...page}
            {...{ orgId, filter, selection, onSelect }}
            total={page.approximate ? 0 : page.total}
          />
        </Suspense>
      )}
      <BegunHere />
      <RemoveUser removal={removal} orgId={orgId} />
      {side.form && mayEdit && (
        <Suspense>
          <UserSide orgId={orgId} form={side.form} onClose={side.close} />
        </Suspense>
      )}
    </section>
  )
}

const nameOf = ({ name }: User) => name

function NobodyFound({ change }: { change: Change }) {
  return (
    <EmptyState
      title="Nobody matches"
      action={
        <Button variant="default" onClick={() => change(everybody)}>
          Show everybody
        </Button>
      }
    >
      Try fewer filters, or a part of the name or the email.
    </EmptyState>
  )
}

function Nobody({ orgId, mayEdit }: { orgId: string; mayEdit: boolean }) {
  if (!mayEdit)
    return (
      <EmptyState title="Nobody to see yet" icon={<IconUsers size={24} />}>
        You see the members of the groups that you administer. An administrator can put people into them.
      </EmptyState>
    )
  return (
    <EmptyState
      title="Nobody here yet"
      icon={<IconUsers size={24} />}
      action={
        <div className="org-next">
          <Button
            renderRoot={(props) => <Link {...props} {...toSide('new')} />}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Add person
          </Button>
          <Button variant="default" component={Link} to={paths.userImport(orgId)}>
            Import a list
          </Button>
        </div>
      }
    >
      Add the people who receive your videos. They need no account; a name and an email are enough.
    </EmptyState>
  )
}
