import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { spanOf, type Span } from './window.ts'

/** Pixels, as training.css has them. */
const heights = { row: 36, head: 72 }
const headOfSigns = 160

export type Sight = {
  element: RefObject<HTMLDivElement | null>
  /** Reads anew what is in sight. */
  look: () => void
  rows: Span
  columns: Span
  rowsInSight: number
  sizes: { row: number; head: number; column: number; name: number }
}

type Seen = { top: number; start: number; height: number; width: number }
const unknown: Seen = { top: 0, start: 0, height: 640, width: 1_200 }

/** What of a grid is in sight. `signs`: its columns are as narrow as a sign. */
export function useSight({ rows, columns, signs }: { rows: number; columns: number; signs: boolean }): Sight {
  const element = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(unknown)
  const look = useCallback(() => {
    const grid = element.current
    if (!grid) return
    const { scrollTop: top, scrollLeft, clientHeight: height, clientWidth: width } = grid
    const now = { top, start: Math.abs(scrollLeft), height, width }
    setSeen((before) => (isSame(before, now) ? before : now))
  }, [])
  const isThere = rows > 0 && columns > 0
  useLayoutEffect(() => {
    const grid = element.current
    if (!grid) return
    const observer = new ResizeObserver(look)
    observer.observe(grid)
    look()
    return () => observer.disconnect()
  }, [look, isThere])
  const sizes = {
    row: heights.row,
    head: signs ? headOfSigns : heights.head,
    column: signs ? 40 : 112,
    name: 232,
  }
  return {
    element,
    look,
    rows: spanOf({ start: seen.top, length: seen.height, size: sizes.row, count: rows }),
    columns: spanOf({ start: seen.start, length: seen.width, size: sizes.column, count: columns }),
    rowsInSight: Math.max(1, Math.floor((seen.height - sizes.head) / sizes.row)),
    sizes,
  }
}

/** A push within a row or a column draws nothing new. */
function isSame(before: Seen, now: Seen): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 36
  return (
    near(before.top, now.top) &&
    near(before.start, now.start) &&
    before.height === now.height &&
    before.width === now.width
  )
}
