import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useUser } from '../session/useSession.ts'
import { Notice } from '#web/ui/Notice.tsx'

/** Nothing leaves the installation until a superadmin has said why it is not the one that it was. */
export function HeldNotice() {
  const isSuperadmin = useUser().role === 'superadmin'
  return (
    <Notice tone="warning" role="status">
      {isSuperadmin ? (
        <>
          Sending is held: this installation may be a copy, or may have been set back to an earlier state. No
          message leaves until you say which it was.{' '}
          <Link to={paths.settings()} search={{ tab: 'sending' }}>
            Say what happened
          </Link>
        </>
      ) : (
        <>
          Sending is held in the whole installation, because it may have been restored from a copy. Your
          messages wait, and nothing of them is lost: a superadmin of this installation can release them.
          Codes and invitations leave as ever.
        </>
      )}
    </Notice>
  )
}
