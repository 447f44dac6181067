import {
  IconBuilding,
  IconLayoutDashboard,
  IconMovie,
  IconSend,
  IconSettings,
  type Icon,
} from '@tabler/icons-react'
import { pages, type Role } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'

export type MenuItem = { key: string; label: string; icon: Icon; url: string }

/** The side navigation in the order of the specification; each item shows to the roles that may open its page. */
const items: readonly MenuItem[] = [
  { key: 'dashboard', label: 'Dashboard', icon: IconLayoutDashboard, url: paths.dashboard() },
  { key: 'organizations', label: 'Organizations', icon: IconBuilding, url: paths.organizations() },
  { key: 'content', label: 'Content', icon: IconMovie, url: paths.content() },
  { key: 'transmissions', label: 'Transmissions', icon: IconSend, url: paths.transmissions() },
  { key: 'settings', label: 'Settings', icon: IconSettings, url: paths.settings() },
]

export function menuFor(role: Role): readonly MenuItem[] {
  return items.filter(({ url }) => pages.some((page) => page.path === url && page.roles.includes(role)))
}

/** The longest menu address that the path lies at or below. */
export function activeItem(list: readonly MenuItem[], path: string): string | undefined {
  const above = list.filter(({ url }) => path === url || path.startsWith(`${url}/`))
  return above.sort((one, other) => other.url.length - one.url.length)[0]?.key
}
