import { IconDeviceDesktop, IconLock, IconMoon, IconSettings, IconSun } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { onDemand } from '#web/ui/onDemand.tsx'
import menu from '#web/ui/menu.module.css'
import { Segments } from '#web/ui/Segments.tsx'
import { roleNames } from '../../session/roleNames.ts'
import { lock } from '../../session/lock.ts'
import type { Theme } from '../settings.ts'
import { layout, useLayout } from '../store.ts'
import { useUser } from '../../session/useSession.ts'
import { BarPanel } from './BarPanel.tsx'
import bar from './Topbar.module.css'
import classes from './UserMenu.module.css'
import shapes from '#web/ui/shapes.module.css'

const MessagesRow = onDemand(async () => (await import('./MessagesRow.tsx')).MessagesRow)

/** Who is signed in, the colour scheme, settings and the lock. */
export function UserMenu() {
  const user = useUser()
  const button = {
    className: bar.user ?? '',
    label: 'Your account',
    content: <Avatar name={user.name} picture={user.avatar} size={32} />,
  }
  return (
    <BarPanel id="bar-account" label="Your account" button={button}>
      {(close) => (
        <>
          <div className={classes.facts}>
            <strong>{user.name}</strong>
            <span className={shapes.hint}>{user.email}</span>
            <span className={shapes.hint}>
              {roleNames[user.role]}
              {user.organizationName && `, ${user.organizationName}`}
            </span>
          </div>
          <ThemeChoice />
          <Suspense>{user.organizationId && <MessagesRow onFollow={close} />}</Suspense>
          <Link className={menu.row} to={paths.settings()} onClick={close}>
            <IconSettings size={18} aria-hidden />
            <span>Profile and settings</span>
          </Link>
          <button type="button" className={menu.row} onClick={lock}>
            <IconLock size={18} aria-hidden />
            <span>Lock the session</span>
          </button>
        </>
      )}
    </BarPanel>
  )
}

const themes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'system', label: 'System', icon: IconDeviceDesktop },
] as const satisfies readonly { value: Theme; label: string; icon: unknown }[]

function ThemeChoice() {
  const { saved } = useLayout()
  return (
    <Segments
      className={classes.theme ?? ''}
      legend="Colour scheme"
      options={themes}
      value={saved.theme}
      onChange={(theme) => layout.choose({ theme })}
    />
  )
}
