import { listUserSessions, unlockUser } from '#contract/identity/sessions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import type { AccessProps } from '../organizations/access.ts'

/** For somebody whose password was switched off by wrong ones, their own or those of a stranger. */
export function Unlock({ orgId, user, onClose }: AccessProps) {
  const unlock = useChange(unlockUser, [listUserSessions])
  const confirm = () =>
    attempt(
      () => unlock.mutateAsync({ params: { orgId, userId: user.id } }),
      `${user.name} can sign in with their password again.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Unlock ${user.name}?`}
      confirmLabel="Unlock"
      isDangerous={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Their password works again, and wrong ones are counted from the start. If somebody else has been
        guessing, ask for a new password instead.
      </p>
    </ConfirmDialog>
  )
}
