import type { Listener } from '../platform/db/changes.ts'
import { openPause } from '../platform/loop.ts'

/** More questions of one person than tabs anybody looks at; the oldest is answered when there are more. */
const mostOfOne = 12

export type Subscription = {
  /** Resolves when something has changed since `join`, when the time is up, or when the server ends. */
  until: (ms: number) => Promise<void>
  leave: () => void
}

export type Live = Listener & {
  /** Takes part from here on: what changes between this and `until` is not missed. */
  join(userId: string): Subscription
  close(): void
}

/**
 * Wakes those who wait for the person of whom it is told that their notifications have changed. While the connection that hears of it
 * is broken nobody is woken, and a question is answered when its time is up; with the new one everybody looks once, as something may
 * have been missed.
 */
export function openLive(): Live {
  const waiting = new Map<string, Set<() => void>>()
  const life = { isHeard: false, isEnded: false }

  const wakeAll = () => {
    for (const all of waiting.values()) for (const wake of all) wake()
  }

  return {
    note(userId) {
      for (const wake of waiting.get(userId) ?? []) wake()
    },
    hearUntil() {
      if (!life.isHeard) wakeAll()
      life.isHeard = true
    },
    lose() {
      life.isHeard = false
    },
    join(userId) {
      const mine = waiting.get(userId) ?? new Set()
      waiting.set(userId, mine)
      const { wake, wait } = openPause()
      if (life.isEnded) wake()
      mine.add(wake)
      if (mine.size > mostOfOne) mine.values().next().value?.()
      return {
        until: wait,
        leave() {
          mine.delete(wake)
          if (mine.size === 0 && waiting.get(userId) === mine) waiting.delete(userId)
          wake()
        },
      }
    },
    close() {
      life.isEnded = true
      wakeAll()
    },
  }
}
