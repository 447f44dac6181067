import { endOrganizationSessions } from '#contract/identity/sessions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { plural } from '../ui/format.ts'

type Props = { orgId: string; name: string; onClose: () => void }

/** For the day on which something has leaked: everybody of the organization signs in anew. */
export function SignOutAllDialog({ orgId, name, onClose }: Props) {
  const end = useChange(endOrganizationSessions)
  const confirm = () =>
    attempt(
      () => end.mutateAsync({ params: { orgId } }),
      ({ ended }) => (ended === 0 ? 'Nobody else was signed in.' : `${plural(ended, 'session')} ended.`),
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Sign out everyone in ${name}?`}
      confirmLabel="Sign everyone out"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Everybody of this organization who works in the console has to sign in again, at once. You stay signed
        in.
      </p>
      <p>
        Work that somebody has not saved in this moment is lost; videos go on being prepared, and messages
        being sent.
      </p>
    </ConfirmDialog>
  )
}
