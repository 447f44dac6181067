/** Something that changes, and that parts of the page follow. */
export type Store<T> = {
  read: () => T
  set: (next: T) => void
  /** For `useSyncExternalStore`. */
  subscribe: (listener: () => void) => () => void
}

/** `first`: what it holds until something is set; asked for when somebody reads it. */
export function openStore<T>(first: () => T): Store<T> {
  const listeners = new Set<() => void>()
  let present: { value: T } | undefined
  return {
    read: () => (present ??= { value: first() }).value,
    set(value) {
      present = { value }
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
