import type { Authenticated } from '#contract/identity/auth.ts'

/** The session that a sign-in ended with; throws when it ended otherwise. */
export function entered(answer: { status: string }): Authenticated {
  if (answer.status !== 'authenticated') throw new Error(`not signed in: ${JSON.stringify(answer)}`)
  // The status tells which of the contract's answers it is.
  return answer as Authenticated
}
