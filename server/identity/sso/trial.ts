import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import * as z from 'zod/mini'
import type { Body, Reply } from '#contract/endpoint.ts'
import type { TrialFault } from '#contract/identity/sso-faults.ts'
import type { Finding, tryConnection } from '#contract/identity/sso.ts'
import { cut, storable } from '#contract/platform/text/text.ts'
import type { Scope } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { randomToken } from '../../platform/keys.ts'
import type { ReachEnv } from '../../platform/reach.ts'
import { connectionTrialLimits, takeTry } from '../limit.ts'
import { offer, trialPurpose } from './begin.ts'
import { callbackOf, findConnection, knownConnection, type Home } from './connections.ts'
import { askingBy } from './outgoing.ts'
import { describe, tolerance, type Metadata, type Provider } from './provider.ts'

type Typed = Partial<Body<typeof tryConnection>>
type Trying = { services: Services; scope: Scope; by: Requester; id: string; typed: Typed }

/**
 * Looks at each part without anybody signing in, as far as the provider tells them apart, and begins a sign-in for trial where nothing is
 * wrong. A saved secret goes to no other issuer and for no other client than it was saved for.
 */
export async function tryOut(home: Home, trying: Trying): Promise<Reply<typeof tryConnection>> {
  const { services, scope, by, id, typed } = trying
  const { db, keys, env } = services
  const saved = await db.as(scope, (tx) => findConnection(tx, home, { services, id }))
  const known = await db.as('system', async (tx) => {
    await takeTry(tx, connectionTrialLimits(keys, home.organizationId))
    return knownConnection(tx, keys, id)
  })
  const issuer = typed.issuer ?? saved.issuer
  const clientId = typed.clientId ?? saved.clientId
  const isOther = issuer !== saved.issuer || clientId !== saved.clientId
  if (isOther && typed.clientSecret === undefined)
    throw refuse('validation_failed', { fields: { clientSecret: ['required'] } })
  const clientSecret = typed.clientSecret ?? known?.secret ?? null
  const redirectUri = callbackOf(services, id)
  const findings = await findingsOf(env, { provider: { issuer, clientId, clientSecret }, redirectUri })
  const isGood = findings.every(({ result }) => result !== 'wrong')
  const isTyped = isOther || typed.clientSecret !== undefined
  const provider =
    isTyped && clientSecret !== null
      ? { issuer, clientId, sealed: keys.seal(trialPurpose, clientSecret, id).toString('base64') }
      : null
  const trialUrl = isGood
    ? await db.as('system', (tx) => offer(tx, id, { kind: 'trial', by: by.caller.name, provider }))
    : null
  const fault = findings.find(({ result }) => result === 'wrong')?.fault ?? null
  await db.as(scope, (tx) => {
    const entry = { ...home, entity: 'connection', entityId: id, after: { name: saved.name, issuer, fault } }
    return audit(tx, by, { ...entry, action: 'connection.tried' })
  })
  return { findings, trialUrl }
}

type Asked = {
  provider: Omit<Provider, 'clientSecret'> & { clientSecret: string | null }
  redirectUri: string
}

const good = (step: Finding['step'], told: string | null = null): Finding => ({
  step,
  result: 'good',
  fault: null,
  told,
})
const open = (step: Finding['step'], told: string | null = null): Finding => ({
  step,
  result: 'open',
  fault: null,
  told,
})
const wrong = (step: Finding['step'], fault: TrialFault, told: string | null = null): Finding => ({
  step,
  result: 'wrong',
  fault,
  told,
})
const short = (text: string): string =>
  cut(
    storable(text)
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
    300,
  )

