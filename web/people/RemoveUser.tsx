import { Suspense } from 'react'
import { listGroups, readGroup } from '#contract/groups.ts'
import { listOrganizations, readOrganization, readOrganizationDashboard } from '#contract/organizations.ts'
import { deleteUser, listUsers, type User } from '#contract/users.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { onDemand } from '../ui/onDemand.tsx'
import { Bone } from '../ui/Skeletons.tsx'
import type { useRemoval } from '../organizations/useRemoval.ts'

/** What shows people, their number or their groups. */
export const userEndpoints = [
  listUsers,
  listGroups,
  readGroup,
  listOrganizations,
  readOrganization,
  readOrganizationDashboard,
]

const Removal = onDemand(async () => (await import('../organizations/Removal.tsx')).Removal)

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
      <Suspense fallback={<Bone height={96} />}>
        <Removal orgId={orgId} user={row} />
      </Suspense>
    </ConfirmDialog>
  )
}
