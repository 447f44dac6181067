/**
 * What belongs to the browser, whoever uses it: how the console and its lists look, how the player is set, that nobody is signed in, and
 * what the page of a video has still to deliver. Everything else is of the person who is signed in.
 */
const ofBrowser = /^(layout|shortcuts|tables|content-shape|player|persist:auth)$|^quiz /

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
  /** Somebody has signed out: nothing of them stays behind. */
  forgetPerson(): void {
    storage.removeWhere((key) => !ofBrowser.test(key))
    attempt(() => sessionStorage.clear())
  },
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
