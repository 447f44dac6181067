import { paths } from '#web/paths.ts'
import type { Override } from './effective.ts'

/** A page that shows one choice of the layout at work. */
export type DemoPage = {
  path: string
  group: 'Layout Options' | 'Sidebars' | 'Topbars'
  label: string
  /** What it shows in place of the saved choices while it is open. */
  override: Override
  /** Which setting that is. */
  sentence: string
  /** What else the page has: room to scroll, a narrow column, or a title with more than a title. */
  extra?: 'tall' | 'narrow' | 'sub-items' | 'tools'
}

/** The twenty of them, in the order of the menu. */
export const demoPages: readonly DemoPage[] = [
  {
    path: paths.layout('scrollable'),
    group: 'Layout Options',
    label: 'Scrollable',
    override: { position: 'scrollable' },
    sentence: 'Layout position “Scrollable”: top bar and side navigation scroll away with the page.',
    extra: 'tall',
  },
  {
    path: paths.layout('compact'),
    group: 'Layout Options',
    label: 'Compact',
    override: {},
    sentence: 'No setting: the title takes the whole width, the content a column of 1140 pixels at most.',
    extra: 'narrow',
  },
  {
    path: paths.layout('boxed'),
    group: 'Layout Options',
    label: 'Boxed',
    override: { width: 'boxed', size: 'on-hover' },
    sentence:
      'Layout width “Boxed” with the sidebar size “On Hover”: from 1400 pixels the page is 1340 wide.',
  },
  {
    path: paths.layout('horizontal'),
    group: 'Layout Options',
    label: 'Horizontal',
    override: { orientation: 'horizontal' },
    sentence: 'Orientation “Horizontal”: the navigation lies below the top bar.',
  },
  {
    path: paths.layout('sidebars/compact'),
    group: 'Sidebars',
    label: 'Compact Menu',
    override: { size: 'compact' },
    sentence: 'Sidebar size “Compact”: icons above their labels.',
  },
  {
    path: paths.layout('sidebars/icon-view'),
    group: 'Sidebars',
    label: 'Icon View Menu',
    override: { size: 'condensed' },
    sentence: 'Sidebar size “Condensed”: icons alone; labels and sub-menus fly out.',
  },
  {
    path: paths.layout('sidebars/on-hover'),
    group: 'Sidebars',
    label: 'On Hover Menu',
    override: { size: 'on-hover' },
    sentence: 'Sidebar size “On Hover”: a rail that widens over the page under the pointer.',
  },
  {
    path: paths.layout('sidebars/on-hover-active'),
    group: 'Sidebars',
    label: 'On Hover Active Menu',
    override: { size: 'on-hover-active' },
    sentence: 'Sidebar size “On Hover - Show”: the rail is pinned open.',
  },
  {
    path: paths.layout('sidebars/offcanvas'),
    group: 'Sidebars',
    label: 'Offcanvas Menu',
    override: { size: 'offcanvas' },
    sentence: 'Sidebar size “Offcanvas”: the navigation is out of sight until the toggle brings it.',
  },
  {
    path: paths.layout('sidebars/no-icons-with-lines'),
    group: 'Sidebars',
    label: 'No Icons With Lines',
    override: { classes: ['sidebar-no-icons', 'sidebar-with-line'] },
    sentence: 'No setting: two classes of the page leave out the icons and draw lines to sub-items.',
  },
  {
    path: paths.layout('sidebars/with-lines'),
    group: 'Sidebars',
    label: 'Sidebar With Lines',
    override: { classes: ['sidebar-with-line'] },
    sentence: 'No setting: a class of the page draws lines to sub-items.',
  },
  {
    path: paths.layout('sidebars/light'),
    group: 'Sidebars',
    label: 'Light Menu',
    override: { menuColor: 'light' },
    sentence: 'Sidenav colour “Light”.',
  },
  {
    path: paths.layout('sidebars/gradient'),
    group: 'Sidebars',
    label: 'Gradient Menu',
    override: { menuColor: 'gradient' },
    sentence: 'Sidenav colour “Gradient”.',
  },
  {
    path: paths.layout('sidebars/gray'),
    group: 'Sidebars',
    label: 'Gray Menu',
    override: { menuColor: 'gray' },
    sentence: 'Sidenav colour “Gray”.',
  },
  {
    path: paths.layout('sidebars/image'),
    group: 'Sidebars',
    label: 'Image Menu',
    override: { menuColor: 'image' },
    sentence: 'Sidenav colour “Image”.',
  },
  {
    path: paths.layout('topbars/dark'),
    group: 'Topbars',
    label: 'Dark Topbar',
    override: { topbarColor: 'dark' },
    sentence: 'Topbar colour “Dark”.',
  },
  {
    path: paths.layout('topbars/gray'),
    group: 'Topbars',
    label: 'Gray Topbar',
    override: { topbarColor: 'gray' },
    sentence: 'Topbar colour “Gray”.',
  },
  {
    path: paths.layout('topbars/gradient'),
    group: 'Topbars',
    label: 'Gradient Topbar',
    override: { topbarColor: 'gradient' },
    sentence: 'Topbar colour “Gradient”.',
  },
  {
    path: paths.layout('topbars/with-sub-items'),
    group: 'Topbars',
    label: 'Topbar with Sub Items',
    override: {},
    sentence: 'No setting: the title has a greeting, breadcrumbs and actions.',
    extra: 'sub-items',
  },
  {
    path: paths.layout('topbars/with-tools'),
    group: 'Topbars',
    label: 'Topbar with Tools',
    override: {},
    sentence: 'No setting: the title has a greeting, counts and a range of dates.',
    extra: 'tools',
  },
]
