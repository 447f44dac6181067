import { Button } from '@mantine/core'
import { IconPlus, IconUpload, IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import { asRole } from '#contract/roles.ts'
import { listUsers, type User } from '#contract/directory/users.ts'
import { fetchFile } from '../api/client.ts'
import { prefetch, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch } from '../layout/page.ts'
import { toSide, useEditKey, useSide } from '../layout/side.ts'
import { useSession, useUser } from '../session/useSession.ts'
import { plural } from '../ui/format.ts'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { userColumns } from '../organizations/columns.tsx'
import { userFilters } from './filters/userFilters.tsx'
import { everybody, isFiltered, userFilter, userQuery, userSearch } from './filters/userSearch.ts'
import { RemoveUser } from './RemoveUser.tsx'
import { RowActions } from '../organizations/RowActions.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'
import { RecordList } from '#web/lists/RecordList.tsx'
import { dialogOnDemand, onDemand } from '../ui/browser/onDemand.tsx'
import rows from '#web/ui/overlays/menu.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const UserBulk = onDemand(async () => (await import('../organizations/bulk/UserBulk.tsx')).UserBulk)

const exporting = async () => (await import('#contract/videos/record-bulk.ts')).exportUsers

/** Fetched by loaders while the pointer is on its way to a form. */
export const fetchUserSide = () => import('./UserSide.tsx')
const UserSide = dialogOnDemand(async () => (await fetchUserSide()).UserSide)

export const loadPeople = (orgId: string, given: unknown) =>
  prefetch(listUsers, { params: { orgId }, query: userQuery(readSearch(userSearch, given)) })

/** The people of an organization, as far as the reader may see them. */
export function UserList({ orgId }: { orgId: string }) {
  const user = useUser()
  const mayEdit = asRole(user.role) !== 'groupadmin'
  const [state, change] = usePageSearch(userSearch)
  const found = useList(listUsers, { params: { orgId }, query: userQuery(state) })
  const columns = useMemo(() => userColumns(orgId), [orgId])
  const removal = useRemoval<User>()
  const side = useSide()
  useEditKey(mayEdit)
  const filter = userFilter(state)
  const actions = (person: User) => (
    <RowActions
      name={person.name}
      edits={person.id}
      onRemove={
        person.id === user.id ? undefined : (button) => removal.ask(person, { currentTarget: button })
      }
    />
  )
  return (
    <section aria-label="People">
      <RecordList
        list="users"
        name="People"
        counted={(total) => plural(total, 'person', 'people')}
        {...{ orgId, columns, state, change, found, filter }}
        narrowed={
          isFiltered(state)
            ? {
                all: everybody,
                nothing: 'Nobody matches',
                hint: 'Try fewer filters, or a part of the name or the email.',
                showAll: 'Show everybody',
              }
            : null
        }
        empty={<Nobody orgId={orgId} mayEdit={mayEdit} />}
        search="Search people"
        filters={userFilters({ orgId, state, change, seesVideos: mayEdit })}
        files={[
          {
            name: 'people',
            note: 'All people whom the filters find, in the order of the list.',
            read: async (format) =>
              fetchFile(await exporting(), {
                params: { orgId },
                query: { ...filter, sort: state.sort, format },
              }),
          },
        ]}
        items={mayEdit && <ImportItem orgId={orgId} />}
        {...(mayEdit && {
          actions,
          bulk: { nameOf, renderBar: (chosen) => <UserBulk {...chosen} {...{ orgId, filter }} /> },
        })}
      />
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

/** In the menu of the list of people: people in from a file. */
function ImportItem({ orgId }: { orgId: string }) {
  const { viewing } = useSession()
  if (viewing) return null
  return (
    <Link className={rows.row} to={paths.userImport(orgId)}>
      <IconUpload size={18} aria-hidden />
      Import
    </Link>
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
        <div className={shapes.row}>
          <Button
            renderRoot={(props) => <Link {...props} {...toSide('new')} />}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Add a person
          </Button>
          <Button variant="default" component={Link} to={paths.userImport(orgId)}>
            Import people
          </Button>
        </div>
      }
    >
      Add the people who receive your videos. They need no account; a name and an email are enough.
    </EmptyState>
  )
}
