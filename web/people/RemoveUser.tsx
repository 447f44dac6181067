import { useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/endpoint.ts'
import { listGroups, readGroup } from '#contract/directory/groups.ts'
import {
  listOrganizations,
  readOrganization,
  readOrganizationDashboard,
} from '#contract/directory/organizations.ts'
import { deleteUser, listUsers, readRemoval, type User } from '#contract/directory/users.ts'
import { queryOf, useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { formatDuration, plural } from '../ui/format.ts'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import type { useRemoval } from '#web/lists/useRemoval.ts'

/** What shows people, their number or their groups. */
export const userEndpoints = [
  listUsers,
  listGroups,
  readGroup,
  listOrganizations,
  readOrganization,
  readOrganizationDashboard,
]

type Props = {
  removal: ReturnType<typeof useRemoval<User>>
  orgId: string
  onRemoved?: () => void
}

export function RemoveUser({ removal, orgId, onRemoved }: Props) {
  const remove = useChange(deleteUser, userEndpoints)
  const { row } = removal
  if (!row) return null
  const confirm = async () => {
    const params = { orgId, userId: row.id }
    const isGone = await removal.run(() => remove.mutateAsync({ params }), `${row.name} was removed.`)
    if (isGone) onRemoved?.()
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${row.name}?`}
      confirmLabel="Remove person"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <Removal orgId={orgId} user={row} />
    </ConfirmDialog>
  )
}

type Facts = Reply<typeof readRemoval>

/** What removing somebody means, in numbers: what ends, and what stays as evidence. */
function Removal({ orgId, user }: { orgId: string; user: User }) {
  const { data, error } = useQuery(queryOf(readRemoval, { params: { orgId, userId: user.id } }))
  if (!data && !error) return <Bone height={96} />
  return (
    <>
      <p>
        {user.email} receives nothing any more{data ? endingOf(data) : ''}.
        {user.role ? ' They are signed out at once and cannot sign in again.' : ''}
      </p>
      <p>
        {data && evidenceOf(data)} Evidence stays: for 30 days under their name, in which this can be undone,
        then under a pseudonym.
      </p>
      {user.role && <p>Whoever comes back with a role gets a new invitation by mail.</p>}
    </>
  )
}

function endingOf({ groups, administeredGroups, sessions, invitations, waitingMessages }: Facts): string {
  const administers = administeredGroups > 0 ? ` (and administers ${administeredGroups} of them)` : ''
  const parts = [
    groups > 0 && `leaves ${plural(groups, 'group')}${administers}`,
    sessions > 0 && `loses ${plural(sessions, 'open session')}`,
    invitations > 0 && 'can no longer use the invitation that waits',
    waitingMessages > 0 && `does not get ${plural(waitingMessages, 'message')} on the way`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`
}

function watchedText({ videos, watchedMs, completed }: Pick<Facts, 'videos' | 'watchedMs' | 'completed'>) {
  if (videos === null || watchedMs === null) return `completed ${plural(completed, 'video')}`
  if (videos === 0) return 'watched nothing'
  return `watched ${plural(videos, 'video')} for ${formatDuration(watchedMs)} and completed ${completed}`
}

function evidenceOf({ messages, videos, completed, watchedMs }: Facts): string {
  const received = messages === 0 ? 'no message' : plural(messages, 'message')
  const watched = watchedText({ videos, watchedMs, completed })
  return `They received ${received} and ${watched}.`
}
