import type { KeyboardEvent } from 'react'

/** What can be chosen in a menu, from the top. */
export const itemsIn = (menu: Element) => [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')]

const steps: Readonly<Record<string, (here: number, count: number) => number>> = {
  ArrowDown: (here, count) => (here + 1) % count,
  ArrowUp: (here, count) => (here - 1 + count) % count,
  Home: () => 0,
  End: (_here, count) => count - 1,
}

/** Up and down through a menu by the arrow keys, Home and End. */
export function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  if (!step) return
  event.preventDefault()
  const items = itemsIn(event.currentTarget)
  items[
    step(
      items.findIndex((one) => one === document.activeElement),
      items.length,
    )
  ]?.focus()
}
