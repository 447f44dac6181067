import { openStore } from '../browser/store.ts'

/** One thing that can be done about a message. */
export type ToastAction = { label: string; run: () => void }
export type Toast = {
  id: number
  tone: 'success' | 'danger' | 'info'
  text: string
  /** When it goes, in milliseconds since 1970. */
  until: number
  action: ToastAction | undefined
}
/** A message of this visit; `iso` is when it came. */
export type PastToast = Pick<Toast, 'id' | 'tone' | 'text'> & { iso: string }

type State = {
  toasts: readonly Toast[]
  past: readonly PastToast[]
  /** The id of the newest message, and of the newest that somebody has looked at. */
  newest: number
  seen: number
}

const store = openStore<State>(() => ({ toasts: [], past: [], newest: 0, seen: 0 }))
const change = (patch: Partial<State>): void => store.set({ ...store.read(), ...patch })
/** More than anybody reads back. */
const mostPast = 50

type Added = Pick<Toast, 'tone' | 'text'> & { lifeMs: number; action?: ToastAction | undefined }

function add(given: Added): void {
  const { tone, text, lifeMs, action } = given
  const { toasts, past, newest } = store.read()
  const id = newest + 1
  change({
    newest: id,
    toasts: [...toasts.slice(-3), { id, tone, text, until: Date.now() + lifeMs, action }],
    past: [{ id, tone, text, iso: new Date().toISOString() }, ...past].slice(0, mostPast),
  })
}

/** Short messages at the edge of the page. A failure stays longer than a success. */
export const toast = {
  /** One with something to do about it stays longer. */
  success: (text: string, action?: ToastAction): void =>
    add({ tone: 'success', text, lifeMs: action ? 10_000 : 5_000, action }),
  info: (text: string): void => add({ tone: 'info', text, lifeMs: 5_000 }),
  failure: (text: string): void => add({ tone: 'danger', text, lifeMs: 10_000 }),
  dismiss: (id: number): void => change({ toasts: store.read().toasts.filter((one) => one.id !== id) }),
  read: (): readonly Toast[] => store.read().toasts,
  /** All of this visit, newest first: it lasts as long as the page is loaded. */
  readPast: (): readonly PastToast[] => store.read().past,
  /** How many came since somebody looked. */
  countFresh: (): number => store.read().past.filter(({ id }) => id > store.read().seen).length,
  markSeen: (): void => change({ seen: store.read().newest }),
  clearPast: (): void => change({ past: [] }),
  subscribe: store.subscribe,
}
