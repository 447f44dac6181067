import type { SignInAnswer } from '#contract/identity/auth.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import { audit } from '../../platform/http/audit.ts'
import { triesLeft } from '../factors/codes.ts'
import { consume, flowTokenOf, openFlow, takeFlowTry, type Flow } from '../flows.ts'
import { factorLimits, returnTry, takeTry } from '../limit.ts'
import { queueNotice } from '../notices.ts'
import { lockedAccount, type Account } from '../queries.ts'
import { isRecoveryCode, useRecovery } from '../factors/recovery.ts'
import type { Amr } from '../session.ts'
import { useTotp } from '../factors/totp.ts'
import { confirmTotp } from './enroll.ts'
import { verifyMailedCode } from './pin.ts'
import { afterAllProofs, provedIn, type Asking } from './steps.ts'

/** A code whose flow tells what it is for: a second step, a factor that is being set up, or a code by mail. */
export async function verifyFlowCode(asking: Asking, code: string) {
  const flowToken = flowTokenOf(asking.request)
  const { services } = asking
  const flow = await services.db.as('system', (tx) => openFlow(tx, flowToken, ['second_step', 'enroll']))
  if (flow?.purpose === 'second_step') return completeWithCode(asking, { code })
  if (flow?.purpose === 'enroll') return confirmTotp(asking, code)
  return verifyMailedCode(asking, { code })
}

type GivenCode = { code: string; identifier?: string; factor?: 'totp' | 'recovery' }
type SecondStep = { answer: SignInAnswer } | { left: number }

/** The second step of signing in, by app or by recovery code; their forms tell them apart. A wrong code costs a try. */
export async function completeWithCode(asking: Asking, given: GivenCode): Promise<SignInAnswer> {
  const done = await asking.services.db.as('system', (tx) => attempt(tx, asking, given))
  if ('left' in done) throw refuse('invalid_code', { reason: triesLeft(done.left, 'no_tries_sign_in') })
  return done.answer
}

async function attempt(tx: Tx, asking: Asking, given: GivenCode): Promise<SecondStep> {
  const { services, request } = asking
  const flow = await openFlow(tx, flowTokenOf(request), ['second_step'])
  const account = flow && (await lockedAccount(tx, flow.userId))
  if (!flow || !account?.mayEnter) throw refuse('flow_expired')
  const factor = isRecoveryCode(given.code) ? 'recovery' : 'totp'
  const limits = factorLimits({ keys: services.keys, identifier: account.id, ip: addressOf(request) }, factor)
  const left = await takeFlowTry(tx, flow)
  await takeTry(tx, limits)
  const amr = fits(flow, given, factor)
    ? await proof(tx, asking, { account, factor, code: given.code })
    : undefined
  const { organizationId, id } = account
  const entry = { organizationId, entity: 'user', entityId: id, after: { factor } }
  if (!amr) {
    await audit(tx, asking, { ...entry, action: 'auth.second_step_failed' })
    return { left }
  }
  await consume(tx, flow)
  await returnTry(tx, limits)
  await audit(tx, { request, caller: { userId: id } }, { ...entry, action: 'auth.second_step' })
  return { answer: await afterAllProofs(tx, { asking, account, proved: provedIn(flow, amr) }) }
}

function fits(flow: Flow, { identifier, factor }: GivenCode, is: 'totp' | 'recovery'): boolean {
  return (identifier ?? flow.identifier) === flow.identifier && (factor ?? is) === is
}

type Proving = { account: Account; factor: 'totp' | 'recovery'; code: string }

async function proof(tx: Tx, { services }: Asking, proving: Proving): Promise<Amr | undefined> {
  const { account, factor, code } = proving
  if (factor === 'totp') {
    const digits = code.replaceAll(/\s/g, '')
    return (await useTotp(tx, { keys: services.keys, userId: account.id, code: digits })) ? 'otp' : undefined
  }
  // Without another factor there is nothing to recover.
  const left = account.methods.includes('recovery') ? await useRecovery(tx, account.id, code) : undefined
  if (left === undefined) return undefined
  await queueNotice(services, tx, { person: account, event: 'recovery_used', facts: { what: String(left) } })
  return 'rcv'
}
