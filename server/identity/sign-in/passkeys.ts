import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { MfaEnrolled, Reauthenticated, SignInAnswer } from '#contract/identity/auth.ts'
import type { Credential, PasskeyUse } from '#contract/identity/factors.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse, type Refusal } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import { agentOf, audit } from '../../platform/http/audit.ts'
import { noteProof } from '../factors/factors.ts'
import * as flows from '../flows.ts'
import { passkeyLimits, takeTry } from '../limit.ts'
import { queueNotice } from '../notices.ts'
import { findPasskey, guessName, passkeysOf, storePasskey, usePasskey } from '../factors/passkeys.ts'
import type { StoredPasskey } from '../factors/passkeys.ts'
import { lockedAccount, type Account } from '../queries.ts'
import { rotateSession } from '../session.ts'
import { requireWayIn } from '../sso/way-in.ts'
import * as webauthn from '../factors/webauthn.ts'
import { enrolmentFor, enrolmentOf, finishEnrolment } from './enroll.ts'
import { afterAllProofs, provedIn, type Asking } from './steps.ts'

type Begun = { flow: flows.Flow; flowToken: string; account: Account | undefined }

/** What the browser needs. The question is kept in the flow, and goes to whoever holds its token. */
export async function askPasskey(asking: Asking, use: PasskeyUse) {
  const { services, request } = asking
  const { db, env } = services
  const origin = webauthn.originOf(services, request)
  return db.as('system', async (tx) => {
    await takeTry(tx, passkeyLimits({ keys: services.keys, ip: addressOf(request) }))
    const { flow, flowToken, account } = await begin[use](tx, asking)
    const known = account && (await passkeysOf(tx, account.id))
    const options =
      use === 'register' && account
        ? await webauthn.creationOptions({ origin, product: env.productName, account, known: known ?? [] })
        : await webauthn.requestOptions(origin, known)
    await flows.putChallenge(tx, flow, { challenge: options.challenge, origin })
    return { options, flowToken }
  })
}

const begin: Record<PasskeyUse, (tx: Tx, asking: Asking) => Promise<Begun>> = {
  register: enrolmentFor,

  async sign_in(tx) {
    const { flowToken } = await flows.startFlow(tx, { purpose: 'passkey', identifier: '', userId: null })
    return { flow: await opened(tx, flowToken, 'passkey'), flowToken, account: undefined }
  },

  async second_step(tx, { request }) {
    const flowToken = flows.flowTokenOf(request)
    const flow = await opened(tx, flowToken, 'second_step')
    return { flow, flowToken, account: await lockedAccount(tx, flow.userId) }
  },

  async reauthenticate(tx, { caller }) {
    if (!caller) throw refuse('unauthenticated')
    const { sessionId, viewer } = caller
    const account = await lockedAccount(tx, viewer?.id ?? caller.userId)
    if (!account) throw refuse('unauthenticated')
    const start = { identifier: account.email, userId: account.id, data: { sessionId } }
    const { flowToken } = await flows.startFlow(tx, { purpose: 'reauthenticate', ...start })
    return { flow: await opened(tx, flowToken, 'reauthenticate'), flowToken, account }
  },
}

async function opened(tx: Tx, flowToken: string, purpose: flows.FlowPurpose): Promise<flows.Flow> {
  const flow = await flows.openFlow(tx, flowToken, [purpose])
  if (!flow) throw refuse('flow_expired')
  return flow
}

type GivenPasskey = { credential: Credential; remember: boolean }
type PasskeyAnswer = SignInAnswer | MfaEnrolled | Reauthenticated

/** The answer to the question of the flow, which is asked once, whatever comes. */
export async function verifyPasskey(asking: Asking, given: GivenPasskey): Promise<PasskeyAnswer> {
  const { services, request } = asking
  const asked = await services.db.as('system', async (tx) => {
    await takeTry(tx, passkeyLimits({ keys: services.keys, ip: addressOf(request) }))
    return flows.takeChallenge(tx, flows.flowTokenOf(request))
  })
  return asked.purpose === 'enroll' ? register(asking, asked, given.credential) : prove(asking, asked, given)
}

async function register(
  asking: Asking,
  asked: flows.FlowChallenge,
  credential: Credential,
): Promise<MfaEnrolled> {
  const { services, request, caller } = asking
  const made = await webauthn.newCredential(asked, credential).catch(untrue(services))
  if (!made) throw refuse('invalid_request', { reason: { code: 'passkey_unreadable' } })
  return services.db.as('system', async (tx) => {
    const enrolment = await enrolmentOf(tx, flows.flowTokenOf(request), caller)
    const name = guessName(made.aaguid, agentOf(request))
    await storePasskey(tx, {
      userId: enrolment.account.id,
      credentialId: made.credential.id,
      publicKey: Buffer.from(made.credential.publicKey),
      counter: made.credential.counter,
      transports: credential.response.transports ?? [],
      backedUp: made.credentialBackedUp,
      name,
    })
    await queueNotice(services, tx, {
      person: enrolment.account,
      event: 'passkey_added',
      facts: { what: name },
    })
    return finishEnrolment(tx, { asking, enrolment, amr: 'hwk' })
  })
}

