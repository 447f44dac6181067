import {
  listInvitations,
  resendInvitation,
  revokeInvitation,
  type Invitation,
} from '#contract/directory/invitations.ts'
import { useMailRests } from '../../layout/OutboxNote.tsx'
import { useChange } from '../../api/query.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import type { useRemoval } from '#web/lists/useRemoval.ts'
import { invitedText } from './labels.ts'

type Props = { removal: ReturnType<typeof useRemoval<Invitation>> }

export function RevokeInvitation({ removal }: Props) {
  const revoke = useChange(revokeInvitation, [listInvitations])
  const { row } = removal
  if (!row) return null
  const confirm = () =>
    removal.run(
      () => revoke.mutateAsync({ params: { invitationId: row.id } }),
      `The invitation to ${row.email} was taken back. “Invite again” in its row undoes that.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Take back the invitation to ${row.email}?`}
      confirmLabel="Take back"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>The link in their mail stops working at once. You can invite them again at any time.</p>
    </ConfirmDialog>
  )
}

export function ResendInvitation({ removal }: Props) {
  const resend = useChange(resendInvitation, [listInvitations])
  const rests = useMailRests()
  const { row } = removal
  if (!row) return null
  const isPending = row.state === 'pending'
  const confirm = () =>
    removal.run(() => resend.mutateAsync({ params: { invitationId: row.id } }), invitedText(row.email, rests))
  return (
    <ConfirmDialog
      isOpen
      isDangerous={false}
      title={isPending ? `Resend the invitation to ${row.email}?` : `Invite ${row.email} again?`}
      confirmLabel={isPending ? 'Resend' : 'Invite again'}
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>
        They get a mail with a new link that works for seven days.
        {isPending && ' The link that they have stops working.'}
      </p>
    </ConfirmDialog>
  )
}
