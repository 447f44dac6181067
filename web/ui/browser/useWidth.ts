import { useEffect, useState } from 'react'

/** Width in pixels of the element that gets `ref`, followed while it can be seen; `first` before it was measured. */
export function useWidth(first = 0) {
  const [element, ref] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return { ref, width }
}
