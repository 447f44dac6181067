import { openStore } from '../ui/browser/store.ts'

/** Milliseconds without any input after which nobody is there. */
const idleAfter = 60_000

let lastInput = Date.now()

/** Requests that the console makes by itself while nobody is there say so, and keep no session alive. */
export const heartbeat = {
  follow(): void {
    const seen = () => {
      lastInput = Date.now()
    }
    for (const kind of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'])
      globalThis.addEventListener(kind, seen, { passive: true, capture: true })
  },
  isIdle: (): boolean => Date.now() - lastInput > idleAfter,
}

const endsAt = openStore<number | undefined>(() => undefined)

/** When the session ends if nobody does anything, as the newest answer told; milliseconds since 1970. */
export const sessionEnd = {
  read: endsAt.read,
  heard(header: string | null): void {
    const end = header === null ? Number.NaN : Date.parse(header)
    if (!Number.isNaN(end) && end !== endsAt.read()) endsAt.set(end)
  },
  subscribe: endsAt.subscribe,
}

/** Milliseconds before its end at which a session asks whether somebody is there. */
export const warnBefore = 120_000
