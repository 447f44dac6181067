import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { ListedUser, User } from '#contract/directory/users.ts'
import { paths } from '../paths.ts'
import { roleNames } from '../session/roleNames.ts'
import { Avatar } from '../ui/Avatar.tsx'
import type { Column } from '../ui/table/DataTable.tsx'
import { onDemand } from '../ui/browser/onDemand.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import { userStates } from './states.ts'
import { all } from '#web/lists/uniform.ts'
import { whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

// Few people have trouble, and its words are of no use to the others.
const Trouble = onDemand(async () => (await import('./Trouble.tsx')).Trouble)

/** The name leads to everything that is known about the person. */
export function nameColumn(orgId: string): Column<Pick<User, 'id' | 'name'> & Partial<Pick<User, 'avatar'>>> {
  return {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, name, avatar }) => (
      <span className={shapes.named}>
        <Avatar name={name} picture={avatar ?? null} size={24} />
        <Link to={paths.person(orgId, id)} {...whole}>
          {name}
        </Link>
      </span>
    ),
  }
}

export const emailColumn: Column<Pick<User, 'email'>> = {
  key: 'email',
  header: 'Email',
  phone: 'line',
  sort: 'email',
  width: '27%',
  cell: ({ email }) => email,
}

export const stateColumn: Column<Pick<User, 'state'>> = {
  key: 'state',
  header: 'State',
  phone: 'end',
  width: '112px',
  uniformWord: ({ state }) => all(userStates[state].word),
  cell: ({ state }) => (
    <StatusBadge tone={userStates[state].tone} title={userStates[state].means}>
      {userStates[state].word}
    </StatusBadge>
  ),
}

const troubledColumn: Column<ListedUser> = {
  ...emailColumn,
  cell: ({ email, trouble }) =>
    trouble ? (
      <span className={shapes.named}>
        <Suspense>
          <Trouble trouble={trouble} />
        </Suspense>
        <span>{email}</span>
      </span>
    ) : (
      email
    ),
}

export function userColumns(orgId: string): readonly Column<ListedUser>[] {
  return [
    nameColumn(orgId),
    troubledColumn,
    {
      key: 'role',
      header: 'Role',
      width: '144px',
      from: 'md',
      uniformWord: ({ role }) => (role ? all(roleNames[role]) : 'without a role'),
      cell: ({ role }) => (role ? roleNames[role] : 'No role'),
    },
    stateColumn,
    {
      key: 'groups',
      header: 'Groups',
      width: '136px',
      from: 'lg',
      dimmed: true,
      uniformWord: ({ id, groups }) => (groups.length > 0 ? id : ''),
      cell: ({ groups }) => groups.map(({ name }) => name).join(', '),
    },
    {
      key: 'seen',
      header: 'Last in console',
      sort: 'lastSeenAt',
      width: '140px',
      from: 'lg',
      dimmed: true,
      uniformWord: ({ id, lastSeenAt }) => (lastSeenAt ? id : ''),
      cell: ({ lastSeenAt }) => lastSeenAt && <RelativeTime iso={lastSeenAt} />,
    },
    {
      key: 'created',
      header: 'Added',
      sort: 'createdAt',
      width: '116px',
      isExtra: true,
      dimmed: true,
      cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
    },
    {
      key: 'external',
      header: 'External ID',
      isExtra: true,
      dimmed: true,
      cell: ({ externalId }) => externalId,
    },
    { key: 'phone', header: 'Phone', isExtra: true, dimmed: true, cell: ({ phone }) => phone },
  ]
}
