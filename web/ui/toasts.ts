/** One thing that can be done about a message. */
export type ToastAction = { label: string; run: () => void }
export type Toast = {
  id: number
  tone: 'success' | 'danger' | 'info'
  text: string
  lifeMs: number
  action: ToastAction | undefined
}
/** A message of this visit; `iso` is when it came. */
export type PastToast = Pick<Toast, 'id' | 'tone' | 'text'> & { iso: string }

let toasts: readonly Toast[] = []
let past: readonly PastToast[] = []
let counter = 0
let lastSeen = 0
const listeners = new Set<() => void>()
/** More than anybody reads back. */
const kept = 50

function tell(): void {
  for (const listener of listeners) listener()
}

function add(given: Pick<Toast, 'tone' | 'text' | 'lifeMs'> & { action?: ToastAction | undefined }): void {
  const { tone, text, lifeMs, action } = given
  counter += 1
  toasts = [...toasts.slice(-3), { id: counter, tone, text, lifeMs, action }]
  past = [{ id: counter, tone, text, iso: new Date().toISOString() }, ...past].slice(0, kept)
  tell()
}

/** Short messages at the edge of the page. A failure stays longer than a success. */
export const toast = {
  /** One with something to do about it stays longer. */
  success: (text: string, action?: ToastAction): void =>
    add({ tone: 'success', text, lifeMs: action ? 10_000 : 5_000, action }),
  info: (text: string): void => add({ tone: 'info', text, lifeMs: 5_000 }),
  failure: (text: string): void => add({ tone: 'danger', text, lifeMs: 10_000 }),
  dismiss: (id: number): void => {
    toasts = toasts.filter((one) => one.id !== id)
    tell()
  },
  read: (): readonly Toast[] => toasts,
  /** All of this visit, newest first: it lasts as long as the page is loaded. */
  readPast: (): readonly PastToast[] => past,
  /** How many came since somebody looked. */
  countFresh: (): number => past.filter(({ id }) => id > lastSeen).length,
  markSeen: (): void => {
    lastSeen = counter
    tell()
  },
  clearPast: (): void => {
    past = []
    tell()
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
