import {
  IconDeviceDesktop,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSettings,
  IconSun,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { LogoMark } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import { CustomizerButton } from '../customizer/CustomizerButton.tsx'
import { signOut } from '../leave.ts'
import { roleNames } from '../roleNames.ts'
import { SearchBox } from './SearchBox.tsx'
import type { Theme } from '../settings.ts'
import { layout, useLayout } from '../store.ts'
import { useUser } from '../useSession.ts'

/** Logo, toggle of the side navigation, search, theme, the person, logout. */
export function Topbar() {
  const { size, isMenuOpen } = useLayout()
  const isOffcanvas = size === 'offcanvas'
  const open = isOffcanvas ? { 'aria-expanded': isMenuOpen } : {}
  return (
    <header className="bar" data-part="topbar">
      <a href={paths.home()} className="logo bar-logo" aria-label={`${product.name} start page`}>
        <LogoMark />
        {isOffcanvas && <span className="logo-name">{product.name}</span>}
      </a>
      <button
        type="button"
        id="nav-toggle"
        className="bar-button"
        aria-controls="sidenav"
        aria-label={
          isOffcanvas ? 'Open the menu' : size === 'condensed' ? 'Widen the menu' : 'Narrow the menu'
        }
        onClick={layout.toggle}
        {...open}
      >
        <IconMenu2 size={20} aria-hidden />
      </button>
      <SearchBox />
      <div className="bar-end">
        <CustomizerButton />
        <ThemeMenu />
        <UserMenu />
        <button type="button" className="bar-button bar-logout" onClick={() => void signOut()}>
          <IconLogout size={20} aria-hidden />
          <span>Logout</span>
        </button>
      </div>
    </header>
  )
}

const themes = [
  { theme: 'light', label: 'Light', icon: IconSun },
  { theme: 'dark', label: 'Dark', icon: IconMoon },
  { theme: 'system', label: 'Like this device', icon: IconDeviceDesktop },
] as const satisfies readonly { theme: Theme; label: string; icon: unknown }[]

function ThemeMenu() {
  const { saved } = useLayout()
  const Icon = themes.find(({ theme }) => theme === saved.theme)?.icon ?? IconSun
  return (
    <>
      <button type="button" className="bar-button" popoverTarget="bar-theme" aria-label="Colour scheme">
        <Icon size={20} aria-hidden />
      </button>
      <fieldset id="bar-theme" className="bar-pop" popover="auto">
        <legend className="ui-sr">Colour scheme</legend>
        {themes.map(({ theme, label, icon: Icon }) => (
          <label key={theme} className="bar-pop-row">
            <Icon size={16} aria-hidden />
            <span>{label}</span>
            <input
              type="radio"
              name="theme"
              checked={saved.theme === theme}
              onChange={() => layout.choose({ theme })}
            />
          </label>
        ))}
      </fieldset>
    </>
  )
}

function UserMenu() {
  const user = useUser()
  const panel = useRef<HTMLElement>(null)
  return (
    <>
      <button
        type="button"
        className="bar-button bar-user"
        popoverTarget="bar-account"
        aria-label="Your account"
      >
        <Avatar name={user.name} size={32} />
      </button>
      <section id="bar-account" className="bar-pop" popover="auto" aria-label="Your account" ref={panel}>
        <div className="bar-user-facts">
          <strong>{user.name}</strong>
          <span>{user.email}</span>
          <span>
            {roleNames[user.role]}
            {user.organizationName && `, ${user.organizationName}`}
          </span>
        </div>
        <Link className="bar-pop-row" to={paths.settings()} onClick={() => panel.current?.hidePopover()}>
          <IconSettings size={16} aria-hidden />
          <span>Your profile</span>
        </Link>
        <button type="button" className="bar-pop-row" onClick={() => void signOut()}>
          <IconLogout size={16} aria-hidden />
          <span>Log out</span>
        </button>
      </section>
    </>
  )
}
