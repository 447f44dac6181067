import { deleteGroup, type Group } from '#contract/directory/groups.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { plural } from '../ui/format.ts'
import { userEndpoints } from '../people/RemoveUser.tsx'
import type { useRemoval } from '#web/lists/useRemoval.ts'

type Props = { removal: ReturnType<typeof useRemoval<Group>>; onRemoved?: () => void }

export function RemoveGroup({ removal, onRemoved }: Props) {
  const remove = useChange(deleteGroup, userEndpoints)
  const { row } = removal
  if (!row) return null
  const params = { orgId: row.organizationId, groupId: row.id }
  const confirm = async () => {
    const isGone = await removal.run(() => remove.mutateAsync({ params }), `${row.name} was removed.`)
    if (isGone) onRemoved?.()
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${row.name}?`}
      confirmLabel="Remove group"
      onConfirm={confirm}
      onClose={removal.close}
    >
      {row.memberCount === 0
        ? 'The group has no members. Can be undone for 30 days.'
        : `The group ends; its ${plural(row.memberCount, 'member stays', 'members stay')} in the organization. Who administers this group loses sight of them. Can be undone for 30 days.`}
    </ConfirmDialog>
  )
}
