import { useSyncExternalStore } from 'react'
import { product } from '#web/ui/product.ts'

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}

/** Another public page, without a load: what a flow remembers lives in memory only. */
export function goTo(address: string): void {
  history.pushState(null, '', address)
  // Browsers say it of their own buttons alone.
  dispatchEvent(new PopStateEvent('popstate'))
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
