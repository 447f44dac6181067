import type * as z from 'zod/mini'
import type { CodeSent, FactorMethod } from '#contract/identity/auth.ts'
import { session } from '#web/api/session.ts'

/** What a mailed code is for. */
export type CodePurpose = 'reset_password' | 'login'

type Flow = {
  purpose: CodePurpose
  flowToken: string | null
  maskedDestination: string | null
  /** No mail leaves the installation: codes have to be asked for. */
  rests: boolean
  /** Milliseconds since 1970 from which another code may be asked for. */
  resendAt: number
  /** The code has been verified: the token now stands for the right to set a password. */
  isVerified: boolean
  /** Second factors that this person has; none when one has to be set up. Null outside of a sign-in. */
  methods: readonly FactorMethod[] | null
  /** Why the password has to be replaced before anybody enters with it. */
  mustChange: 'breached' | 'reset_by_admin' | null
  notice: string | null
}

const none: Flow = {
  purpose: 'reset_password',
  flowToken: null,
  maskedDestination: null,
  rests: false,
  resendAt: 0,
  isVerified: false,
  methods: null,
  mustChange: null,
  notice: null,
}
let present: Flow = none

/** What a running flow must remember between its pages. In memory only: a lost tab starts again. */
export const flow = {
  read: (): Flow => present,
  codeSent(purpose: CodePurpose, identifier: string, sent: z.output<typeof CodeSent>): void {
    session.apply({ type: 'reset-mailed', identifier })
    present = {
      ...none,
      purpose,
      flowToken: sent.flowToken,
      maskedDestination: sent.maskedDestination,
      rests: sent.rests,
      resendAt: Date.now() + sent.resendAfter * 1_000,
    }
  },
  verified(flowToken: string): void {
    present = { ...present, flowToken, isVerified: true }
  },
  secondStep(flowToken: string, methods: readonly FactorMethod[]): void {
    present = { ...none, flowToken, methods }
  },
  mustChange(flowToken: string, reason: 'breached' | 'reset_by_admin'): void {
    present = { ...none, flowToken, isVerified: true, mustChange: reason }
  },
  /** Ends the flow; the next page may say something about it. */
  end(notice: string | null = null): void {
    session.apply({ type: 'reset-cleared' })
    present = { ...none, notice }
  },
  takeNotice(): string | null {
    const { notice } = present
    present = { ...present, notice: null }
    return notice
  },
}
