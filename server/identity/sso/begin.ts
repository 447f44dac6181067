import * as oidc from 'openid-client'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import { hasRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { randomToken } from '../../platform/keys.ts'
import { startFlow } from '../flows.ts'
import { connectionLimits, takeTry } from '../limit.ts'
import { callbackOf, knownConnection, type KnownConnection } from './connections.ts'
import { bindToBrowser, flowByToken, takeStep, type Aim, type Visit } from './flow.ts'
import { configurationOf, describe, type Metadata, type Provider } from './provider.ts'
import { noteRefused, pageOf } from './refused.ts'

export const trialPurpose = 'sign-in trial'

/** A sign-in that may be begun by whoever has this relative address, once and within ten minutes; it is worth nothing but that. */
export async function offer(tx: Tx, connectionId: string, aim: Aim): Promise<string> {
  const data = { connectionId, stage: 'offered', aim }
  const { flowToken } = await startFlow(tx, { purpose: 'connection', identifier: '', userId: null, data })
  return `/api/auth/sso/${connectionId}?flow=${flowToken}`
}

/** Of a trial, what was typed; else what is saved. Undefined where the secret cannot be opened any more. */
export function providerFor(services: Services, connection: KnownConnection, aim: Aim): Provider | undefined {
  const typed = aim.kind === 'trial' ? aim.provider : null
  if (typed) {
    const clientSecret = services.keys.open(trialPurpose, Buffer.from(typed.sealed, 'base64'), connection.id)
    return { issuer: typed.issuer, clientId: typed.clientId, clientSecret }
  }
  const { issuer, clientId, secret } = connection
  return secret === null ? undefined : { issuer, clientId, clientSecret: secret }
}

/** What we ask for; groups only where they are offered under that name. */
const scopesFor = ({ scopes_supported: offered }: Metadata) =>
  ['openid', 'email', 'profile', ...(offered?.includes('groups') ? ['groups'] : [])].join(' ')

type Asked = { connectionId: string; hint?: string | undefined; flow?: string | undefined }
type Outcome = { location: string } | { fault: SignInFault; connection?: KnownConnection | undefined }

/** Where the browser goes on: to the provider, or to the page that says why not. */
export async function beginSignIn(visit: Visit, asked: Asked): Promise<string> {
  const { services, request } = visit
  const outcome = await begin(visit, asked).catch((error: unknown): Outcome => {
    if (error instanceof Refusal && error.fault.code === 'too_many_requests') return { fault: 'limit' }
    throw error
  })
  if ('location' in outcome) return outcome.location
  const { fault, connection } = outcome
  if (fault !== 'limit')
    await services.db.as('system', (tx) => noteRefused(tx, { request, connection, fault }))
  return pageOf({ fault })
}

async function begin(visit: Visit, { connectionId, hint, flow: flowToken }: Asked): Promise<Outcome> {
  const { services, request } = visit
  const { db, keys, env } = services
  const { connection, offered } = await db.as('system', async (tx) => {
    await takeTry(tx, connectionLimits(keys, addressOf(request)))
    return {
      connection: await knownConnection(tx, keys, connectionId),
      offered: flowToken === undefined ? undefined : await flowByToken(tx, flowToken),
    }
  })
  if (!connection) return { fault: 'connection_off' }
  const isOffered = offered?.data.stage === 'offered' && offered.data.connectionId === connectionId
  if (flowToken !== undefined && !isOffered) return { fault: 'flow_unknown', connection }
  const aim: Aim = offered?.data.aim ?? { kind: 'sign_in' }
  if (!connection.isOn && aim.kind !== 'trial') return { fault: 'connection_off', connection }
  if (!connection.isOpen) return { fault: 'organization_closed', connection }
  const provider = providerFor(services, connection, aim)
  if (!provider) return { fault: 'client_refused', connection }
  const described = await describe(env, provider.issuer)
  if ('fault' in described)
    return { fault: described.fault === 'issuer_unreachable' ? 'unreachable' : 'provider_fault', connection }

  const question = {
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    askedAt: Date.now(),
  }
  const token = randomToken()
  const begun = await db.as('system', (tx) =>
    keep(tx, { offeredId: offered?.id, connectionId, aim, question, token }),
  )
  if (!begun) return { fault: 'flow_unknown', connection }
  bindToBrowser(visit, { id: begun.id, token })
  const to = oidc.buildAuthorizationUrl(configurationOf(env, provider, described.metadata), {
    redirect_uri: callbackOf(services, connectionId),
    scope: scopesFor(described.metadata),
    state: begun.state,
    nonce: question.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(question.verifier),
    code_challenge_method: 'S256',
    ...(hint === undefined || hint === '' ? {} : { login_hint: hint }),
    ...(aim.kind === 'proof' ? { prompt: 'login', max_age: '0' } : {}),
  })
  return { location: to.href }
}

type Kept = {
  offeredId: string | undefined
  connectionId: string
  aim: Aim
  question: { nonce: string; verifier: string; askedAt: number }
  token: string
}

/** The state names the flow; only with its cookie is it worth anything. Undefined: somebody else has begun the same offer. */
async function keep(tx: Tx, { offeredId, connectionId, aim, question, token }: Kept) {
  const secret = randomToken()
  const id = offeredId ?? (await started(tx, connectionId, aim))
  const state = `${id}.${secret}`
  const to = { stage: 'asked', question: { ...question, state } } as const
  return (await takeStep(tx, { id }, { from: 'offered', to, token })) ? { id, state } : undefined
}

async function started(tx: Tx, connectionId: string, aim: Aim): Promise<string> {
  const data = { connectionId, stage: 'offered', aim }
  const { flowToken } = await startFlow(tx, { purpose: 'connection', identifier: '', userId: null, data })
  const flow = await flowByToken(tx, flowToken)
  if (!flow) throw new Error('The flow was not stored.')
  return flow.id
}

/** Only an account of the provider by which the person is known here proves anything. */
export async function offerProof(
  tx: Tx,
  { sessionId, userId, viewer }: Caller,
  connectionId: string,
): Promise<string> {
  const owner = viewer?.id ?? userId
  const isKnown = await hasRow(
    tx,
    sql`select from connection_people p join sign_in_connections c on c.id = p.connection_id
      where p.user_id = ${owner} and c.id = ${connectionId} and c.is_on`,
  )
  if (!isKnown) throw refuse('not_found')
  return offer(tx, connectionId, { kind: 'proof', sessionId, userId: owner })
}
