import { paths } from '#web/paths.ts'
import type { Override } from './effective.ts'

/** A page that shows one choice of the layout at work; `pages/about.ts` says which. */
export type DemoPage = {
  path: string
  group: 'Layout Options' | 'Sidebars' | 'Topbars'
  label: string
  /** What it shows in place of the saved choices while it is open. */
  override: Override
}

const page =
  (group: DemoPage['group']) =>
  (name: Parameters<typeof paths.layout>[0], label: string, override: Override = {}): DemoPage => ({
    path: paths.layout(name),
    group,
    label,
    override,
  })
const option = page('Layout Options')
const sidebar = page('Sidebars')
const topbar = page('Topbars')

/** The twenty of them, in the order of the menu. */
export const demoPages: readonly DemoPage[] = [
  option('scrollable', 'Scrollable', { position: 'scrollable' }),
  option('compact', 'Compact'),
  option('boxed', 'Boxed', { width: 'boxed', size: 'on-hover' }),
  option('horizontal', 'Horizontal', { orientation: 'horizontal' }),
  sidebar('sidebars/compact', 'Compact Menu', { size: 'compact' }),
  sidebar('sidebars/icon-view', 'Icon View Menu', { size: 'condensed' }),
  sidebar('sidebars/on-hover', 'On Hover Menu', { size: 'on-hover' }),
  sidebar('sidebars/on-hover-active', 'On Hover Active Menu', { size: 'on-hover-active' }),
  sidebar('sidebars/offcanvas', 'Offcanvas Menu', { size: 'offcanvas' }),
  sidebar('sidebars/no-icons-with-lines', 'No Icons With Lines', {
    classes: ['sidebar-no-icons', 'sidebar-with-line'],
  }),
  sidebar('sidebars/with-lines', 'Sidebar With Lines', { classes: ['sidebar-with-line'] }),
  sidebar('sidebars/light', 'Light Menu', { menuColor: 'light' }),
  sidebar('sidebars/gradient', 'Gradient Menu', { menuColor: 'gradient' }),
  sidebar('sidebars/gray', 'Gray Menu', { menuColor: 'gray' }),
  sidebar('sidebars/image', 'Image Menu', { menuColor: 'image' }),
  topbar('topbars/dark', 'Dark Topbar', { topbarColor: 'dark' }),
  topbar('topbars/gray', 'Gray Topbar', { topbarColor: 'gray' }),
  topbar('topbars/gradient', 'Gradient Topbar', { topbarColor: 'gradient' }),
  topbar('topbars/with-sub-items', 'Topbar with Sub Items'),
  topbar('topbars/with-tools', 'Topbar with Tools'),
]
