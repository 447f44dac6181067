/** Days that something unsaved is kept in this browser. */
export const draftDays = 7

const prefix = 'draft:'
const life = draftDays * 86_400_000

/** `at` in milliseconds since 1970. */
export type Draft = { at: number; content: unknown }

function storage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

function parse(text: string | null): Draft | null {
  try {
    const draft: Partial<Draft> | null = text === null ? null : JSON.parse(text)
    if (typeof draft?.at !== 'number' || Date.now() - draft.at > life) return null
    return { at: draft.at, content: draft.content }
  } catch {
    return null
  }
}

function removeWhere(isUnwanted: (key: string, store: Storage) => boolean): void {
  const store = storage()
  if (!store) return
  const keys = Array.from({ length: store.length }, (_one, at) => store.key(at) ?? '')
  for (const key of keys) if (key.startsWith(prefix) && isUnwanted(key, store)) store.removeItem(key)
}

/** What people have typed and not saved, in this browser's storage: one for each person and form, and never a secret. */
export const drafts = {
  keyOf: (personId: string, form: string): string => `${prefix}${personId}:${form}`,
  read: (key: string): Draft | null => parse(storage()?.getItem(key) ?? null),
  write(key: string, content: unknown): void {
    try {
      storage()?.setItem(key, JSON.stringify({ at: Date.now(), content } satisfies Draft))
    } catch {
      // Storage may be full or switched off; the page still asks before it is left.
    }
  },
  remove: (key: string): void => storage()?.removeItem(key),
  forgetAll: (): void => removeWhere(() => true),
  forgetOthers: (personId: string): void => removeWhere((key) => !key.startsWith(`${prefix}${personId}:`)),
  forgetOld: (): void => removeWhere((key, store) => parse(store.getItem(key)) === null),
}
