import { Button } from '@mantine/core'
import { useState, type ComponentType } from 'react'
import type { User } from '#contract/users.ts'
import './access.css'
import { ResetFactors, type AccessProps } from './ResetFactors.tsx'

type Action = {
  key: string
  label: string
  /** What follows from it, in one sentence. */
  about: string
  /** Asks and does it. */
  dialog: ComponentType<AccessProps>
}

/** What an administrator can do about how somebody signs in. */
const actions: readonly Action[] = [
  {
    key: 'reset-factors',
    label: 'Reset second step',
    about: 'For somebody who has lost their phone, their passkeys and their recovery codes.',
    dialog: ResetFactors,
  },
]

export function UserAccess({ orgId, user }: { orgId: string; user: User }) {
  const [open, setOpen] = useState<Action | null>(null)
  return (
    <section className="ui-card ui-card-pad user-access" aria-labelledby="user-access">
      <h2 id="user-access">Sign-in</h2>
      <ul>
        {actions.map((action) => (
          <li key={action.key}>
            <p>{action.about}</p>
            <Button variant="default" onClick={() => setOpen(action)}>
              {action.label}
            </Button>
          </li>
        ))}
      </ul>
      {open && <open.dialog orgId={orgId} user={user} onClose={() => setOpen(null)} />}
    </section>
  )
}
