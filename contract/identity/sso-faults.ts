/** Why signing in by a connection was refused. The address of the page names one of these, and the audit keeps it. */
export const signInFaults = [
  /** There is no such connection, or it is switched off. */
  'connection_off',
  /** Nobody has begun this sign-in here, it took more than ten minutes, or it was answered before. */
  'flow_unknown',
  /** It was begun in another browser. */
  'other_browser',
  'limit',
  // What the provider said
  'provider_refused',
  'provider_fault',
  'issuer_wrong',
  'unreachable',
  'client_refused',
  'code_refused',
  // What its token says
  'token_invalid',
  'signature',
  'algorithm',
  'audience',
  'nonce',
  'expired',
  'from_future',
  'proof_too_old',
  // Who it is
  'email_missing',
  'email_unverified',
  'domain_unproved',
  'nobody',
  'superadmin',
  'elsewhere',
  'linked_otherwise',
  'above_grant',
  'no_role',
  'disabled',
  'organization_closed',
  'other_person',
] as const
export type SignInFault = (typeof signInFaults)[number]

/** What "Try it" looks at, in this order; the first four without anybody signing in, the rest in a trial sign-in. */
export const trialSteps = ['issuer', 'clock', 'client', 'redirect', 'sign_in', 'claims'] as const
export type TrialStep = (typeof trialSteps)[number]

/** What "Try it" can find wrong, beside what refuses a sign-in. */
export const trialFaults = [
  'issuer_unreachable',
  'issuer_not_found',
  'issuer_no_provider',
  'issuer_differs',
  'issuer_private',
  'issuer_template',
  'flow_unsupported',
  'pkce_unsupported',
  'algorithm_unsupported',
  'keys_missing',
  'clock_off',
  'client_unknown',
  'secret_wrong',
  'secret_lost',
  'redirect_unknown',
] as const
export type TrialFault = (typeof trialFaults)[number]
