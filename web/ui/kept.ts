/** A choice that this browser remembers, and that all its tabs show. */
export type Kept<T> = {
  read: () => T
  save: (next: T) => void
  /** For `useSyncExternalStore`. */
  subscribe: (listener: () => void) => () => void
}

type Form<T> = {
  /** From what is stored, which may be missing or senseless. */
  parse: (text: string | null) => T
  format: (value: T) => string
}

export function keep<T>(storageKey: string, { parse, format }: Form<T>): Kept<T> {
  const listeners = new Set<() => void>()
  let present: { value: T } | undefined
  const stored = (): T => {
    try {
      return parse(localStorage.getItem(storageKey))
    } catch {
      return parse(null)
    }
  }
  const show = (value: T) => {
    present = { value }
    for (const listener of listeners) listener()
  }
  const follow = (event: StorageEvent) => {
    if (event.key === storageKey || event.key === null) show(stored())
  }
  return {
    read: () => (present ??= { value: stored() }).value,
    save(value) {
      show(value)
      try {
        localStorage.setItem(storageKey, format(value))
      } catch {
        // Storage may be switched off; the choice then lasts as long as the page.
      }
    },
    subscribe(listener) {
      if (listeners.size === 0) addEventListener('storage', follow)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) removeEventListener('storage', follow)
      }
    },
  }
}
