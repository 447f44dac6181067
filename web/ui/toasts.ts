export type Toast = { id: number; tone: 'success' | 'danger' | 'info'; text: string; lifeMs: number }

let toasts: readonly Toast[] = []
let counter = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function add(tone: Toast['tone'], text: string, lifeMs: number): void {
  counter += 1
  set([...toasts.slice(-3), { id: counter, tone, text, lifeMs }])
}

/** Short messages at the edge of the page. A failure stays longer than a success. */
export const toast = {
  success: (text: string): void => add('success', text, 5_000),
  info: (text: string): void => add('info', text, 5_000),
  failure: (text: string): void => add('danger', text, 10_000),
  dismiss: (id: number): void => set(toasts.filter((one) => one.id !== id)),
  read: (): readonly Toast[] => toasts,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
