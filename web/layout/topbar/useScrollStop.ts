import { useEffect, type RefObject } from 'react'

/** A stop for Tab on what scrolls, while it does: not every browser makes one by itself. */
export function useScrollStop(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      if (element.scrollHeight > element.clientHeight) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
}
