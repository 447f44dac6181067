import { Link } from '@tanstack/react-router'
import type { User } from '#contract/users.ts'
import { paths } from '../paths.ts'
import { roleNames } from '../shell/roleNames.ts'
import { Avatar } from '../ui/Avatar.tsx'
import type { Column } from '../ui/DataTable.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import { userStates } from './states.ts'

/** `editIn`: the organization whose people the reader may edit; their names then lead there. */
export function nameColumn(editIn: string | undefined): Column<User> {
  return {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, name }) => (
      <span className="ui-named">
        <Avatar name={name} size={24} />
        {editIn ? (
          <Link to={paths.userEdit(editIn, id)} title={name}>
            {name}
          </Link>
        ) : (
          <span title={name}>{name}</span>
        )}
      </span>
    ),
  }
}

export const emailColumn: Column<User> = {
  key: 'email',
  header: 'Email',
  sort: 'email',
  cell: ({ email }) => email,
}

export const stateColumn: Column<User> = {
  key: 'state',
  header: 'State',
  width: '112px',
  cell: ({ state }) => (
    <StatusBadge tone={userStates[state].tone} title={userStates[state].means}>
      {userStates[state].word}
    </StatusBadge>
  ),
}

export function userColumns(editIn: string | undefined): readonly Column<User>[] {
  return [
    nameColumn(editIn),
    emailColumn,
    {
      key: 'role',
      header: 'Role',
      width: '144px',
      from: 'md',
      cell: ({ role }) => (role ? roleNames[role] : 'Recipient'),
    },
    stateColumn,
    {
      key: 'groups',
      header: 'Groups',
      width: '136px',
      from: 'lg',
      dimmed: true,
      cell: ({ groups }) => groups.map(({ name }) => name).join(', '),
    },
    {
      key: 'seen',
      header: 'Last seen',
      width: '116px',
      from: 'lg',
      dimmed: true,
      cell: ({ lastSeenAt }) => lastSeenAt && <RelativeTime iso={lastSeenAt} />,
    },
  ]
}
