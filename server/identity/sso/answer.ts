import * as oidc from 'openid-client'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import type { ReachEnv } from '../../platform/reach.ts'
import type { Claims } from './claims.ts'
import { claimNamed } from './claims.ts'
import type { ConnectionFlow } from './flow.ts'
import { configurationOf, describe, faultOf, tolerance, type Provider } from './provider.ts'

type Asked = {
  env: ReachEnv
  provider: Provider
  /** The address that the browser was led back to, with all that stands in it. */
  callback: URL
  flow: ConnectionFlow
  /** Claims that rules ask about, which may be told at another place than in the token. */
  wanted: readonly string[]
}
export type Answer = { claims: Claims; subject: string; sid: string | null } | { fault: SignInFault }

/** Fetches what the provider says about the person, and believes it only where everything holds. */
export async function answerOf({ env, provider, callback, flow, wanted }: Asked): Promise<Answer> {
  const { question, aim } = flow.data
  if (!question) return { fault: 'flow_unknown' }
  const iss = callback.searchParams.get('iss')
  if (iss !== null && iss !== provider.issuer) return { fault: 'issuer_wrong' }
  const described = await describe(env, provider.issuer)
  if ('fault' in described)
    return { fault: described.fault === 'issuer_unreachable' ? 'unreachable' : 'provider_fault' }
  const configuration = configurationOf(env, provider, described.metadata)
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
      expectedState: question.state,
      expectedNonce: question.nonce,
      pkceCodeVerifier: question.verifier,
      idTokenExpected: true,
    })
    const claims: Claims = { ...tokens.claims() }
    const fault = untimely(claims, question.askedAt, aim.kind === 'proof')
    if (fault) return { fault }
    const subject = claims['sub']
    if (typeof subject !== 'string' || subject === '' || subject.length > 500)
      return { fault: 'token_invalid' }
    const isComplete = ['email', ...wanted].every((name) => claimNamed(claims, name) !== undefined)
    const more =
      isComplete || described.metadata.userinfo_endpoint === undefined
        ? {}
        : await oidc.fetchUserInfo(configuration, tokens.access_token, subject)
    const sid = claims['sid']
    return {
      claims: { ...more, ...claims },
      subject,
      sid: typeof sid === 'string' && sid.length <= 500 ? sid : null,
    }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

/** Issued before we asked, or later than now: the clocks differ, or the token is not of this sign-in. `exp` is looked at by the library. */
function untimely(claims: Claims, askedAt: number, isProof: boolean): SignInFault | undefined {
  const now = Date.now() / 1_000
  const { iat, auth_time: proved } = claims
  if (typeof iat !== 'number') return 'token_invalid'
  if (iat < askedAt / 1_000 - tolerance) return 'expired'
  if (iat > now + tolerance) return 'from_future'
  if (!isProof) return undefined
  const isFresh =
    typeof proved === 'number' && proved >= askedAt / 1_000 - tolerance && proved <= now + tolerance
  return isFresh ? undefined : 'proof_too_old'
}
