import { useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Rows that are drawn above and below those in sight, so that Tab finds the next one. */
const around = 6

type Given = {
  count: number
  /** Pixels; all rows have the same. */
  height: number
  /** The row that is drawn wherever the list stands: the focus is in it. -1: none. */
  kept: number
}

/**
 * Which rows of a long list are drawn. As every row has the same height, this is a division; a library that measures each row would be
 * more than that.
 */
export function useRows({ count, height, kept }: Given) {
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ first: 0, rows: 12 })
  const look = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    const next = { first: Math.floor(scrollTop / height), rows: Math.ceil(clientHeight / height) + 1 }
    setSight((now) => (now.first === next.first && now.rows === next.rows ? now : next))
  }, [height])
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return undefined
    const observer = new ResizeObserver(look)
    observer.observe(current)
    look()
    return () => observer.disconnect()
  }, [look])
  const from = Math.max(0, Math.min(sight.first, count - sight.rows) - around)
  const to = Math.min(count, sight.first + sight.rows + around)
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  if (kept >= 0 && kept < from) drawn.unshift(kept)
  else if (kept >= to && kept < count) drawn.push(kept)
  /** Scrolls no further than it takes to have the row in sight, with the one beside it. */
  const show = useCallback(
    (at: number) => {
      const { current } = box
      if (!current) return
      const [top, bottom] = [Math.max(0, (at - 1) * height), (at + 2) * height]
      if (top < current.scrollTop) current.scrollTop = top
      else if (bottom > current.scrollTop + current.clientHeight)
        current.scrollTop = Math.min(top, bottom - current.clientHeight)
    },
    [height],
  )
  return { box, drawn, look, show }
}
