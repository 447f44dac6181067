import { Button } from '@mantine/core'
import { useState, type ComponentType } from 'react'
import { listUserSessions } from '#contract/identity/sessions.ts'
import type { User } from '#contract/directory/users.ts'
import { useList } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'
import { Lines } from '../ui/Lines.tsx'
import type { AccessProps, Fits } from '../organizations/access.ts'
import { AskForPassword } from '../organizations/AskForPassword.tsx'
import { ResetFactors } from './ResetFactors.tsx'
import { Unlock } from './Unlock.tsx'
import { UserSessions } from './UserSessions.tsx'
import { ViewAs } from './ViewAs.tsx'
import shapes from '#web/ui/shapes.module.css'

type Action = {
  key: string
  label: string
  /** What follows from it, in one sentence. */
  about: string
  fits: Fits
  /** Asks and does it. */
  dialog: ComponentType<AccessProps>
}

/** What an administrator can do about how somebody signs in. */
const actions: readonly Action[] = [
  {
    key: 'view-as',
    label: 'View as this person',
    about: 'See the console as they see it, for half an hour and without changing anything.',
    fits: (user, actor) => actor === 'superadmin' && user.role !== 'superadmin' && user.state === 'active',
    dialog: ViewAs,
  },
  {
    key: 'unlock',
    label: 'Unlock',
    about: 'Too many wrong passwords have switched the right one off.',
    fits: (_user, _actor, isLockedOut) => isLockedOut,
    dialog: Unlock,
  },
  {
    key: 'ask-for-password',
    label: 'Ask for a new password',
    about: 'When their password may have become known to somebody else.',
    fits: (user) => user.state === 'active',
    dialog: AskForPassword,
  },
  {
    key: 'reset-factors',
    label: 'Reset second step',
    about: 'For somebody who has lost their phone, their passkeys and their recovery codes.',
    fits: () => true,
    dialog: ResetFactors,
  },
]

export function UserAccess({ orgId, user }: { orgId: string; user: User }) {
  const [open, setOpen] = useState<Action | null>(null)
  const actor = useUser().role
  const params = { orgId, userId: user.id }
  const isLockedOut = useList(listUserSessions, { params }, { every: 30_000 }).page?.isLockedOut ?? false
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="user-access"
    >
      <h2 id="user-access">Sign-in</h2>
      <Lines>
        {actions
          .filter(({ fits }) => fits(user, actor, isLockedOut))
          .map((action) => (
            <li key={action.key}>
              <p>{action.about}</p>
              <Button variant="default" aria-haspopup="dialog" onClick={() => setOpen(action)}>
                {action.label}
              </Button>
            </li>
          ))}
      </Lines>
      <UserSessions orgId={orgId} user={user} />
      {open && <open.dialog orgId={orgId} user={user} onClose={() => setOpen(null)} />}
    </section>
  )
}
