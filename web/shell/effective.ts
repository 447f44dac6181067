import type { LayoutSettings, Size } from './settings.ts'

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

export type State = {
  saved: LayoutSettings
  device: Device
  /** Chosen where the width rules, or a size that is not saved; dropped when the band changes. */
  transient: Size | null
}

/** The size that is shown. Width rules never touch what is saved. */
export function effectiveSize({ saved, device, transient }: State): Size {
  if (saved.orientation === 'horizontal') return device.narrow ? 'offcanvas' : 'default'
  const chosen = saved.sidenav.size
  switch (bandOf(device)) {
    case 'phone':
      return 'offcanvas'
    case 'tablet':
      return chosen === 'offcanvas' ? 'offcanvas' : (transient ?? 'condensed')
    case 'desktop':
      return transient ?? chosen
  }
}

export function effectiveTheme({ saved, device }: State): 'light' | 'dark' {
  return saved.theme === 'system' ? (device.dark ? 'dark' : 'light') : saved.theme
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
  if (state.saved.sidenav.size === 'compact')
    return { kind: 'transient', size: size === 'compact' ? 'condensed' : 'compact' }
  return { kind: 'save', size: size === 'condensed' ? 'default' : 'condensed' }
}
