import type { ReactNode } from 'react'

/** By address, once they are here. */
type Pages = Record<string, ReactNode>
type State = Pages | 'waiting' | 'missing'

let state: State = 'waiting'
const listeners = new Set<() => void>()

function become(next: State): void {
  state = next
  for (const listener of listeners) listener()
}

/** The pages that are fetched when they are needed. */
export const late = {
  read: (): State => state,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** For the build, which has them already. */
  has: (pages: Pages): void => become(pages),
  /** Once here they stay; what could not be had is asked for again. */
  async fetch(): Promise<void> {
    if (typeof state === 'object') return
    if (state === 'missing') become('waiting')
    await import('./LatePages.tsx').then(
      ({ latePages }) => become(latePages),
      () => become('missing'),
    )
  },
}
