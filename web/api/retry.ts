import type { ApiError } from './errors.ts'

type Recovery = {
  /** Asks the person to prove who they are; true when they did, and the request may be repeated. */
  prove: () => Promise<boolean>
  /** Leaves for the page where a locked session is opened. */
  unlock: () => void
}

let ways: Recovery | undefined

/** What the console does when a token alone is not enough. Before the frame is there, the refusal is the answer. */
export function overcome(given: Recovery): void {
  ways = given
}

/** Whether the request that was refused may be made once more. */
export async function mayRepeat(refusal: ApiError): Promise<boolean> {
  const code = refusal.problem?.code
  if (code === 'session_locked') ways?.unlock()
  return code === 'reauthentication_required' && ways !== undefined && (await ways.prove())
}
