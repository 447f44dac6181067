import * as z from 'zod/mini'
import { MfaEnrolled, Reauthenticated, signInAnswers } from './auth.ts'
import { anyone, endpoint, Id, Instant, Nothing, only, requiredText, requiredLines } from '../endpoint.ts'
import { adminRoles, everyRole } from '../roles.ts'

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: Instant,
  lastUsedAt: z.nullable(Instant),
  /** Kept by a password manager or the maker's account, and so on several devices. */
  synced: z.boolean(),
})
export type Passkey = z.infer<typeof Passkey>

export const readFactors = endpoint({
  name: 'readFactors',
  method: 'GET',
  path: '/auth/mfa',
  summary: 'Second factors of the signed-in person',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  reply: z.object({
    /** The policy asks this person for a second factor: the last one cannot be removed. */
    required: z.boolean(),
    totp: z.nullable(z.object({ createdAt: Instant, lastUsedAt: z.nullable(Instant) })),
    passkeys: z.array(Passkey),
    recoveryCodesLeft: z.number(),
  }),
  cacheSeconds: 0,
})

export const startTotp = endpoint({
  name: 'startTotp',
  method: 'POST',
  path: '/auth/mfa/totp',
  summary:
    'Get the secret for an authenticator app; it works once verify-auth-code has seen one of its codes',
  access: anyone,
  whileLocked: true,
  whileImpersonating: true,
  reply: z.object({ secret: z.string(), otpauthUri: z.string(), flowToken: z.string() }),
  flow: true,
})

export const removeTotp = endpoint({
  name: 'removeTotp',
  method: 'DELETE',
  path: '/auth/mfa/totp',
  summary: 'Remove the authenticator app',
  access: only(everyRole, 'person'),
  fresh: true,
  reply: Nothing,
})

export const renewRecoveryCodes = endpoint({
  name: 'renewRecoveryCodes',
  method: 'POST',
  path: '/auth/mfa/recovery-codes',
  summary: 'Replace all recovery codes by ten new ones, which are shown this once',
  access: only(everyRole, 'person'),
  fresh: true,
  reply: z.object({ recoveryCodes: z.array(z.string()) }),
})

export const passkeyUses = ['register', 'sign_in', 'second_step', 'reauthenticate'] as const
export type PasskeyUse = (typeof passkeyUses)[number]

export const askPasskey = endpoint({
  name: 'askPasskey',
  method: 'POST',
  path: '/auth/passkeys/options',
  summary: 'What the browser needs to make or use a passkey; `register` and `second_step` continue a flow',
  access: anyone,
  body: z.object({ for: z.enum(passkeyUses) }),
  whileLocked: true,
  whileImpersonating: true,
  reply: z.object({
    /** PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON of WebAuthn level 3. */
    options: z.record(z.string(), z.unknown()),
    flowToken: z.string(),
  }),
  flow: true,
})

/** Base64url, as browsers write it. */
const encoded = (most: number) =>
  z.string().check(z.regex(/^[\w-]+$/, 'invalid'), z.maxLength(most, 'too_long'))

/** RegistrationResponseJSON or AuthenticationResponseJSON of WebAuthn level 3; what is not read is left out. */
export const Credential = z.object({
  id: encoded(2_000),
  rawId: encoded(2_000),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: encoded(10_000),
    attestationObject: z.optional(encoded(100_000)),
    transports: z.optional(z.array(z.string().check(z.maxLength(50))).check(z.maxLength(20))),
    authenticatorData: z.optional(encoded(10_000)),
    signature: z.optional(encoded(10_000)),
    userHandle: z.optional(encoded(200)),
  }),
})
export type Credential = z.infer<typeof Credential>

export const verifyPasskey = endpoint({
  name: 'verifyPasskey',
  method: 'POST',
  path: '/auth/passkeys/verify',
  summary: 'Send what the browser answered to the options of a passkey',
  access: anyone,
  body: z.object({ credential: Credential, remember: z._default(z.boolean(), false) }),
  whileLocked: true,
  whileImpersonating: true,
  reply: z.discriminatedUnion('status', [...signInAnswers, MfaEnrolled, Reauthenticated]),
  flow: true,
})

const PasskeyParams = z.object({ passkeyId: Id })

export const renamePasskey = endpoint({
  name: 'renamePasskey',
  method: 'PUT',
  path: '/auth/passkeys/:passkeyId',
  summary: 'Give a passkey another name',
  access: only(everyRole, 'person'),
  params: PasskeyParams,
  body: z.object({
    name: requiredText(100),
  }),
  reply: Passkey,
})

export const removePasskey = endpoint({
  name: 'removePasskey',
  method: 'DELETE',
  path: '/auth/passkeys/:passkeyId',
  summary: 'Remove a passkey',
  access: only(everyRole, 'person'),
  fresh: true,
  params: PasskeyParams,
  reply: Nothing,
})

export const resetFactors = endpoint({
  name: 'resetFactors',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/mfa-reset',
  summary: 'Remove all second factors of somebody who has lost them, and sign them out',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: z.object({ orgId: Id, userId: Id }),
  body: z.object({
    /** Told to the person, and kept. */
    reason: requiredLines(500),
  }),
  reply: z.object({ sessionsRevoked: z.number() }),
})
