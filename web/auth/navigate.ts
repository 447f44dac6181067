import { useSyncExternalStore } from 'react'
import { product } from '#web/ui/product.ts'

const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
}

/** Another public page, without a load: what a flow remembers lives in memory only. */
export function goTo(address: string): void {
  history.pushState(null, '', address)
  tell()
}

/** What is shown: the present path, or what the server gave in its place. */
export const shownPath = (): string => product.answered || location.pathname

/** The present path; `drawn` while the page is drawn at build time. */
export function usePath(drawn: string): string {
  return useSyncExternalStore(subscribe, shownPath, () => drawn)
}

/** What stands after the question mark; null at build time. */
export function useSearchParam(name: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => new URLSearchParams(location.search).get(name),
    () => null,
  )
}
