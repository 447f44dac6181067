/** One question at a time: whoever asks while it is open waits for the same answer. */
let open: { answer: Promise<boolean>; settle: (proved: boolean) => void } | undefined
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

export const proof = {
  isAsked: (): boolean => open !== undefined,
  /** Asks the person to prove who they are; false when they would rather not. */
  ask(): Promise<boolean> {
    if (open) return open.answer
    let settle: (proved: boolean) => void = () => undefined
    const answer = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    open = { answer, settle }
    tell()
    return answer
  },
  settle(proved: boolean): void {
    open?.settle(proved)
    open = undefined
    tell()
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
