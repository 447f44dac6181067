import { storage } from './storage.ts'
import { openStore, type Store } from './store.ts'

/** A choice that this browser remembers, and that all its tabs show. */
export type PersistedStore<T> = Pick<Store<T>, 'read' | 'subscribe'> & { save: (next: T) => void }

type Form<T> = {
  /** From what is stored, which may be missing or senseless. */
  parse: (text: string | null) => T
  format: (value: T) => string
}

export function keep<T>(storageKey: string, { parse, format }: Form<T>): PersistedStore<T> {
  const stored = (): T => {
    try {
      return parse(storage.read(storageKey))
    } catch {
      return parse(null)
    }
  }
  const store = openStore(stored)
  const follow = (event: StorageEvent) => {
    if (event.key === storageKey || event.key === null) store.set(stored())
  }
  return {
    read: store.read,
    save(value) {
      store.set(value)
      storage.write(storageKey, format(value))
    },
    subscribe(listener) {
      // Once, however often it is asked for.
      addEventListener('storage', follow)
      return store.subscribe(listener)
    },
  }
}
