import { openStore } from '#web/ui/browser/store.ts'

type Question = { answer: Promise<boolean>; settle: (proved: boolean) => void }

/** One question at a time: whoever asks while it is open waits for the same answer. */
const open = openStore<Question | undefined>(() => undefined)

export const proof = {
  isAsked: (): boolean => open.read() !== undefined,
  /** Asks the person to prove who they are; false when they would rather not. */
  ask(): Promise<boolean> {
    const asked = open.read()
    if (asked) return asked.answer
    let settle: (proved: boolean) => void = () => undefined
    const answer = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    open.set({ answer, settle })
    return answer
  },
  settle(proved: boolean): void {
    open.read()?.settle(proved)
    open.set(undefined)
  },
  subscribe: open.subscribe,
}
