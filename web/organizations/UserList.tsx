import { Button, CloseButton } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import * as z from 'zod/mini'
import { asRole } from '#contract/roles.ts'
import { listUsers, userStates as states, type User } from '#contract/users.ts'
import { explain } from '../api/errors.ts'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch } from '../shell/page.ts'
import { roleNames } from '../shell/roleNames.ts'
import { useUser } from '../shell/useSession.ts'
import { DataTable } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { NativeChoice } from '../ui/NativeChoice.tsx'
import { Pager } from '../ui/Pager.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { TableView } from '../ui/table/TableView.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { UserBulk } from './bulk/bars.tsx'
import { userColumns } from './columns.tsx'
import { RemoveUser } from './RemoveUser.tsx'
import { RowActions } from './RowActions.tsx'
import { userStates } from './states.ts'
import { useRemoval } from './useRemoval.ts'

const roleFilters = ['admin', 'groupadmin', 'none'] as const

export const userSearch = z.object({
  q: z.catch(z.string(), ''),
  sort: z.catch(z.enum(['name', '-name', 'email', '-email', 'createdAt', '-createdAt']), 'name'),
  role: z.catch(z.optional(z.enum(roleFilters)), undefined),
  state: z.catch(z.optional(z.enum(states)), undefined),
  group: z.catch(z.optional(z.uuid()), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
type Search = z.output<typeof userSearch>

/** What the address says, in the words of the API. */
export function userQuery({ q, sort, role, state, group, offset }: Search) {
  return { q, sort, role, state, groupId: group, offset }
}

const roleOptions = roleFilters.map((role) => ({
  value: role,
  label: role === 'none' ? 'Recipients' : plural(role),
}))

function plural(role: 'admin' | 'groupadmin'): string {
  return `${roleNames[role]}s`
}

/** The people of an organization, as far as the reader may see them. */
export function UserList({ orgId }: { orgId: string }) {
  const user = useUser()
  const mayEdit = asRole(user.role) !== 'groupadmin'
  const [state, change] = usePageSearch(userSearch)
  const { page, isStale, error, retry } = useList(listUsers, { params: { orgId }, query: userQuery(state) })
  const removal = useRemoval<User>()
  const { sort: _sort, offset: _offset, ...filter } = userQuery(state)
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const columns = userColumns(orgId)
  const isFiltered = Boolean(state.q || state.role || state.state || state.group)
  const actions = (person: User) => (
    <RowActions
      name={person.name}
      editPath={paths.userEdit(orgId, person.id)}
      onRemove={person.id === user.id ? undefined : (event) => removal.ask(person, event)}
    />
  )
  return (
    <section aria-label="Users">
      <Filters state={state} change={change} groupName={groupNameOf(page?.items, state.group)}>
        <TableView table="users" columns={columns} />
      </Filters>
      <DataTable
        id="users"
        name="Users"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(userSearch, { sort }).sort })}
        isStale={isStale}
        empty={isFiltered ? <NobodyFound change={change} /> : <Nobody orgId={orgId} mayEdit={mayEdit} />}
        {...(mayEdit ? { actions, selecting: { selection, onSelect, nameOf } } : {})}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <UserBulk {...page} {...{ orgId, filter, selection, onSelect }} />
        </Suspense>
      )}
      <RemoveUser removal={removal} orgId={orgId} />
    </section>
  )
}

const nameOf = ({ name }: User) => name

function groupNameOf(people: readonly User[] | undefined, id: string | undefined): string {
  return people?.[0]?.groups.find((group) => group.id === id)?.name ?? 'One group'
}

type Change = (patch: Partial<Search>) => void

type FilterProps = { state: Search; change: Change; groupName: string; children: ReactNode }

function Filters({ state, change, groupName, children }: FilterProps) {
  return (
    <div className="ui-filters">
      <SearchField label="Search users" value={state.q} onSearch={(q) => change({ q })} />
      <NativeChoice
        className="org-filter"
        aria-label="Role"
        data={[{ value: '', label: 'All roles' }, ...roleOptions]}
        value={state.role ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ role: readSearch(userSearch, { role: value }).role })
        }
      />
      <NativeChoice
        className="org-filter"
        aria-label="State"
        data={[
          { value: '', label: 'All states' },
          ...states.map((value) => ({ value, label: userStates[value].word })),
        ]}
        value={state.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ state: readSearch(userSearch, { state: value }).state })
        }
      />
      {state.group && (
        <span className="org-chip">
          <span title={groupName}>Group: {groupName}</span>
          <CloseButton
            aria-label="Show the people of all groups"
            onClick={() => change({ group: undefined })}
          />
        </span>
      )}
      <div className="ui-filters-end">{children}</div>
    </div>
  )
}

function NobodyFound({ change }: { change: Change }) {
  const clear = { q: '', role: undefined, state: undefined, group: undefined }
  return (
    <EmptyState
      title="Nobody matches"
      action={
        <Button variant="default" onClick={() => change(clear)}>
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
      title="No users yet"
      icon={<IconUsers size={24} />}
      action={
        <Button
          component={Link}
          to={paths.userCreate(orgId)}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          Add user
        </Button>
      }
    >
      Add the people who receive your videos. They need no account; a name and an email are enough.
    </EmptyState>
  )
}
