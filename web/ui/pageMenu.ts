import { useLayoutEffect, useSyncExternalStore } from 'react'
import { openStore } from './store.ts'

/**
 * On a phone a page has one button with three dots: where a list has a menu, that takes what the head of the page keeps behind such a
 * button. `place`: where it stands while the menu is open.
 */
const menu = openStore<{ count: number; place: Element | null }>(() => ({ count: 0, place: null }))

/** For a list, as long as it has a menu. */
export function usePageMenu(hasMenu: boolean): void {
  useLayoutEffect(() => {
    const change = (by: number) => menu.set({ ...menu.read(), count: menu.read().count + by })
    if (!hasMenu) return
    change(1)
    return () => change(-1)
  }, [hasMenu])
}

/** For the place in it; a `ref`. */
export const placeInMenu = (place: Element | null): void => menu.set({ ...menu.read(), place })

/** For the head of the page. */
export function useTakenByMenu() {
  const { count, place } = useSyncExternalStore(menu.subscribe, menu.read)
  return { isTaken: count > 0, place }
}
