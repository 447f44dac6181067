import { listGroups, readGroup } from '#contract/groups.ts'
import { listOrganizations, readOrganization, readOrganizationDashboard } from '#contract/organizations.ts'
import { deleteUser, listUsers, type User } from '#contract/users.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import type { useRemoval } from './useRemoval.ts'

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
      confirmLabel="Remove user"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>
        {row.email} receives nothing any more
        {row.groups.length > 0 ? `, and leaves ${row.groups.map(({ name }) => name).join(', ')}` : ''}.
        {row.role ? ' They are signed out at once and cannot sign in again.' : ''}
      </p>
      <p>What they have watched stays as evidence.</p>
    </ConfirmDialog>
  )
}
