import { useLayoutEffect, useRef } from 'react'

/** Milliseconds on the way to a new place. */
const duration = 180

type Place = { x: number; y: number }

function placesIn(list: HTMLElement): Map<HTMLElement, Place> {
  const children = [...list.children].filter((child) => child instanceof HTMLElement)
  const [first] = children
  const from = { x: first?.offsetLeft ?? 0, y: first?.offsetTop ?? 0 }
  return new Map(
    children.map((child) => [child, { x: child.offsetLeft - from.x, y: child.offsetTop - from.y }]),
  )
}

function isInSight(child: HTMLElement): boolean {
  const { top, bottom } = child.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Of a table the cells: Chromium 156 does not find a row below the pointer that has moved itself, until the page is laid out again. */
const movable = (child: HTMLElement) => (child instanceof HTMLTableRowElement ? [...child.cells] : [child])

/**
 * For a list whose children change places: each in sight that stays goes to its new one, instead of being somewhere else at once. What
 * comes or goes does not move, and nothing does for who asks for less motion. `order`: the keys of the children.
 */
export function useMoves<List extends HTMLElement>(order: readonly string[]) {
  const list = useRef<List>(null)
  const before = useRef({ order: '', places: new Map<HTMLElement, Place>() })
  useLayoutEffect(() => {
    if (!list.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const last = before.current
    const now = { order: order.join(), places: placesIn(list.current) }
    before.current = now
    if (now.order === last.order) return
    for (const [child, { x, y }] of now.places) {
      const from = last.places.get(child)
      if (!from || (from.x === x && from.y === y) || !isInSight(child)) continue
      for (const part of movable(child))
        part.animate(
          { translate: [`${from.x - x}px ${from.y - y}px`, '0px 0px'] },
          { duration, easing: 'ease-out' },
        )
    }
  })
  return list
}
