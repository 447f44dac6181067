import { layoutPages, type LayoutPage } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import type { Override } from '../effective.ts'

/** What each page of the layouts shows in place of the saved choices while it is open. */
export const demoLayouts: Readonly<Record<LayoutPage, Override>> = {
  scrollable: { position: 'scrollable' },
  compact: {},
  boxed: { width: 'boxed', size: 'on-hover' },
  horizontal: { orientation: 'horizontal' },
  'sidebars/compact': { size: 'compact' },
  'sidebars/icon-view': { size: 'condensed' },
  'sidebars/on-hover': { size: 'on-hover' },
  'sidebars/on-hover-active': { size: 'on-hover-active' },
  'sidebars/offcanvas': { size: 'offcanvas' },
  'sidebars/no-icons-with-lines': { classes: ['sidebar-no-icons', 'sidebar-with-line'] },
  'sidebars/with-lines': { classes: ['sidebar-with-line'] },
  'sidebars/light': { menuColor: 'light' },
  'sidebars/gradient': { menuColor: 'gradient' },
  'sidebars/gray': { menuColor: 'gray' },
  'sidebars/image': { menuColor: 'image' },
  'topbars/dark': { topbarColor: 'dark' },
  'topbars/gray': { topbarColor: 'gray' },
  'topbars/gradient': { topbarColor: 'gradient' },
  'topbars/with-sub-items': {},
  'topbars/with-tools': {},
}

/** The page of the layouts at an address. */
export const layoutPageAt = (path: string): LayoutPage | undefined =>
  layoutPages.find((page) => paths.layout(page) === path)
