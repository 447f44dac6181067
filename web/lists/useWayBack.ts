import { useRef } from 'react'
import { rememberPlace } from '#web/ui/browser/focus.ts'

/** Where the keyboard goes on once a dialog about a row has closed. */
export function useWayBack() {
  const way = useRef(() => {})
  return {
    remember: () => {
      way.current = rememberPlace(document.activeElement)
    },
    goBack: () => {
      requestAnimationFrame(() => way.current())
    },
  }
}
