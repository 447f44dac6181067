import { Link, useLocation } from '@tanstack/react-router'
import { readSending } from '#contract/transmissions/sending.ts'
import { adminRoles } from '#contract/roles.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/useSession.ts'

/** Where one begins, sends, and settles it; other pages ask the server for nothing but what they show. */
const told = /^\/(dashboard|transmissions|settings)/

/** For whoever sends, for as long as nothing leaves the installation. */
export function SendingNotice() {
  const isTold = useLocation({ select: ({ pathname }) => told.test(pathname) })
  const { role } = useUser()
  return isTold && adminRoles.includes(role) ? <Held /> : null
}

function Held() {
  const { page } = useList(readSending, {}, { every: 60_000 })
  return page?.hold ? <HeldNotice /> : null
}

/** Nothing leaves the installation until a superadmin has said why it is not the one that it was. */
function HeldNotice() {
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
