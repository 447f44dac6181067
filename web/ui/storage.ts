/** What this browser remembers. Where that is switched off or full, everything works without it. */
export const storage = {
  read: (key: string): string | null => attempt(() => localStorage.getItem(key)) ?? null,
  write: (key: string, text: string): void => attempt(() => localStorage.setItem(key, text)),
  remove: (key: string): void => attempt(() => localStorage.removeItem(key)),
  removeWhere(isUnwanted: (key: string) => boolean): void {
    const count = attempt(() => localStorage.length) ?? 0
    const keys = Array.from({ length: count }, (_one, at) => localStorage.key(at) ?? '')
    for (const key of keys) if (isUnwanted(key)) storage.remove(key)
  },
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
