import type { LayoutPage } from '#contract/roles.ts'

export type AboutPage = {
  group: 'Layout Options' | 'Sidebars' | 'Topbars'
  label: string
  /** Which setting the page shows. */
  sentence: string
  /** What else it has: room to scroll, a narrow column, or a title with more than a title. */
  extra?: 'tall' | 'narrow' | 'sub-items' | 'tools'
}

/** What each page of the layouts is called and tells of itself, in the order of the menu. */
export const aboutPages: Readonly<Record<LayoutPage, AboutPage>> = {
  scrollable: {
    group: 'Layout Options',
    label: 'Scrollable',
    sentence: 'Layout position “Scrollable”: top bar and side navigation scroll away with the page.',
    extra: 'tall',
  },
  compact: {
    group: 'Layout Options',
    label: 'Compact',
    sentence: 'No setting: the title takes the whole width, the content a column of 1140 pixels at most.',
    extra: 'narrow',
  },
  boxed: {
    group: 'Layout Options',
    label: 'Boxed',
    sentence:
      'Layout width “Boxed” with the sidebar size “On Hover”: from 1400 pixels the page is 1340 wide.',
  },
  horizontal: {
    group: 'Layout Options',
    label: 'Horizontal',
    sentence: 'Orientation “Horizontal”: the navigation lies below the top bar.',
  },
  'sidebars/compact': {
    group: 'Sidebars',
    label: 'Compact Menu',
    sentence: 'Sidebar size “Compact”: icons above their labels.',
  },
  'sidebars/icon-view': {
    group: 'Sidebars',
    label: 'Icon View Menu',
    sentence: 'Sidebar size “Condensed”: icons alone; labels and sub-menus fly out.',
  },
  'sidebars/on-hover': {
    group: 'Sidebars',
    label: 'On Hover Menu',
    sentence: 'Sidebar size “On Hover”: a rail that widens over the page under the pointer.',
  },
  'sidebars/on-hover-active': {
    group: 'Sidebars',
    label: 'On Hover Active Menu',
    sentence: 'Sidebar size “On Hover - Show”: the rail is pinned open.',
  },
  'sidebars/offcanvas': {
    group: 'Sidebars',
    label: 'Offcanvas Menu',
    sentence: 'Sidebar size “Offcanvas”: the navigation is out of sight until the toggle brings it.',
  },
  'sidebars/no-icons-with-lines': {
    group: 'Sidebars',
    label: 'No Icons With Lines',
    sentence: 'No setting: two classes of the page leave out the icons and draw lines to sub-items.',
  },
  'sidebars/with-lines': {
    group: 'Sidebars',
    label: 'Sidebar With Lines',
    sentence: 'No setting: a class of the page draws lines to sub-items.',
  },
  'sidebars/light': {
    group: 'Sidebars',
    label: 'Light Menu',
    sentence: 'Sidenav colour “Light”.',
  },
  'sidebars/gradient': {
    group: 'Sidebars',
    label: 'Gradient Menu',
    sentence: 'Sidenav colour “Gradient”.',
  },
  'sidebars/gray': {
    group: 'Sidebars',
    label: 'Gray Menu',
    sentence: 'Sidenav colour “Gray”.',
  },
  'sidebars/image': {
    group: 'Sidebars',
    label: 'Image Menu',
    sentence: 'Sidenav colour “Image”.',
  },
  'topbars/dark': {
    group: 'Topbars',
    label: 'Dark Topbar',
    sentence: 'Topbar colour “Dark”.',
  },
  'topbars/gray': {
    group: 'Topbars',
    label: 'Gray Topbar',
    sentence: 'Topbar colour “Gray”.',
  },
  'topbars/gradient': {
    group: 'Topbars',
    label: 'Gradient Topbar',
    sentence: 'Topbar colour “Gradient”.',
  },
  'topbars/with-sub-items': {
    group: 'Topbars',
    label: 'Topbar with Sub Items',
    sentence: 'No setting: the title has a greeting, breadcrumbs and actions.',
    extra: 'sub-items',
  },
  'topbars/with-tools': {
    group: 'Topbars',
    label: 'Topbar with Tools',
    sentence: 'No setting: the title has a greeting, counts and a range of dates.',
    extra: 'tools',
  },
}
