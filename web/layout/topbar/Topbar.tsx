import { IconLogout, IconMenu2, IconMoon, IconSun } from '@tabler/icons-react'
import { paths } from '#web/paths.ts'
import { LogoMark, LogoName } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import { CustomizerButton } from '../customizer/CustomizerButton.tsx'
import { signOut } from '../../session/leave.ts'
import { layout, useLayout, type Layout } from '../store.ts'
import { useUser } from '../../session/useSession.ts'
import { MegaMenu } from './MegaMenu.tsx'
import { Notices } from './Notices.tsx'
import { OrganizationMenu } from './OrganizationMenu.tsx'
import { SearchBox } from './SearchBox.tsx'
import { named } from '#web/ui/overlays/tips.ts'
import logo from '#web/layout/logo.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import classes from './Topbar.module.css'
import { Suspense } from 'react'
import { Avatar } from '#web/ui/Avatar.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { BarPanel } from './BarPanel.tsx'

const open = async () => (await import('./UserPanel.tsx')).UserPanel
const UserPanel = onDemand(open)

/** Who is signed in, and what is theirs. */
function UserMenu() {
  const user = useUser()
  const button = {
    className: classes.user ?? '',
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

/**
 * Logo, toggle of the side navigation, search, mega-menu, a superadmin's organization, customizer, theme, notifications, the person,
 * Logout. Below 768 px Logout is an icon, the theme is in the menu of the person, and the mega-menu is what the side navigation lists.
 */
export function Topbar() {
  const { isTopnav } = useLayout()
  return (
    <header className={classes.bar} data-part="topbar">
      <StartLink />
      {!isTopnav && <NavToggle />}
      <SearchBox />
      <MegaMenu />
      {useUser().role === 'superadmin' && <OrganizationMenu />}
      <div className={`${shapes.row} ${shapes.end} ${classes.end}`}>
        <CustomizerButton />
        <ThemeSwitch />
        <Notices />
        <UserMenu />
        <button
          type="button"
          className={`${classes.button} ${classes.logout}`}
          onClick={() => void signOut()}
        >
          <IconLogout size={20} aria-hidden />
          <span>Logout</span>
        </button>
      </div>
    </header>
  )
}

/** Whether the side navigation shows the whole logo already. */
function hasLogoBeside({ size, isTopnav }: Layout): boolean {
  return !isTopnav && (size === 'default' || size === 'compact' || size === 'on-hover-active')
}

function StartLink() {
  const isShort = hasLogoBeside(useLayout())
  return (
    <a href={paths.home()} className={logo.logo} aria-label={`${product.name} start page`}>
      <LogoMark />
      {!isShort && <LogoName className={`${shapes.cut} ${logo.name}`} />}
    </a>
  )
}

function toggleName({ size, isMenuOpen }: Layout): string {
  if (size === 'offcanvas') return isMenuOpen ? 'Close the menu' : 'Open the menu'
  return size === 'condensed' || size === 'on-hover' ? 'Widen the menu' : 'Narrow the menu'
}

function NavToggle() {
  const now = useLayout()
  const name = toggleName(now)
  return (
    <button
      type="button"
      id="nav-toggle"
      className={classes.button}
      aria-controls="sidenav"
      {...named(name)}
      aria-expanded={now.size === 'offcanvas' ? now.isMenuOpen : undefined}
      onClick={layout.toggle}
    >
      <IconMenu2 size={20} aria-hidden />
    </button>
  )
}

function ThemeSwitch() {
  const other = useLayout().theme === 'dark' ? 'light' : 'dark'
  const name = other === 'dark' ? 'Switch to dark' : 'Switch to light'
  const Icon = other === 'dark' ? IconMoon : IconSun
  return (
    <button
      type="button"
      className={`${classes.button} ${classes.wide}`}
      {...named(name)}
      onClick={() => layout.choose({ theme: other })}
    >
      <Icon size={20} aria-hidden />
    </button>
  )
}
