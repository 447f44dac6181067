import { useSyncExternalStore } from 'react'
import { isMenuOpen, writeAttributes } from './attributes.ts'
import {
  bandOf,
  effectiveSize,
  effectiveTheme,
  queries,
  toggleOutcome,
  type Device,
  type State,
} from './effective.ts'
import { fromStorage, storageKey, type LayoutSettings, type Size, type Theme } from './settings.ts'

function readStorage(): LayoutSettings {
  try {
    return fromStorage(localStorage.getItem(storageKey))
  } catch {
    return fromStorage(null)
  }
}

function readDevice(): Device {
  const is = (query: string) => matchMedia(query).matches
  return {
    phone: is(queries.phone),
    tablet: is(queries.tablet),
    narrow: is(queries.narrow),
    dark: is(queries.dark),
  }
}

let state: State = { saved: readStorage(), device: readDevice(), transient: null }
const listeners = new Set<() => void>()

function set(next: Partial<State>): void {
  state = { ...state, ...next }
  if (state.saved.sidenav.isMobileMenuOpen && effectiveSize(state) !== 'offcanvas') state = closed(state)
  writeAttributes(state)
  for (const listener of listeners) listener()
}

function closed(from: State): State {
  return { ...from, saved: { ...from.saved, sidenav: { ...from.saved.sidenav, isMobileMenuOpen: false } } }
}

function save(saved: LayoutSettings): void {
  set({ saved })
  try {
    localStorage.setItem(storageKey, JSON.stringify(state.saved))
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

function saveSidenav(part: Partial<LayoutSettings['sidenav']>): void {
  save({ ...state.saved, sidenav: { ...state.saved.sidenav, ...part } })
}

export const layout = {
  setTheme: (theme: Theme): void => save({ ...state.saved, theme }),
  setMenuOpen: (isMobileMenuOpen: boolean): void => saveSidenav({ isMobileMenuOpen }),
  toggle: (): void => {
    const outcome = toggleOutcome(state)
    if (outcome.kind === 'menu') saveSidenav({ isMobileMenuOpen: !state.saved.sidenav.isMobileMenuOpen })
    else if (outcome.kind === 'transient') set({ transient: outcome.size })
    else save({ ...state.saved, sidenav: { ...state.saved.sidenav, size: outcome.size } })
  },
  /** Follows the width of the window, the colour scheme of the device and other tabs from now on. */
  follow(): void {
    for (const query of Object.values(queries))
      matchMedia(query).addEventListener('change', () => {
        const device = readDevice()
        set({ device, transient: bandOf(device) === bandOf(state.device) ? state.transient : null })
      })
    addEventListener('storage', (event) => {
      if (event.key === storageKey || event.key === null) set({ saved: readStorage() })
    })
    writeAttributes(state)
  },
}

export type Layout = {
  saved: LayoutSettings
  size: Size
  theme: 'light' | 'dark'
  isMenuOpen: boolean
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLayout(): Layout {
  const now = useSyncExternalStore(subscribe, () => state)
  return {
    saved: now.saved,
    size: effectiveSize(now),
    theme: effectiveTheme(now),
    isMenuOpen: isMenuOpen(now),
  }
}
