import { useEffect, useRef } from 'react'
import { rememberPlace } from '#web/ui/focus.ts'

/**
 * Where the keyboard goes on once a dialog about a row has closed: to the row, and where that leaves the list afterwards, to the one that
 * takes its place.
 */
export function useWayBack() {
  const way = useRef(() => {})
  const reached = useRef<Element | null>(null)
  useEffect(() => {
    if (!reached.current || reached.current.isConnected) return
    reached.current = null
    // Whoever has gone elsewhere meanwhile stays there.
    if (document.activeElement === document.body) way.current()
  })
  return {
    remember: () => {
      way.current = rememberPlace(document.activeElement)
    },
    goBack: () => {
      requestAnimationFrame(() => {
        way.current()
        reached.current = document.activeElement
      })
    },
  }
}
