import { sessionEnd } from './heartbeat.ts'

/** An answer as it is understood: `body` is what the JSON said. */
export type Answer = { status: number; etag: string | null; body: unknown }

/** A call that `web/first.js` has begun before this script was there. Undefined: it failed. */
type Started = {
  of: string[]
  token: string
  answer: Promise<{ answers: Answer[]; ends: string | null } | undefined>
}

declare global {
  var started: Started[] | undefined
}

/** Milliseconds since the page began in which what was asked for then is news. */
const freshMs = 10_000

/**
 * The answer to a reading that was asked for while the page was loading, once and for the same token; undefined where there is none,
 * so that it is asked for as ever. Rejects with the reason of `signal`.
 */
export function takeFirst(
  address: string,
  token: string | null,
  signal: AbortSignal,
): Promise<Answer | undefined> | undefined {
  const path = address.replace(/^\/api/, '')
  const call = globalThis.started?.find(({ of }) => of.includes(path))
  if (!call || call.token !== token || performance.now() > freshMs) return undefined
  const at = call.of.indexOf(path)
  call.of[at] = ''
  const given = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([
    call.answer.then((found) => {
      sessionEnd.heard(found?.ends ?? null)
      return found?.answers[at]
    }),
    given,
  ])
}
