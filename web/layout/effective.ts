import { choicesOf, type Choices, type LayoutSettings, type Size } from './settings.ts'

export type Band = 'phone' | 'tablet' | 'desktop'

/** What the device says; the widths are those of the specification, section 4. */
export const queries = {
  phone: '(max-width: 767.98px)',
  tablet: '(max-width: 1140px)',
  narrow: '(max-width: 991.98px)',
  dark: '(prefers-color-scheme: dark)',
} as const
export type Device = Record<keyof typeof queries, boolean>

export function bandOf(device: Device): Band {
  return device.phone ? 'phone' : device.tablet ? 'tablet' : 'desktop'
}

/** What a page shows in place of the saved choices while it is open; nothing of it is kept. */
export type Override = Partial<Choices> & {
  /** Classes of `<html>` for looks that nobody can choose. */
  classes?: readonly string[]
}

export type State = {
  saved: LayoutSettings
  override: Override
  device: Device
  /** Chosen where the width rules, or a size that is not saved; dropped when the band changes. */
  transient: Size | null
}

/** The saved choices under those of the page. */
export function chosen({ saved, override }: State): Choices {
  const { classes: _classes, ...choices } = override
  return { ...choicesOf(saved), ...choices }
}

/** The size that is shown. Width rules never touch what is saved. */
export function effectiveSize(state: State): Size {
  const { device, transient } = state
  const { orientation, size } = chosen(state)
  if (orientation === 'horizontal') return device.narrow ? 'offcanvas' : 'default'
  switch (bandOf(device)) {
    case 'phone':
      return 'offcanvas'
    case 'tablet':
      return size === 'offcanvas' ? 'offcanvas' : (transient ?? 'condensed')
    case 'desktop':
      return transient ?? size
  }
}

/** Whether the width of the window, and not the person or the page, decides on the size. */
export function isLimited(state: State): boolean {
  return bandOf(state.device) !== 'desktop' && effectiveSize(state) !== state.saved.sidenav.size
}

export function effectiveTheme(state: State): 'light' | 'dark' {
  const { theme } = chosen(state)
  return theme === 'system' ? (state.device.dark ? 'dark' : 'light') : theme
}

/** Navigation along the top: horizontal, where the window is wide enough for it. */
export function isTopnav(state: State): boolean {
  return chosen(state).orientation === 'horizontal' && !state.device.narrow
}

export type ToggleOutcome =
  | { kind: 'menu' }
  | { kind: 'save'; size: Size }
  | { kind: 'transient'; size: Size }

/** What the toggle of the side navigation does in this state. */
export function toggleOutcome(state: State): ToggleOutcome {
  const size = effectiveSize(state)
  if (size === 'offcanvas') return { kind: 'menu' }
  if (size === 'on-hover') return { kind: 'save', size: 'on-hover-active' }
  if (size === 'on-hover-active') return { kind: 'save', size: 'on-hover' }
  if (bandOf(state.device) === 'tablet')
    return { kind: 'transient', size: size === 'condensed' ? 'default' : 'condensed' }
  if (chosen(state).size === 'compact')
    return { kind: 'transient', size: size === 'compact' ? 'condensed' : 'compact' }
  return { kind: 'save', size: size === 'condensed' ? 'default' : 'condensed' }
}
