import {
  deleteOrganization,
  listOrganizations,
  readDashboard,
  type Organization,
} from '#contract/directory/organizations.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { plural } from '../ui/format.ts'
import type { useRemoval } from '#web/lists/useRemoval.ts'

type Props = { removal: ReturnType<typeof useRemoval<Organization>> }

export function RemoveOrganization({ removal }: Props) {
  const remove = useChange(deleteOrganization, [listOrganizations, readDashboard])
  const { row } = removal
  if (!row) return null
  const inside = [
    plural(row.userCount, 'person', 'people'),
    plural(row.groupCount, 'group'),
    plural(row.videoCount, 'video'),
  ].join(', ')
  const confirm = () =>
    removal.run(() => remove.mutateAsync({ params: { orgId: row.id } }), `${row.name} was removed.`)
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${row.name}?`}
      confirmLabel="Remove organization"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>
        It disappears with {inside}. Nobody of it can sign in any more, and everybody who is signed in now is
        signed out.
      </p>
      <p>
        Evidence of viewing and the record of who changed what are kept. Can be undone for 30 days; people
        then sign in again as before.
      </p>
    </ConfirmDialog>
  )
}
