import { useState } from 'react'
import { verifyAuthCode, type MfaEnrolled, type SignInAnswer } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { ApiError } from '#web/api/errors.ts'
import { flow } from '../flow.ts'
import { goOn } from '../onwards.ts'

/** Runs a step of the flow. When the flow's beginning is gone there is nothing to correct: `onLost` tells so. */
export async function orLost<T>(onLost: () => void, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem?.code !== 'flow_expired') throw error
    onLost()
    return undefined
  }
}

async function verify(code: string): Promise<SignInAnswer | MfaEnrolled> {
  const answer = await call(verifyAuthCode, { body: { code }, flowToken: flow.read().flowToken })
  if (answer.status === 'verified') throw new ApiError('unparseable')
  return answer
}

/** The second step of signing in, with a code of whatever kind. */
export async function complete(code: string): Promise<void> {
  const answer = await verify(code)
  if (answer.status === 'mfa_enrolled') throw new ApiError('unparseable')
  goOn(answer)
}

/** The first code of an app that is being set up. */
export async function confirm(code: string): Promise<MfaEnrolled> {
  const answer = await verify(code)
  if (answer.status !== 'mfa_enrolled') throw new ApiError('unparseable')
  return answer
}

/** A field that is empty again after a code that was refused: `round` is its key. */
export function useCleared() {
  const [round, setRound] = useState(0)
  const clear = (error: unknown): never => {
    setRound((before) => before + 1)
    throw error
  }
  return { round, clear }
}
