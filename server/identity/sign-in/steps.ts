import type { FastifyRequest } from 'fastify'
import type { SignInAnswer } from '#contract/identity/auth.ts'
import type { Tx } from '../../platform/db/client.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { startFlow, type Flow } from '../flows.ts'
import type { Account } from '../queries.ts'
import { requiresFactor, systemSecurity } from '../security.ts'
import { startSession, type Amr, type ProvedByConnection } from '../session.ts'
import { requireWayIn } from '../sso/way-in.ts'

export type Asking = { services: Services; request: FastifyRequest; caller: Caller | undefined }

/** What has been proved so far. It travels in the flow, never through the browser. */
export type Proved = { amr: Amr[]; remember: boolean; connection?: ProvedByConnection | undefined }

/** What the flow carries, and now this too. */
export function provedIn(flow: Pick<Flow, 'data'>, amr: Amr): Proved {
  // Written by `afterFirstProof` and by nobody else.
  const proved = flow.data as Proved | null
  const { connection } = proved ?? {}
  return { amr: [...(proved?.amr ?? []), amr], remember: proved?.remember === true, connection }
}

type Step = { asking: Pick<Asking, 'services' | 'request'>; account: Account; proved: Proved }

/** After the first proof: a second one if the person has it or the policy asks for it, else the end. */
export async function afterFirstProof(tx: Tx, step: Step): Promise<SignInAnswer> {
  const { asking, account, proved } = step
  const { id: userId, email: identifier, methods } = account
  await requireWayIn(tx, account, { ...asking, ...proved })
  if (proved.amr.includes('mfa')) return afterAllProofs(tx, step)
  if (methods.length > 0) {
    const flow = await startFlow(tx, { purpose: 'second_step', identifier, userId, data: proved })
    return { status: 'mfa_required', ...flow, methods }
  }
  if (requiresFactor(await systemSecurity(tx), account)) {
    const flow = await startFlow(tx, { purpose: 'enroll', identifier, userId, data: proved })
    return { status: 'mfa_enrollment_required', ...flow }
  }
  return afterAllProofs(tx, step)
}

/** Everything that was asked for is proved: a session, unless the password has to be replaced first. */
export async function afterAllProofs(tx: Tx, { asking, account, proved }: Step): Promise<SignInAnswer> {
  const { id: userId, email: identifier, passwordExpired } = account
  if (passwordExpired !== null && !proved.connection) {
    const flow = await startFlow(tx, { purpose: 'reset_password', identifier, userId, verified: true })
    return { status: 'password_change_required', ...flow, reason: passwordExpired }
  }
  return startSession(tx, account, { ...asking, ...proved })
}
