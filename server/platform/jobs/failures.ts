import { cut, storable } from '#contract/platform/text/text.ts'
import { isOurs, meaningOf } from './answers.ts'

/** One hand-over ended like this. */
export type MailOutcome =
  | { kind: 'accepted'; reply: string }
  /** The receiver refused for good. `address` is true when there is no such mailbox. */
  | { kind: 'rejected'; code: number | null; reply: string; address: boolean }
  /**
   * The receiver refused for good, and not because of the recipient. `sender` is true when it was because of whom the mail comes from, and
   * false when it was because of its content.
   */
  | { kind: 'refused'; code: number; reply: string; sender: boolean }
  /** This mail was not taken, or the line broke before it was whole, so it is tried later. */
  | { kind: 'deferred'; code: number | null; reply: string; isLost: boolean }
  /** Nothing left, and the mail server itself was the obstacle: it is down, starts anew, or does not let us in. */
  | { kind: 'unreachable'; code: number | null; reply: string }
  /** The mail server asks for less. */
  | { kind: 'throttled'; code: number; reply: string }
  /** All of it left and no answer came. */
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

/** By these codes a mail server refuses us, not the recipient. */
const aboutUs = new Set([530, 534, 535, 538])

/**
 * Says what a failure means. `stage` is how far the hand-over had come; `handed` is when the dot that ends a mail may have left. Before it
 * no server has the mail, and afterwards only an answer says whether it does.
 */
export function classify(failure: Failure, stage: Stage): MailOutcome {
  const reply = cut(storable(failure.message), 500)
  const code = failure.responseCode ?? null
  if (code === 454 || code === 429) return { kind: 'throttled', code, reply }
  if (stage === 'connecting' || (code !== null && (aboutUs.has(code) || code === 421)))
    return { kind: 'unreachable', code, reply }
  if (code !== null && code >= 500 && code !== 503) {
    const { about } = meaningOf({ text: failure.message, code, command: failure.command })
    if (isOurs(about)) return { kind: 'refused', code, reply, sender: about === 'sender' }
    return { kind: 'rejected', code, reply, address: about === 'nobody' }
  }
  if (code !== null) return { kind: 'deferred', code, reply, isLost: false }
  if (stage === 'handed') return { kind: 'unknown', reply }
  if (failure.command === 'API' && failure.code === 'EENVELOPE')
    return { kind: 'rejected', code: null, reply, address: false }
  return { kind: 'deferred', code: null, reply, isLost: true }
}

/** Returns whether the mail server cannot be reached, or breaks fresh lines, so that the next mail would fare no better. */
export const isObstacle = (outcome: MailOutcome) =>
  outcome.kind === 'unreachable' || (outcome.kind === 'deferred' && outcome.isLost)
