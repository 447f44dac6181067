import { Menu } from '@mantine/core'
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSettings,
  IconSun,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { LogoMark } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import { signOut } from './leave.ts'
import { roleNames } from './roleNames.ts'
import { SearchBox } from './SearchBox.tsx'
import type { Theme } from './settings.ts'
import { layout, useLayout } from './store.ts'
import { useUser } from './useSession.ts'

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
    <Menu position="bottom-end" width={200} zIndex={300} transitionProps={{ duration: 120 }}>
      <Menu.Target>
        <button type="button" className="bar-button" aria-label="Colour scheme">
          <Icon size={20} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Colour scheme">
        {themes.map(({ theme, label, icon: Icon }) => (
          <Menu.Item
            key={theme}
            role="menuitemradio"
            aria-checked={saved.theme === theme}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={saved.theme === theme ? <IconCheck size={16} aria-hidden /> : null}
            onClick={() => layout.setTheme(theme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function UserMenu() {
  const user = useUser()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-end" width={240} zIndex={300} transitionProps={{ duration: 120 }}>
      <Menu.Target>
        <button type="button" className="bar-button bar-user" aria-label={`Account of ${user.name}`}>
          <Avatar name={user.name} size={32} />
        </button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Account">
        <div className="bar-user-facts" role="presentation">
          <strong>{user.name}</strong>
          <span>{user.email}</span>
          <span>
            {roleNames[user.role]}
            {user.organizationName && `, ${user.organizationName}`}
          </span>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={() => void navigate({ to: paths.settings() })}
        >
          Your profile
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
