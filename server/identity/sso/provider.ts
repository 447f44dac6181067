import * as oidc from 'openid-client'
import * as z from 'zod/mini'
import type { SignInFault, TrialFault } from '#contract/identity/sso-faults.ts'
import type { ReachEnv } from '../../platform/reach.ts'
import { askingBy, reachOf } from './outgoing.ts'

/** Whose sign-in it is, and as whom we come. */
export type Provider = { issuer: string; clientId: string; clientSecret: string }

/** Nothing else is taken: no `none`, and no key that both sides share. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Seconds by which the clocks may differ. */
export const tolerance = 60

const url = z.string().check(z.regex(/^https:\/\/\S+$/))
/** What is read of a provider's description of itself (OpenID Connect Discovery 1.0). */
export const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  userinfo_endpoint: z.optional(url),
  response_types_supported: z.optional(z.array(z.string())),
  scopes_supported: z.optional(z.array(z.string())),
  code_challenge_methods_supported: z.optional(z.array(z.string())),
  id_token_signing_alg_values_supported: z.optional(z.array(z.string())),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
})
export type Metadata = z.infer<typeof Metadata>

/** `told`: what the provider says in its place, of strangers. `date`: what its clock says, in ms. */
export type Described =
  | { metadata: Metadata; date: number | undefined }
  | { fault: TrialFault; told: string | null; date?: number | undefined }

const templates =
  /^https:\/\/login\.microsoftonline\.[^/]+\/(common|organizations|consumers|\{tenantid\})(\/|$)/i

/** What the provider says about itself, looked at each time: keys and addresses that it takes back count no longer. */
export async function describe(env: ReachEnv, issuer: string): Promise<Described> {
  if (templates.test(issuer)) return { fault: 'issuer_template', told: null }
  const asked = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  let answer: Response
  try {
    answer = await askingBy(env)(asked, { headers: { accept: 'application/json' } })
  } catch (error) {
    const reach = reachOf(error)
    return {
      fault: reach === 'private_address' ? 'issuer_private' : 'issuer_unreachable',
      told: reach ?? null,
    }
  }
  const date = Date.parse(answer.headers.get('date') ?? '') || undefined
  if (answer.status !== 200) return { fault: 'issuer_not_found', told: String(answer.status), date }
  const said: unknown = await answer.json().catch(() => undefined)
  const read = Metadata.safeParse(said)
  if (!read.success) return { fault: 'issuer_no_provider', told: null, date }
  const metadata = read.data
  if (metadata.issuer !== issuer) return { fault: 'issuer_differs', told: metadata.issuer, date }
  const fault = unsupportedIn(metadata)
  return fault ? { fault, told: null, date } : { metadata, date }
}

function unsupportedIn(metadata: Metadata): TrialFault | undefined {
  const { response_types_supported: types, code_challenge_methods_supported: challenges } = metadata
  if (types && !types.includes('code')) return 'flow_unsupported'
  // Who says nothing of it may offer it all the same, as Entra ID does.
  if (challenges && !challenges.includes('S256')) return 'pkce_unsupported'
  return algorithmsOf(metadata).length === 0 ? 'algorithm_unsupported' : undefined
}

/** Those of the provider that are taken here. */
export const algorithmsOf = ({ id_token_signing_alg_values_supported: offered }: Metadata): string[] =>
  (offered ?? ['RS256']).filter((one) => algorithms.includes(one))

/** What the library needs, asking by the guarded request alone and looking at every signature. */
export function configurationOf(env: ReachEnv, provider: Provider, metadata: Metadata): oidc.Configuration {
  const { clientId, clientSecret } = provider
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(clientSecret)
    : oidc.ClientSecretPost(clientSecret)
  const server = { ...metadata, id_token_signing_alg_values_supported: algorithmsOf(metadata) }
  const client = { [oidc.clockTolerance]: tolerance }
  const configuration = new oidc.Configuration(
    server as oidc.ServerMetadata,
    clientId,
    client,
    authentication,
  )
  configuration[oidc.customFetch] = askingBy(env)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

const wrongClaims: Readonly<Record<string, SignInFault>> = {
  iss: 'issuer_wrong',
  aud: 'audience',
  azp: 'audience',
  nonce: 'nonce',
  exp: 'expired',
  nbf: 'from_future',
}

/** A message of the library is what tells some of its refusals apart; the tests hold each of them to what is found here. */
const wordings: readonly (readonly [RegExp, SignInFault])[] = [
  [/"iss" \(issuer\)/, 'issuer_wrong'],
  [/"alg" header|JWS algorithm|"alg"/, 'algorithm'],
  [/signature/, 'signature'],
  [/"nonce"/, 'nonce'],
  [/"aud"/, 'audience'],
  [/"state"/, 'flow_unknown'],
]

function* behind(error: unknown): Generator<Error> {
  for (let one = error; one instanceof Error; one = one.cause) yield one
}

const refusing = new Set(['invalid_client', 'unauthorized_client'])
const away = new Set(['server_error', 'temporarily_unavailable'])

/** What went wrong on the way from the provider's answer to a token that can be believed. */
export function faultOf(error: unknown): SignInFault {
  if (reachOf(error) !== undefined) return 'unreachable'
  for (const one of behind(error)) {
    if (one instanceof oidc.AuthorizationResponseError)
      return away.has(one.error)
        ? 'unreachable'
        : one.error === 'invalid_request'
          ? 'provider_fault'
          : 'provider_refused'
    if (one instanceof oidc.WWWAuthenticateChallengeError) return 'client_refused'
    if (one instanceof oidc.ResponseBodyError)
      return refusing.has(one.error)
        ? 'client_refused'
        : one.error === 'invalid_grant'
          ? 'code_refused'
          : 'provider_fault'
  }
  const chain = [...behind(error)]
  if (chain.some((one) => 'code' in one && one.code === 'OAUTH_KEY_SELECTION_FAILED')) return 'signature'
  for (const { cause } of chain) {
    const claim = typeof cause === 'object' && cause !== null && 'claim' in cause ? String(cause.claim) : ''
    const fault = wrongClaims[claim]
    if (fault) return fault
  }
  for (const { message } of chain) {
    const found = wordings.find(([words]) => words.test(message))
    if (found) return found[1]
  }
  return chain.some((one) => 'code' in one && one.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM')
    ? 'provider_fault'
    : 'token_invalid'
}
