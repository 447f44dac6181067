import {
  IconAdjustmentsHorizontal,
  IconDeviceDesktop,
  IconFileImport,
  IconKeyboard,
  IconLock,
  IconLogout,
  IconMailPlus,
  IconMoon,
  IconPlugConnected,
  IconShieldLock,
  IconSun,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import type { SessionUser } from '#contract/identity/auth.ts'
import type { Theme } from '../settings.ts'
import { paths } from '#web/paths.ts'
import { customizer } from '../customizer/customizer.ts'
import { mayOpen } from '../gates.ts'
import { signOut } from '../../session/leave.ts'
import { menuFor, type MenuItem } from '../menu.ts'
import { lock } from '../../session/lock.ts'
import { help } from '../shortcuts/keys.ts'
import { layout } from '../store.ts'
import { megaColumns } from '../topbar/megaLinks.ts'

/** A page, or something to do at once. */
export type SearchPlace = {
  key: string
  label: string
  about: string
  icon: Icon | undefined
  /** Other words that people would type for it. */
  words: string
  to?: string
  search?: Record<string, string>
  run?: () => void
}

/** Other words for what the menus name, by the last part of the address. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [/\/create$/, 'new create'],
  [/\/users\/create$/, 'user somebody'],
  [/\/organizations\/create$/, 'account tenant'],
  [/\/transmissions\/create$/, 'send message mail campaign'],
  [/\/content$/, 'videos films library'],
  [/\/assignments\/create$/, 'duty require training course recertification reminder'],
  [/\/assignments$/, 'duties required training courses recertification reminders'],
  [/\/transmissions$/, 'messages sent mails'],
  [/\/recently-removed$/, 'undo restore trash bin deleted bring back'],
  [/\/settings$/, 'preferences profile account options'],
  [/\/dashboard$/, 'home overview start'],
  [/\/organizations$/, 'accounts tenants people users groups'],
  [/^\/reports\//, 'report metrics analytics figures statistics'],
]

function wordsFor(to: string): string {
  return synonyms.flatMap(([pattern, words]) => (pattern.test(to) ? [words] : [])).join(' ')
}

function leaves(items: readonly MenuItem[]): MenuItem[] {
  return items.flatMap((item) => [...(item.url === undefined ? [] : [item]), ...leaves(item.children ?? [])])
}

type Link = Pick<SearchPlace, 'label' | 'about' | 'icon' | 'words' | 'search'> & {
  page: string
  to: string | null
}

/** What the menus do not name. */
function furtherLinks(orgId: string | null): Link[] {
  const uploads = { page: '/content', to: paths.content() }
  const imports = { page: '/organizations/$orgId/users/import', to: orgId && paths.userImport(orgId) }
  const invites = { page: '/organizations/$orgId/invite', to: orgId && paths.organizationInvite(orgId) }
  const superadmins = { page: '/organizations/invite', to: paths.superadminInvite() }
  const systems = { page: '/organizations/$orgId/systems', to: orgId && paths.systems(orgId) }
  const security = { page: '/settings', to: paths.settings(), search: { tab: 'security' } }
  return [
    {
      ...uploads,
      label: 'Upload a video',
      about: 'Content',
      icon: IconUpload,
      words: 'add new video file content',
    },
    {
      ...invites,
      label: 'Invite people',
      about: 'By mail',
      icon: IconMailPlus,
      words: 'invitation add admin groupadmin',
    },
    {
      ...imports,
      label: 'Import people',
      about: 'From a CSV file',
      icon: IconFileImport,
      words: 'csv spreadsheet upload users',
    },
    {
      ...superadmins,
      label: 'Invite a superadmin',
      about: 'By mail',
      icon: IconMailPlus,
      words: 'invitation add',
    },
    {
      ...systems,
      label: 'Other systems',
      about: 'Events, SMS and chat',
      icon: IconPlugConnected,
      words: 'webhooks events integration hr api sms chat',
    },
    {
      ...security,
      label: 'Security',
      about: 'Password, passkeys, second step',
      icon: IconShieldLock,
      words: 'password passkey two-factor mfa',
    },
  ]
}

const themes: readonly { theme: Theme; label: string; icon: Icon }[] = [
  { theme: 'dark', label: 'Dark theme', icon: IconMoon },
  { theme: 'light', label: 'Light theme', icon: IconSun },
  { theme: 'system', label: 'Theme of the device', icon: IconDeviceDesktop },
]

const deeds: readonly SearchPlace[] = [
  ...themes.map(({ theme, label, icon }) => ({
    key: `theme-${theme}`,
    label,
    about: 'Colour scheme',
    icon,
    words: 'mode colour color scheme appearance',
    run: () => layout.choose({ theme }),
  })),
  {
    key: 'customizer',
    label: 'Layout customizer',
    about: 'Skin, colours, menu',
    icon: IconAdjustmentsHorizontal,
    words: 'skin appearance sidebar look',
    run: () => void (customizer.isOpen() || customizer.toggle()),
  },
  {
    key: 'shortcuts',
    label: 'Keyboard shortcuts',
    about: 'What the keys do',
    icon: IconKeyboard,
    words: 'help keys',
    run: () => help.open(),
  },
  { key: 'lock', label: 'Lock the session', about: '', icon: IconLock, words: 'screen away', run: lock },
  {
    key: 'logout',
    label: 'Logout',
    about: '',
    icon: IconLogout,
    words: 'sign out log off leave',
    run: () => void signOut(),
  },
]

/** Everything that the menus lead to and that can be done at once, as far as the person may. */
export function placesOf(user: Pick<SessionUser, 'role' | 'organizationId'>): SearchPlace[] {
  const places = new Map<string, SearchPlace>()
  const add = ({ to, ...place }: Omit<SearchPlace, 'key'> & { to: string }) => {
    const key = place.label + to
    const isThere = [...places.values()].some((one) => one.to === to && one.label === place.label)
    if (!isThere) places.set(key, { ...place, key, to, words: `${place.words} ${wordsFor(to)}` })
  }
  for (const { links } of megaColumns(user)) for (const link of links) add({ ...link, words: '' })
  for (const { label, url = '', icon } of leaves(menuFor(user.role)))
    if (![...places.values()].some(({ to }) => to === url))
      add({ label, about: '', icon, words: '', to: url })
  for (const { page, to, ...link } of furtherLinks(user.organizationId))
    if (to !== null && mayOpen(user.role, page)) add({ ...link, to })
  return [...places.values(), ...deeds]
}

const offered = /\/(create|invite)$/

/** What somebody may want to begin, for a field that is still empty. */
export function beginnings(places: readonly SearchPlace[]): SearchPlace[] {
  return places.filter(({ to, label }) => offered.test(to ?? '') || label === 'Upload a video').slice(0, 5)
}
