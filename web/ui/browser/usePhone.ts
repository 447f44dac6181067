import { useSyncExternalStore } from 'react'

const narrow = '(max-width: 767.98px)'

function subscribe(listener: () => void): () => void {
  const query = matchMedia(narrow)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether there is no room for a grid. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches)
}
