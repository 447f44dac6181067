import { paths } from '#web/paths.ts'

type About = {
  /** Which setting the page shows. */
  sentence: string
  /** What else it has: room to scroll, a narrow column, or a title with more than a title. */
  extra?: 'tall' | 'narrow' | 'sub-items' | 'tools'
}

/** What each page of `../demoPages.ts` tells of itself, by its path; kept apart, as every page of the console carries that list. */
export const aboutPages: Readonly<Record<string, About>> = {
  [paths.layout('scrollable')]: {
    sentence: 'Layout position “Scrollable”: top bar and side navigation scroll away with the page.',
    extra: 'tall',
  },
  [paths.layout('compact')]: {
    sentence: 'No setting: the title takes the whole width, the content a column of 1140 pixels at most.',
    extra: 'narrow',
  },
  [paths.layout('boxed')]: {
    sentence:
      'Layout width “Boxed” with the sidebar size “On Hover”: from 1400 pixels the page is 1340 wide.',
  },
  [paths.layout('horizontal')]: {
    sentence: 'Orientation “Horizontal”: the navigation lies below the top bar.',
  },
  [paths.layout('sidebars/compact')]: { sentence: 'Sidebar size “Compact”: icons above their labels.' },
  [paths.layout('sidebars/icon-view')]: {
    sentence: 'Sidebar size “Condensed”: icons alone; labels and sub-menus fly out.',
  },
  [paths.layout('sidebars/on-hover')]: {
    sentence: 'Sidebar size “On Hover”: a rail that widens over the page under the pointer.',
  },
  [paths.layout('sidebars/on-hover-active')]: {
    sentence: 'Sidebar size “On Hover - Show”: the rail is pinned open.',
  },
  [paths.layout('sidebars/offcanvas')]: {
    sentence: 'Sidebar size “Offcanvas”: the navigation is out of sight until the toggle brings it.',
  },
  [paths.layout('sidebars/no-icons-with-lines')]: {
    sentence: 'No setting: two classes of the page leave out the icons and draw lines to sub-items.',
  },
  [paths.layout('sidebars/with-lines')]: {
    sentence: 'No setting: a class of the page draws lines to sub-items.',
  },
  [paths.layout('sidebars/light')]: { sentence: 'Sidenav colour “Light”.' },
  [paths.layout('sidebars/gradient')]: { sentence: 'Sidenav colour “Gradient”.' },
  [paths.layout('sidebars/gray')]: { sentence: 'Sidenav colour “Gray”.' },
  [paths.layout('sidebars/image')]: { sentence: 'Sidenav colour “Image”.' },
  [paths.layout('topbars/dark')]: { sentence: 'Topbar colour “Dark”.' },
  [paths.layout('topbars/gray')]: { sentence: 'Topbar colour “Gray”.' },
  [paths.layout('topbars/gradient')]: { sentence: 'Topbar colour “Gradient”.' },
  [paths.layout('topbars/with-sub-items')]: {
    sentence: 'No setting: the title has a greeting, breadcrumbs and actions.',
    extra: 'sub-items',
  },
  [paths.layout('topbars/with-tools')]: {
    sentence: 'No setting: the title has a greeting, counts and a range of dates.',
    extra: 'tools',
  },
}
