import { useLayoutEffect, useSyncExternalStore } from 'react'
import { openStore } from '../browser/store.ts'

type Menu = { count: number; place: Element | null; corner: Element | null }

/**
 * On a phone a page has one button with three dots, in the corner of its head: where a list has a menu, that stands there, and takes what
 * the head keeps behind such a button. `place`: where this stands while the menu is open.
 */
const menu = openStore<Menu>(() => ({ count: 0, place: null, corner: null }))

/** For a list, as long as it has a menu: the corner for its button. */
export function usePageMenu(hasMenu: boolean): Element | null {
  const { corner } = useSyncExternalStore(menu.subscribe, menu.read)
  useLayoutEffect(() => {
    const change = (by: number) => menu.set({ ...menu.read(), count: menu.read().count + by })
    if (!hasMenu) return
    change(1)
    return () => change(-1)
  }, [hasMenu])
  return corner
}

/** For the place in it; a `ref`. */
export const placeInMenu = (place: Element | null): void => menu.set({ ...menu.read(), place })

/** For the corner; a `ref`. */
export const cornerForMenu = (corner: Element | null): void => menu.set({ ...menu.read(), corner })

/** For the head of the page. */
export function useTakenByMenu() {
  const { count, place } = useSyncExternalStore(menu.subscribe, menu.read)
  return { isTaken: count > 0, place }
}
