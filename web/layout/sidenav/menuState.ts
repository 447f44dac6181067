import { createContext, use, type MouseEvent } from 'react'
import type { Path } from './useAccordion.ts'

/**
 * How the menu is drawn: a column whose groups open below their buttons; a rail of icons or a bar along the top, whose
 * labels and groups fly out over the page.
 */
export type Shape = 'column' | 'rail' | 'bar'

export type MenuState = {
  shape: Shape
  /** Keys from the top-level group to the active link. */
  trail: Path
  isOpen: (path: Path) => boolean
  /** A group's button was pressed. */
  press: (path: Path, event: MouseEvent) => void
  /** What an item listens to so that it flies out under the pointer and with the focus. */
  listen: (path: Path) => object
  /** A link was followed. */
  follow: () => void
}

export const MenuContext = createContext<MenuState>({
  shape: 'column',
  trail: [],
  isOpen: () => false,
  press: () => undefined,
  listen: () => ({}),
  follow: () => undefined,
})

export function useMenu(): MenuState {
  return use(MenuContext)
}
