import type { MfaEnrolled } from '#contract/identity/auth.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { requireFresh, type Caller } from '../../platform/http/bearer.ts'
import { headerOf } from '../../platform/http/declared.ts'
import { triesLeft } from '../factors/codes.ts'
import { noteProof } from '../factors/factors.ts'
import { consume, flowTokenOf, keepInFlow, openFlow, startFlow, takeFlowTry, type Flow } from '../flows.ts'
import { queueNotice } from '../notices.ts'
import { accountById, lockedAccount, type Account } from '../queries.ts'
import { recoveryLeft, renewRecovery } from '../factors/recovery.ts'
import type { Amr } from '../session.ts'
import { newTotpSecret, openTotp, otpauthUri, sealTotp, stepOf, storeTotp } from '../factors/totp.ts'
import { afterAllProofs, provedIn, type Asking } from './steps.ts'

/** Somebody in a session of their own, who has just proved it. */
function owner(caller: Caller | undefined): Caller {
  if (!caller) throw refuse('unauthenticated')
  if (caller.isLocked) throw refuse('session_locked')
  if (caller.viewer) throw refuse('read_only')
  requireFresh(caller)
  return caller
}

/** `sessionId`: set up from inside that session. Without: the sign-in waits for it. */
type Enrolment = { flow: Flow; account: Account; sessionId: string | undefined }

/** The flow in which a factor is set up: the one that is named, else a new one of the signed-in person. */
export async function enrolmentFor(
  tx: Tx,
  { request, caller }: Asking,
): Promise<Enrolment & { flowToken: string }> {
  if (headerOf(request, 'flow') !== undefined) {
    const flowToken = flowTokenOf(request)
    return { flowToken, ...(await enrolmentOf(tx, flowToken, caller)) }
  }
  const { userId, sessionId, email: identifier } = owner(caller)
  const { flowToken } = await startFlow(tx, { purpose: 'enroll', identifier, userId, data: { sessionId } })
  return { flowToken, ...(await enrolmentOf(tx, flowToken, caller)) }
}

/**
 * The person stays locked. A flow of a session is worth something only in it; one of a sign-in only as long as there is no
 * factor, or a password alone could replace the one that was set up meanwhile.
 */
export async function enrolmentOf(tx: Tx, flowToken: string, caller: Caller | undefined): Promise<Enrolment> {
  const flow = await openFlow(tx, flowToken, ['enroll'])
  const account = flow && (await lockedAccount(tx, flow.userId))
  if (!flow || !account?.mayEnter) throw refuse('flow_expired')
  const sessionId = flow.data?.['sessionId']
  if (typeof sessionId !== 'string') {
    if (account.methods.length > 0) throw refuse('flow_expired')
    return { flow, account, sessionId: undefined }
  }
  const isInside = caller?.sessionId === sessionId && !caller.isLocked && !caller.viewer
  if (!isInside) throw refuse('flow_expired')
  return { flow, account, sessionId }
}

/** The secret of the flow; asking again gives the same one. */
export async function startTotp(asking: Asking) {
  const { services } = asking
  const { env, db, keys } = services
  return db.as('system', async (tx) => {
    const { flow, flowToken, account } = await enrolmentFor(tx, asking)
    const fresh = sealTotp(keys, newTotpSecret(), account.id).toString('base64')
    const { sealed } = await keepInFlow(tx, flow, { sealed: fresh })
    const secret = openTotp(keys, Buffer.from(sealed, 'base64'), account.id)
    const uri = otpauthUri(secret, { product: env.productName, email: account.email })
    return { secret, otpauthUri: uri, flowToken }
  })
}

/** The first good code switches the app on. */
export async function confirmTotp(asking: Asking, code: string): Promise<MfaEnrolled> {
  const { services, request, caller } = asking
  const { keys } = services
  const done = await services.db.as('system', async (tx) => {
    const enrolment = await enrolmentOf(tx, flowTokenOf(request), caller)
    const { flow, account } = enrolment
    const left = await takeFlowTry(tx, flow)
    const sealedText = flow.data?.['sealed']
    if (typeof sealedText !== 'string') throw refuse('flow_expired')
    const sealed = Buffer.from(sealedText, 'base64')
    const step = stepOf(openTotp(keys, sealed, account.id), code.replaceAll(/\s/g, ''))
    if (step === undefined) return { left }
    await storeTotp(tx, { userId: account.id, sealed, step })
    await queueNotice(services, tx, { person: account, event: 'app_added' })
    return finishEnrolment(tx, { asking, enrolment, amr: 'otp' })
  })
  if ('left' in done) throw refuse('invalid_code', { reason: triesLeft(done.left, 'no_tries_set_up') })
  return done
}

type Finishing = { asking: Asking; enrolment: Enrolment; amr: Extract<Amr, 'otp' | 'hwk'> }

/** Recovery codes come with the first factor; those that are left stay good beside another one. */
export async function finishEnrolment(tx: Tx, { asking, enrolment, amr }: Finishing): Promise<MfaEnrolled> {
  const { flow, sessionId } = enrolment
  const { id: userId, organizationId } = enrolment.account
  await consume(tx, flow)
  const recoveryCodes = (await recoveryLeft(tx, userId)) > 0 ? [] : await renewRecovery(tx, userId)
  const by = { request: asking.request, caller: { userId } }
  const entry = { organizationId, entity: 'user', entityId: userId, after: { factor: amr } }
  await audit(tx, by, { ...entry, action: 'auth.factor_added' })
  if (sessionId !== undefined) {
    await noteProof(tx, sessionId, amr)
    return { status: 'mfa_enrolled', recoveryCodes, next: null }
  }
  const account = await accountById(tx, userId)
  if (!account) throw refuse('flow_expired')
  const next = await afterAllProofs(tx, { asking, account, proved: provedIn(flow, amr) })
  return { status: 'mfa_enrolled', recoveryCodes, next }
}
