/** Everything that a person can choose about the layout, with the defaults of the specification, section 9. */
export const options = {
  skin: ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'],
  theme: ['light', 'dark', 'system'],
  orientation: ['vertical', 'horizontal'],
  size: ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'],
  menuColor: ['light', 'dark', 'gray', 'gradient', 'image'],
  topbarColor: ['light', 'dark', 'gray', 'gradient'],
  position: ['fixed', 'scrollable'],
  width: ['fluid', 'boxed'],
} as const
type Option<K extends keyof typeof options> = (typeof options)[K][number]
export type Size = Option<'size'>
export type Theme = Option<'theme'>

export type LayoutSettings = {
  skin: Option<'skin'>
  theme: Theme
  orientation: Option<'orientation'>
  sidenav: { size: Size; color: Option<'menuColor'>; user: boolean; isMobileMenuOpen: boolean }
  topBar: { color: Option<'topbarColor'> }
  position: Option<'position'>
  width: Option<'width'>
}

export const storageKey = 'layout'

export const defaults: LayoutSettings = {
  skin: 'classic',
  theme: 'light',
  orientation: 'vertical',
  sidenav: { size: 'default', color: 'dark', user: true, isMobileMenuOpen: false },
  topBar: { color: 'light' },
  position: 'fixed',
  width: 'fluid',
}

function one<const T extends readonly string[]>(list: T, value: unknown, otherwise: T[number]): T[number] {
  return list.find((option) => option === value) ?? otherwise
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** Field by field; what is unknown or disabled becomes the default. The menu of phones is always closed at first. */
export function sanitize(value: unknown): LayoutSettings {
  const given = record(value)
  const sidenav = record(given['sidenav'])
  return {
    skin: one(options.skin, given['skin'], defaults.skin),
    theme: one(options.theme, given['theme'], defaults.theme),
    orientation: one(options.orientation, given['orientation'], defaults.orientation),
    sidenav: {
      size: one(options.size, sidenav['size'], defaults.sidenav.size),
      color: one(options.menuColor, sidenav['color'], defaults.sidenav.color),
      user: typeof sidenav['user'] === 'boolean' ? sidenav['user'] : defaults.sidenav.user,
      isMobileMenuOpen: false,
    },
    topBar: { color: one(options.topbarColor, record(given['topBar'])['color'], defaults.topBar.color) },
    position: one(options.position, given['position'], defaults.position),
    width: one(options.width, given['width'], defaults.width),
  }
}

export function fromStorage(text: string | null): LayoutSettings {
  try {
    return sanitize(text === null ? null : JSON.parse(text))
  } catch {
    return defaults
  }
}
