import {
  IconDeviceDesktop,
  IconLock,
  IconMailbox,
  IconMoon,
  IconSettings,
  IconSun,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { readInboxState } from '#contract/inbox.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatNumber } from '#web/ui/format.ts'
import menu from '#web/ui/overlays/menu.module.css'
import { Segments } from '#web/ui/figures/Segments.tsx'
import { roleNames } from '../../session/roleNames.ts'
import { lock } from '../../session/lock.ts'
import type { Theme } from '../settings.ts'
import { layout, useLayout } from '../store.ts'
import { useSession, useUser } from '../../session/useSession.ts'
import classes from './UserPanel.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { onFollow: () => void }

/** Who is signed in, the colour scheme, what they were sent themselves, settings and the lock. */
export function UserPanel({ onFollow }: Props) {
  const user = useUser()
  const { viewing } = useSession()
  return (
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
      {user.organizationId && !viewing && <Messages onFollow={onFollow} />}
      <Link className={menu.row} to={paths.settings()} onClick={onFollow}>
        <IconSettings size={18} aria-hidden />
        <span>Profile and settings</span>
      </Link>
      <button type="button" className={menu.row} onClick={lock}>
        <IconLock size={18} aria-hidden />
        <span>Lock the session</span>
      </button>
    </>
  )
}

/** With how many are unread. */
function Messages({ onFollow }: Props) {
  const { page } = useList(readInboxState, {}, { every: 60_000 })
  const unread = page?.unread ?? 0
  return (
    <Link className={menu.row} to={paths.inbox()} onClick={onFollow}>
      <IconMailbox size={18} aria-hidden />
      <span>Your messages{unread > 0 && `, ${formatNumber(unread)} new`}</span>
    </Link>
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
