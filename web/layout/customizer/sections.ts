import type { Choices } from '../settings.ts'

/** One card or button: what choosing it changes. Without `patch` it cannot be chosen, and `note` says why. */
export type Option = { label: string; patch?: Partial<Choices>; note?: string }
export type Section = {
  choice: keyof Choices
  legend: string
  kind: 'cards' | 'segments' | 'switch'
  options: readonly Option[]
  /** Only where there is a side navigation. */
  isVertical?: boolean
}

/** What the customizer offers, in its order. The width, fluid or boxed, has no control. */
export const sections: readonly Section[] = [
  {
    choice: 'skin',
    legend: 'Skin',
    kind: 'cards',
    options: [
      { label: 'Classic', patch: { skin: 'classic' }, note: 'Open Sans' },
      { label: 'Material', patch: { skin: 'material' }, note: 'Roboto' },
      { label: 'Modern', patch: { skin: 'modern' }, note: 'Poppins' },
      { label: 'SaaS', patch: { skin: 'saas' }, note: 'Inter' },
      { label: 'Flat', patch: { skin: 'flat' }, note: 'Nunito' },
      { label: 'Minimal', patch: { skin: 'minimal' }, note: 'IBM Plex Sans' },
      { label: 'Galaxy', note: 'Not available in this version' },
    ],
  },
  {
    choice: 'theme',
    legend: 'Colour scheme',
    kind: 'cards',
    options: [
      { label: 'Light', patch: { theme: 'light' } },
      { label: 'Dark', patch: { theme: 'dark' } },
      { label: 'System', patch: { theme: 'system' } },
    ],
  },
  {
    choice: 'topbarColor',
    legend: 'Topbar colour',
    kind: 'cards',
    options: [
      { label: 'Light', patch: { topbarColor: 'light' } },
      { label: 'Dark', patch: { topbarColor: 'dark' } },
      { label: 'Gray', patch: { topbarColor: 'gray' } },
      { label: 'Gradient', patch: { topbarColor: 'gradient' } },
    ],
  },
  {
    choice: 'orientation',
    legend: 'Orientation',
    kind: 'cards',
    options: [
      { label: 'Vertical', patch: { orientation: 'vertical' } },
      { label: 'Horizontal', patch: { orientation: 'horizontal' } },
    ],
  },
  {
    choice: 'menuColor',
    legend: 'Sidenav colour',
    kind: 'cards',
    options: [
      { label: 'Light', patch: { menuColor: 'light' } },
      { label: 'Dark', patch: { menuColor: 'dark' } },
      { label: 'Gray', patch: { menuColor: 'gray' } },
      { label: 'Gradient', patch: { menuColor: 'gradient' } },
      { label: 'Image', patch: { menuColor: 'image' } },
    ],
  },
  {
    choice: 'size',
    legend: 'Sidebar size',
    kind: 'cards',
    isVertical: true,
    options: [
      { label: 'Default', patch: { size: 'default' } },
      { label: 'Compact', patch: { size: 'compact' } },
      { label: 'Condensed', patch: { size: 'condensed' } },
      { label: 'On Hover', patch: { size: 'on-hover' } },
      { label: 'On Hover - Show', patch: { size: 'on-hover-active' } },
      { label: 'Offcanvas', patch: { size: 'offcanvas' } },
    ],
  },
  {
    choice: 'position',
    legend: 'Layout position',
    kind: 'segments',
    isVertical: true,
    options: [
      { label: 'Fixed', patch: { position: 'fixed' } },
      { label: 'Scrollable', patch: { position: 'scrollable' } },
    ],
  },
  {
    choice: 'user',
    legend: 'Sidebar user info',
    kind: 'switch',
    isVertical: true,
    options: [
      { label: 'shown', patch: { user: true } },
      { label: 'hidden', patch: { user: false } },
    ],
  },
]
