import { readUser, sendReset } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { OutboxNote } from '../layout/OutboxNote.tsx'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import type { AccessProps } from './access.ts'

/** An administrator can ask for another password, and never sets one. */
export function AskForPassword({ orgId, user, onClose }: AccessProps) {
  const ask = useChange(sendReset, [readUser])
  const confirm = () =>
    attempt(
      () => ask.mutateAsync({ params: { orgId, userId: user.id } }),
      `${user.name} was asked to choose a new password.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Ask ${user.name} for a new password?`}
      confirmLabel="Ask for a new password"
      isDangerous={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        They are signed out everywhere at once, and a mail to {user.email} tells them how to choose a new
        password. You never see it.
      </p>
      <OutboxNote />
    </ConfirmDialog>
  )
}