/** Whoever is refused is not told why; it may be that the installation goes by another address than it was told. */
const untrue =
  ({ log }: Asking['services']) =>
  (error: unknown) => {
    log.warn({ err: error }, 'a passkey was not accepted')
    return undefined
  }

/** One answer, whatever is wrong with a passkey or with whom it belongs to. */
const refused = (): Refusal => refuse('invalid_credentials', { reason: { code: 'passkey_unknown' } })

async function prove(
  asking: Asking,
  asked: flows.FlowChallenge,
  given: GivenPasskey,
): Promise<PasskeyAnswer> {
  const { services } = asking
  const { db } = services
  const { credential, remember } = given
  const passkey = await db.as('system', (tx) => findPasskey(tx, credential.id))
  const seen = passkey && (await webauthn.checkCredential(asked, credential, passkey).catch(untrue(services)))
  const answer =
    seen && belongs(passkey, asked, credential)
      ? await db.as('system', (tx) => accept(tx, { asking, asked, passkey, seen, remember }))
      : undefined
  if (answer) return answer
  await db.as('system', (tx) => noteFailure(tx, asking, asked.userId))
  throw refused()
}

function belongs({ userId }: StoredPasskey, asked: flows.FlowChallenge, { response }: Credential): boolean {
  const handle = webauthn.handleOf(userId)
  return (asked.userId ?? userId) === userId && (response.userHandle ?? handle) === handle
}

type Accepting = {
  asking: Asking
  asked: flows.FlowChallenge
  passkey: StoredPasskey
  seen: { counter: number; backedUp: boolean }
  remember: boolean
}

/** Undefined when it must not be used; what has to be noted about that is then kept. */
async function accept(tx: Tx, accepting: Accepting): Promise<PasskeyAnswer | undefined> {
  const { asking, asked, passkey, seen } = accepting
  const { request, services } = asking
  const account = await lockedAccount(tx, passkey.userId)
  if (!account?.mayEnter) return undefined
  const flow = { ...asked, userId: account.id }
  const { organizationId } = account
  const entry = { organizationId, entity: 'user', entityId: account.id, after: { factor: 'passkey' } }
  const stillThere = await findPasskey(tx, passkey.credentialId)
  if (!stillThere) return undefined
  if (!(await usePasskey(tx, passkey, seen))) {
    await audit(tx, asking, { ...entry, action: 'auth.passkey_copied' })
    await queueNotice(services, tx, {
      person: account,
      event: 'passkey_refused',
      facts: { what: passkey.name },
    })
    return undefined
  }
  await flows.consume(tx, flow)
  await audit(tx, { request, caller: { userId: account.id } }, { ...entry, action: actionOf(asked) })
  return answerFor(tx, { ...accepting, asked: flow }, account)
}

function actionOf({ purpose }: flows.FlowChallenge): AuditAction {
  if (purpose === 'reauthenticate') return 'auth.reauthenticate'
  return purpose === 'second_step' ? 'auth.second_step' : 'auth.sign_in'
}

/** A passkey that was found without a name is more than one factor: the thing itself, and what opened it. */
async function answerFor(tx: Tx, accepting: Accepting, account: Account): Promise<PasskeyAnswer> {
  const { asking, asked, remember } = accepting
  if (asked.purpose === 'second_step')
    return afterAllProofs(tx, { asking, account, proved: provedIn(asked, 'hwk') })
  if (asked.purpose === 'passkey')
    return afterAllProofs(tx, { asking, account, proved: { amr: ['hwk'], remember } })
  const sessionId = asking.caller?.sessionId
  const isOwn = asked.purpose === 'reauthenticate' && asked.data?.['sessionId'] === sessionId
  if (sessionId === undefined || !isOwn) throw refuse('flow_expired')
  await requireWayIn(tx, account, asking)
  await noteProof(tx, sessionId, 'hwk')
  return rotateSession(tx, sessionId)
}

async function noteFailure(tx: Tx, asking: Asking, userId: string | null): Promise<void> {
  const entry = { organizationId: null, entity: 'user', entityId: userId, after: { factor: 'passkey' } }
  await audit(tx, asking, { ...entry, action: 'auth.sign_in_failed' })
}
