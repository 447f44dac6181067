import type { ReactNode } from 'react'
import { openStore } from '#web/ui/browser/store.ts'

/** By address, once they are here. */
type Pages = Record<string, ReactNode>
type State = Pages | 'waiting' | 'missing'

const store = openStore<State>(() => 'waiting')

/** The pages that are fetched when they are needed. */
export const late = {
  read: store.read,
  subscribe: store.subscribe,
  /** For the build, which has them already. */
  has: (pages: Pages): void => store.set(pages),
  /** Once here they stay; what could not be had is asked for again. */
  async fetch(): Promise<void> {
    const state = store.read()
    if (typeof state === 'object') return
    if (state === 'missing') store.set('waiting')
    await import('./LatePages.tsx').then(
      ({ latePages }) => store.set(latePages),
      () => store.set('missing'),
    )
  },
}