async function findingsOf(env: ReachEnv, asked: Asked): Promise<Finding[]> {
  const { provider } = asked
  const described = await describe(env, provider.issuer)
  const clock = clockOf(described.date)
  if ('fault' in described) {
    const told = described.told === null ? null : short(described.told)
    return [wrong('issuer', described.fault, told), clock, open('client'), open('redirect')]
  }
  const { metadata } = described
  if (!(await hasKeys(env, metadata)))
    return [wrong('issuer', 'keys_missing'), clock, open('client'), open('redirect')]
  const ends = [good('issuer'), clock]
  if (provider.clientSecret === null) return [...ends, wrong('client', 'secret_lost'), open('redirect')]
  const client = await clientOf(env, metadata, { ...asked, clientSecret: provider.clientSecret })
  const redirect = client.result === 'wrong' ? open('redirect') : await redirectOf(env, metadata, asked)
  return [...ends, client, redirect]
}

function clockOf(date: number | undefined): Finding {
  if (date === undefined) return open('clock')
  const seconds = Math.round((date - Date.now()) / 1_000)
  return Math.abs(seconds) > tolerance ? wrong('clock', 'clock_off', `${seconds} s`) : good('clock')
}

const KeySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).check(z.minLength(1)) })

async function hasKeys(env: ReachEnv, { jwks_uri: address }: Metadata): Promise<boolean> {
  try {
    const answer = await askingBy(env)(address, { headers: { accept: 'application/json' } })
    return answer.status === 200 && KeySet.safeParse(await answer.json()).success
  } catch {
    return false
  }
}

const TokenError = z.looseObject({ error: z.string(), error_description: z.optional(z.string()) })
const secretWords = /secret|AADSTS7000215|AADSTS7000222/i
const unknownWords = /AADSTS700016|not found|unknown|does not exist/i

/** A code that nobody was given: who knows us says that the code is wrong, who does not says that we are. */
async function clientOf(
  env: ReachEnv,
  metadata: Metadata,
  { provider: { clientId }, clientSecret, redirectUri }: Asked & { clientSecret: string },
): Promise<Finding> {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isBasic = methods.includes('client_secret_basic')
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: randomToken(),
    redirect_uri: redirectUri,
    code_verifier: randomPKCECodeVerifier(),
    ...(isBasic ? {} : { client_id: clientId, client_secret: clientSecret }),
  })
  const quoted = [clientId, clientSecret]
    .map((one) => encodeURIComponent(one).replaceAll('%20', '+'))
    .join(':')
  try {
    const answer = await askingBy(env)(metadata.token_endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(isBasic ? { authorization: `Basic ${Buffer.from(quoted).toString('base64')}` } : {}),
      },
      body: form,
    })
    const said = TokenError.safeParse(await answer.json().catch(() => undefined))
    if (!said.success) return open('client', String(answer.status))
    const { error, error_description: words = '' } = said.data
    const told = short(`${error} ${words}`)
    if (error === 'invalid_grant') return good('client')
    if (error !== 'invalid_client' && error !== 'unauthorized_client') return open('client', told)
    const isSecret = secretWords.test(words) && !unknownWords.test(words)
    return wrong('client', isSecret ? 'secret_wrong' : 'client_unknown', told)
  } catch {
    return wrong('client', 'issuer_unreachable')
  }
}

/** Without a page (`prompt=none`): who knows the address leads back to it, whoever is signed in there. */
async function redirectOf(
  env: ReachEnv,
  metadata: Metadata,
  { provider, redirectUri }: Asked,
): Promise<Finding> {
  const to = new URL(metadata.authorization_endpoint)
  const asked = {
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    state: randomToken(),
    nonce: randomToken(),
    code_challenge: await calculatePKCECodeChallenge(randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value)
  try {
    const answer = await askingBy(env)(to.href, { headers: { accept: 'text/html' } })
    const leadsTo = answer.headers.get('location') ?? ''
    if (leadsTo === redirectUri || leadsTo.startsWith(`${redirectUri}?`)) return good('redirect')
    const said = await answer.text()
    const isUnknown = answer.status >= 400 && /redirect[ _-]?ur[il]/i.test(said)
    return isUnknown ? wrong('redirect', 'redirect_unknown') : open('redirect')
  } catch {
    return open('redirect')
  }
}
