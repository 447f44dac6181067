import { useLayoutEffect, useSyncExternalStore } from 'react'
import { storage } from '#web/ui/browser/storage.ts'
import { openStore } from '#web/ui/browser/store.ts'
import { isMenuOpen, writeAttributes } from './attributes.ts'
import {
  bandOf,
  chosen,
  effectiveSize,
  effectiveTheme,
  isLimited,
  isTopnav,
  queries,
  toggleOutcome,
  type Device,
  type Override,
  type State,
} from './effective.ts'
import {
  choicesOf,
  defaults,
  fromStorage,
  storageKey,
  withChoices,
  type Choices,
  type LayoutSettings,
  type Size,
} from './settings.ts'

const readStorage = (): LayoutSettings => fromStorage(storage.read(storageKey))

function readDevice(): Device {
  const is = (query: string) => matchMedia(query).matches
  return {
    phone: is(queries.phone),
    tablet: is(queries.tablet),
    narrow: is(queries.narrow),
    dark: is(queries.dark),
  }
}

const store = openStore<State>(() => ({
  saved: readStorage(),
  override: {},
  device: readDevice(),
  transient: null,
}))

function set(patch: Partial<State>): void {
  const next = { ...store.read(), ...patch }
  const hasNoRoom = next.saved.sidenav.isMobileMenuOpen && effectiveSize(next) !== 'offcanvas'
  const state = hasNoRoom ? { ...next, saved: withMenu(next.saved, false) } : next
  writeAttributes(state)
  store.set(state)
}

function withMenu(saved: LayoutSettings, isMobileMenuOpen: boolean): LayoutSettings {
  return { ...saved, sidenav: { ...saved.sidenav, isMobileMenuOpen } }
}

function save(next: Partial<State> & { saved: LayoutSettings }): void {
  set(next)
  storage.write(storageKey, JSON.stringify(store.read().saved))
}

/** What the page had in place of a choice gives way to the person's own. */
function without(override: Override, patch: Partial<Choices>): Override {
  return Object.fromEntries(Object.entries(override).filter(([name]) => !(name in patch)))
}

export const layout = {
  choose: (patch: Partial<Choices>): void => {
    const state = store.read()
    save({
      saved: withChoices(state.saved, patch),
      override: without(state.override, patch),
      transient: 'size' in patch || 'orientation' in patch ? null : state.transient,
    })
  },
  reset: (): void => {
    save({ saved: defaults, override: {}, transient: null })
  },
  setMenuOpen: (isOpen: boolean): void => {
    save({ saved: withMenu(store.read().saved, isOpen) })
  },
  toggle: (): void => {
    const state = store.read()
    const outcome = toggleOutcome(state)
    if (outcome.kind === 'menu') layout.setMenuOpen(!state.saved.sidenav.isMobileMenuOpen)
    else if (outcome.kind === 'transient') set({ transient: outcome.size })
    else if (state.override.size) set({ override: { ...state.override, size: outcome.size } })
    else layout.choose({ size: outcome.size })
  },
  /** Follows the width of the window, the colour scheme of the device and other tabs from now on. */
  follow: (): void => {
    for (const query of Object.values(queries))
      matchMedia(query).addEventListener('change', () => {
        const state = store.read()
        const device = readDevice()
        set({ device, transient: bandOf(device) === bandOf(state.device) ? state.transient : null })
      })
    addEventListener('storage', (event) => {
      if (event.key === storageKey || event.key === null) set({ saved: readStorage() })
    })
    writeAttributes(store.read())
  },
}

export type Layout = {
  /** What the person has chosen, whatever is shown. */
  saved: Choices
  /** The saved choices under those of the page that is open. */
  shown: Choices
  size: Size
  /** Whether the width of the window keeps the saved size from being shown. */
  isLimited: boolean
  theme: 'light' | 'dark'
  isTopnav: boolean
  isMenuOpen: boolean
  /** Whether the box with the person's name is shown in the side navigation. */
  hasUserBox: boolean
}

export function useLayout(): Layout {
  const now = useSyncExternalStore(store.subscribe, store.read)
  return {
    saved: choicesOf(now.saved),
    shown: chosen(now),
    size: effectiveSize(now),
    isLimited: isLimited(now),
    theme: effectiveTheme(now),
    isTopnav: isTopnav(now),
    isMenuOpen: isMenuOpen(now),
    hasUserBox: chosen(now).user,
  }
}

/** Shows these choices while the calling page is open. Give the same object at every drawing. */
export function useLayoutOverride(override: Override): void {
  useLayoutEffect(() => {
    set({ override })
    return () => set({ override: {}, transient: null })
  }, [override])
}
