import {
  IconAlertTriangle,
  IconAppWindow,
  IconBan,
  IconLayoutNavbar,
  IconLayoutSidebar,
  IconLock,
  IconRocket,
  IconSitemap,
  IconStar,
  type Icon,
} from '@tabler/icons-react'
import { layoutPages } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import type { MenuItem } from '../menu.ts'
import { aboutPages, type AboutPage } from '../pages/about.ts'

function layoutGroup(group: AboutPage['group'], icon: Icon): MenuItem {
  const children = layoutPages
    .filter((page) => aboutPages[page].group === group)
    .map((page) => link(aboutPages[page].label, paths.layout(page)))
  return { key: group, label: group, icon, children }
}

function link(label: string, url: string): MenuItem {
  return { key: url, label, url }
}

/** What shows the console as a template: its layouts, its public pages, and an item of every kind. */
export const demoMenu: readonly MenuItem[] = [
  {
    key: 'layouts',
    label: 'Layouts',
    isTitle: true,
    children: [
      layoutGroup('Layout Options', IconAppWindow),
      layoutGroup('Sidebars', IconLayoutSidebar),
      layoutGroup('Topbars', IconLayoutNavbar),
    ],
  },
  {
    key: 'custom',
    label: 'Custom',
    isTitle: true,
    children: [
      {
        key: 'authentication',
        label: 'Authentication',
        icon: IconLock,
        children: [
          link('Sign In', paths.signIn()),
          link('Sign Up', paths.signUp()),
          link('Reset Password', paths.resetPassword()),
          link('New Password', paths.newPassword()),
          link('Two Factor', paths.twoFactor()),
          link('Lock Screen', paths.lockScreen()),
          link('Success Mail', paths.successMail()),
          link('Login PIN', paths.loginPin()),
          link('Login Password', paths.loginPassword()),
          link('Confirm', paths.confirm()),
          link('Delete Account', paths.deleteAccount()),
        ],
      },
      {
        key: 'errors',
        label: 'Error Pages',
        icon: IconAlertTriangle,
        children: [
          link('400 Bad Request', paths.error(400)),
          link('401 Unauthorized', paths.error(401)),
          link('403 Forbidden', paths.error(403)),
          link('404 Not Found', paths.error(404)),
          link('408 Request Timeout', paths.error(408)),
          link('500 Server Error', paths.error(500)),
          link('Maintenance', paths.maintenance()),
        ],
      },
      {
        key: 'landing',
        label: 'Landing',
        icon: IconRocket,
        url: paths.landing(),
        badge: { text: 'New', variant: 'success' },
      },
    ],
  },
  {
    key: 'items',
    label: 'Items',
    isTitle: true,
    children: [
      {
        key: 'levels',
        label: 'Menu Levels',
        icon: IconSitemap,
        children: [
          { key: 'second', label: 'Second Level', url: paths.landing() },
          {
            key: 'third',
            label: 'Third Level',
            children: [
              { key: 'third-link', label: 'Item 1', url: paths.maintenance() },
              {
                key: 'fourth',
                label: 'Fourth Level',
                children: [{ key: 'fourth-link', label: 'Item 2', url: paths.error(404) }],
              },
            ],
          },
        ],
      },
      { key: 'disabled', label: 'Disabled Menu', icon: IconBan, isDisabled: true },
      { key: 'special', label: 'Special Menu', icon: IconStar, url: paths.landing(), isSpecial: true },
    ],
  },
]
