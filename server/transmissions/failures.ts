/** What became of one hand-over. */
export type Outcome =
  | { kind: 'accepted'; reply: string }
  /** The receiver refused for good. `address`: because there is no such mailbox. */
  | { kind: 'rejected'; code: number | null; reply: string; address: boolean }
  /** Nothing left; try later. `connect`: the mail server itself was the obstacle. */
  | { kind: 'deferred'; code: number | null; reply: string; connect: boolean }
  /** The mail server asks for less. */
  | { kind: 'throttled'; code: number; reply: string }
  /** The bytes left and no answer came. */
  | { kind: 'unknown'; reply: string }
  /** It was not allowed to leave (any more). */
  | { kind: 'withheld' }

type Failure = {
  code?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
  message: string
}
type Stage = 'connecting' | 'before' | 'handed'

/** Codes by which a mail server refuses us, not the recipient. */
const aboutUs = new Set([530, 534, 535, 538])

/** `stage` is how far the hand-over had come: the same error means another thing before and after the bytes left. */
export function classify(failure: Failure, stage: Stage): Outcome {
  const reply = failure.message.slice(0, 500)
  const code = failure.responseCode ?? null
  if (code === 454 || code === 429) return { kind: 'throttled', code, reply }
  if (code !== null && (stage === 'connecting' || aboutUs.has(code) || code === 421))
    return { kind: 'deferred', code, reply, connect: true }
  if (code !== null && code >= 500 && code !== 503) {
    const address = (code === 550 || code === 551 || code === 553) && /\b5\.1\.\d+\b/.test(reply)
    return { kind: 'rejected', code, reply, address }
  }
  if (code !== null) return { kind: 'deferred', code, reply, connect: false }
  if (stage === 'handed') return { kind: 'unknown', reply }
  if (failure.command === 'API' && failure.code === 'EENVELOPE')
    return { kind: 'rejected', code: null, reply, address: false }
  return { kind: 'deferred', code: null, reply, connect: true }
}

const backoffSeconds = [60, 300, 1800, 7200, 21_600]

/** Seconds until the next attempt after the `attempt`th, spread by 20 % so that a crowd does not come back at once. */
export function delayAfter(attempt: number): number {
  const base = backoffSeconds[Math.min(attempt, backoffSeconds.length) - 1] ?? 60
  return base * (0.8 + 0.4 * Math.random())
}
