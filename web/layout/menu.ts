import {
  IconBuilding,
  IconChecklist,
  IconChecks,
  IconLayoutDashboard,
  IconMovie,
  IconReportAnalytics,
  IconSend,
  IconSettings,
  type Icon,
} from '@tabler/icons-react'
import type { Role } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import { mayOpen } from './gates.ts'

/** An item of the menu, as the specification names it in section 3. One with children is a group, or a section. */
export type MenuItem = {
  key: string
  label: string
  icon?: Icon
  url?: string
  children?: readonly MenuItem[]
  /** A caption over its children, which stand at the top level. */
  isTitle?: boolean
  badge?: { text: string; variant: 'success' | 'warning' | 'danger' | 'info' }
  isDisabled?: boolean
  isSpecial?: boolean
}

/** The menu of the product in the order of the specification, section 2. */
const productMenu: readonly MenuItem[] = [
  { key: 'dashboard', label: 'Dashboard', icon: IconLayoutDashboard, url: paths.dashboard() },
  { key: 'organizations', label: 'Organizations', icon: IconBuilding, url: paths.organizations() },
  { key: 'content', label: 'Content', icon: IconMovie, url: paths.content() },
  { key: 'transmissions', label: 'Transmissions', icon: IconSend, url: paths.transmissions() },
  { key: 'assignments', label: 'Assignments', icon: IconChecks, url: paths.assignments() },
  { key: 'settings', label: 'Settings', icon: IconSettings, url: paths.settings() },
  {
    key: 'metrics',
    label: 'Metrics & Analytics',
    isTitle: true,
    children: [
      {
        key: 'reports',
        label: 'Reports',
        icon: IconReportAnalytics,
        children: [
          { key: 'user-activity', label: 'Account User Activity', url: paths.reportUserActivity() },
          { key: 'user-engagement', label: 'User Engagement', url: paths.reportUserEngagement() },
          { key: 'account-activity', label: 'Account Activity', url: paths.reportAccountActivity() },
          { key: 'message-analytics', label: 'Message Analytics', url: paths.reportMessageAnalytics() },
          { key: 'quiz-metrics', label: 'Quiz Metrics', url: paths.reportQuizMetrics() },
        ],
      },
      {
        key: 'training-matrix',
        label: 'Training Matrix',
        icon: IconChecklist,
        url: paths.trainingMatrix(),
      },
    ],
  },
]

/** Pages for everyone, each an entry of its own: a link to one leaves the console. */
export function isPublicPage(url: string): boolean {
  return /^\/(auth-1|error)\/|^\/(landing|maintenance)$/.test(url)
}

/** The items that lead the role somewhere; a group or a section without any left goes with them. */
export function allowed(items: readonly MenuItem[], role: Role): readonly MenuItem[] {
  return items.flatMap((item) => {
    if (item.url !== undefined) return isPublicPage(item.url) || mayOpen(role, item.url) ? [item] : []
    if (!item.children) return [item]
    const children = allowed(item.children, role)
    return children.length > 0 ? [{ ...item, children }] : []
  })
}

let demoMenu: readonly MenuItem[] = []

/** The menu of the pages that show the console as a template, for an installation whose configuration asks for it. */
export async function fetchDemoMenu(): Promise<void> {
  ;({ demoMenu } = await import('./demo/demoMenu.ts'))
}

/** The menu of a role; below it that of the template, where it was fetched. */
export function menuFor(role: Role, demo = demoMenu): readonly MenuItem[] {
  return allowed([...productMenu, ...demo], role)
}

type Trail = { url: string; keys: readonly string[] }

function trails(items: readonly MenuItem[]): readonly Trail[] {
  return items.flatMap(({ key, url, children = [], isTitle }): Trail[] => {
    const below = trails(children)
    const inside = isTitle ? below : below.map((trail) => ({ url: trail.url, keys: [key, ...trail.keys] }))
    return url === undefined ? [...inside] : [{ url, keys: [key] }, ...inside]
  })
}

/**
 * The way to the longest address of the menu that the path lies at or below: the keys from the top-level group to
 * the link. Empty where the menu has no such link.
 */
export function trailTo(items: readonly MenuItem[], path: string): readonly string[] {
  const above = trails(items).filter(({ url }) => path === url || path.startsWith(`${url}/`))
  return above.toSorted((one, other) => other.url.length - one.url.length)[0]?.keys ?? []
}
