import { useCallback, useLayoutEffect, useState } from 'react'
import { spanOf, type Span } from './window.ts'

/** These sizes are in pixels, as Training.module.css has them. */
const heights = { row: 36, head: 56 }
const headOfSigns = 160
const name = 232
const narrowest = 112
/** With more rows than this, the grid has a window of its own to scroll in. */
const fewRows = 30

export type VisibleCells = {
  element: HTMLElement | null
  /** The grid takes this as its ref. */
  attach: (element: HTMLElement | null) => void
  /** Reads anew what is in sight. */
  look: (grid: HTMLElement) => void
  rows: Span
  columns: Span
  rowsInSight: number
  /** It is true when all of it is in the page, which scrolls. */
  isWhole: boolean
  sizes: { row: number; head: number; column: number; name: number }
}

type VisibleArea = { top: number; start: number; height: number; width: number }
const unknown: VisibleArea = { top: 0, start: 0, height: 640, width: 1_200 }

/** Returns what of a grid is in sight. With `signs`, its columns are as narrow as a sign. */
export function useVisibleCells({
  rows,
  columns,
  signs,
}: {
  rows: number
  columns: number
  signs: boolean
}): VisibleCells {
  const [element, attach] = useState<HTMLElement | null>(null)
  const [seen, setSeen] = useState(unknown)
  const look = useCallback((grid: HTMLElement) => {
    const { scrollTop: top, scrollLeft, clientHeight: height, clientWidth: width } = grid
    const now = { top, start: Math.abs(scrollLeft), height, width }
    setSeen((before) => (isSame(before, now) ? before : now))
  }, [])
  useLayoutEffect(() => {
    if (!element) return
    // Tells the first size, too.
    const observer = new ResizeObserver(() => look(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element, look])
  const room = (seen.width - name) / Math.max(columns, 1)
  const sizes = {
    row: heights.row,
    head: signs ? headOfSigns : heights.head,
    column: signs ? 40 : Math.max(narrowest, room),
    name,
  }
  return {
    element,
    attach,
    look,
    rows: spanOf({ start: seen.top, length: seen.height, size: sizes.row, count: rows }),
    columns: spanOf({ start: seen.start, length: seen.width, size: sizes.column, count: columns }),
    isWhole: rows < fewRows && room >= sizes.column,
    rowsInSight: Math.max(1, Math.floor((seen.height - sizes.head) / sizes.row)),
    sizes,
  }
}

/** A push within a row or a column draws nothing new. */
function isSame(before: VisibleArea, now: VisibleArea): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 36
  return (
    near(before.top, now.top) &&
    near(before.start, now.start) &&
    before.height === now.height &&
    before.width === now.width
  )
}
