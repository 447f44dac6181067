import { Suspense } from 'react'
import { Avatar } from '#web/ui/Avatar.tsx'
import { onDemand } from '#web/ui/onDemand.tsx'
import { useUser } from '../../session/useSession.ts'
import { BarPanel } from './BarPanel.tsx'
import bar from './Topbar.module.css'

const open = async () => (await import('./UserPanel.tsx')).UserPanel
const UserPanel = onDemand(open)

/** Who is signed in, and what is theirs. */
export function UserMenu() {
  const user = useUser()
  const button = {
    className: bar.user ?? '',
    label: 'Your account',
    content: <Avatar name={user.name} picture={user.avatar} size={32} />,
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <BarPanel id="bar-account" label="Your account" button={button}>
      {(close) => (
        <Suspense fallback={<div style={{ height: 240 }} />}>
          <UserPanel onFollow={close} />
        </Suspense>
      )}
    </BarPanel>
  )
}
