import { IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react'
import { useRef } from 'react'
import { paths } from '#web/paths.ts'
import menu from '#web/ui/menu.module.css'
import { place } from '#web/ui/place.ts'
import two from '#web/ui/twoLines.module.css'
import { signOut } from '../../session/leave.ts'
import { roleNames } from '../../session/roleNames.ts'
import { useUser } from '../../session/useSession.ts'
import { PlainLink } from './MenuItems.tsx'
import classes from './Sidenav.module.css'
import shapes from '#web/ui/shapes.module.css'

/** Who is signed in, with what concerns the person. */
export function UserBox({ onFollow }: { onFollow: () => void }) {
  const user = useUser()
  const panel = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  /** Below the box, wherever the side navigation stands. */
  const lay = () => box.current && panel.current && place(panel.current, box.current, 'below')
  const follow = () => {
    panel.current?.hidePopover()
    onFollow()
  }
  return (
    <div className={classes.user} ref={box}>
      <div className={`${two.lines} ${classes.facts}`}>
        <p>{user.name}</p>
        <p>{roleNames[user.role]}</p>
      </div>
      <button type="button" className={classes.button} popoverTarget="nav-account" aria-label="Account menu">
        <IconSettings size={20} stroke={1.6} aria-hidden />
      </button>
      <section
        id="nav-account"
        className={classes.pop}
        popover="auto"
        aria-label="Account menu"
        ref={panel}
        onToggle={({ newState }) => newState === 'open' && lay()}
      >
        <p className={shapes.lead}>Welcome, {user.name}</p>
        <PlainLink className={menu.row} to={paths.settings()} onClick={follow}>
          <IconUserCircle size={16} aria-hidden />
          Profile
        </PlainLink>
        <button type="button" className={menu.row} onClick={() => void signOut()}>
          <IconLogout size={16} aria-hidden />
          Logout
        </button>
      </section>
    </div>
  )
}
