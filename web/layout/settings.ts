/** Everything that a person can choose about the layout, with the defaults of the specification, section 9. */
export const options = {
  skin: ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'],
  theme: ['light', 'dark', 'system'],
  topbarColor: ['light', 'dark', 'gray', 'gradient'],
  orientation: ['vertical', 'horizontal'],
  menuColor: ['light', 'dark', 'gray', 'gradient', 'image'],
  size: ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'],
  position: ['fixed', 'scrollable'],
  width: ['fluid', 'boxed'],
  user: [true, false],
} as const

/** What a person chooses, by name. */
export type Choices = { -readonly [K in keyof typeof options]: (typeof options)[K][number] }
export type Size = Choices['size']
export type Theme = Choices['theme']

/** The same as it is kept, in the shape of the specification, section 3. */
export type LayoutSettings = {
  skin: Choices['skin']
  theme: Theme
  orientation: Choices['orientation']
  sidenav: { size: Size; color: Choices['menuColor']; user: boolean; isMobileMenuOpen: boolean }
  topBar: { color: Choices['topbarColor'] }
  position: Choices['position']
  width: Choices['width']
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

export function choicesOf({ sidenav, topBar, ...rest }: LayoutSettings): Choices {
  const { size, color: menuColor, user } = sidenav
  return { ...rest, size, menuColor, user, topbarColor: topBar.color }
}

export function withChoices(settings: LayoutSettings, patch: Partial<Choices>): LayoutSettings {
  const { size, menuColor, user, topbarColor, ...rest } = { ...choicesOf(settings), ...patch }
  const { isMobileMenuOpen } = settings.sidenav
  return {
    ...rest,
    sidenav: { size, color: menuColor, user, isMobileMenuOpen },
    topBar: { color: topbarColor },
  }
}

function one<const T>(list: readonly T[], value: unknown, otherwise: T): T {
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
