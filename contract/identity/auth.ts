import * as z from 'zod/mini'
import { Code, Identifier, Password } from './credentials.ts'
import { anyone, endpoint, Id, Instant, Nothing, only } from '../endpoint.ts'
import { everyRole, roles } from '../roles.ts'

export const passwordLength = { least: 15, most: 256 } as const

/** What can stand beside the password. */
export const factorMethods = ['passkey', 'totp', 'recovery'] as const
export const FactorMethod = z.enum(factorMethods)
export type FactorMethod = z.infer<typeof FactorMethod>

export const SessionUser = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  /** Key of the picture. */
  avatar: z.nullable(z.string()),
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  groupIds: z.array(Id),
  mfa: z.object({ enrolled: z.boolean(), methods: z.array(FactorMethod) }),
})
export type SessionUser = z.infer<typeof SessionUser>

export const Authenticated = z.object({
  status: z.literal('authenticated'),
  token: z.string(),
  tokenType: z.literal('Bearer'),
  idleExpiresAt: Instant,
  expiresAt: Instant,
  user: SessionUser,
})
export type Authenticated = z.infer<typeof Authenticated>

/** The password was right; a second proof completes the sign-in. */
export const MfaRequired = z.object({
  status: z.literal('mfa_required'),
  flowToken: z.string(),
  expiresAt: Instant,
  methods: z.array(FactorMethod),
})

/** The policy asks for a second factor, and there is none yet. */
export const MfaEnrollmentRequired = z.object({
  status: z.literal('mfa_enrollment_required'),
  flowToken: z.string(),
  expiresAt: Instant,
})

/** Everything was right, but the password has to be replaced before anybody enters with it. */
export const PasswordChangeRequired = z.object({
  status: z.literal('password_change_required'),
  flowToken: z.string(),
  expiresAt: Instant,
  reason: z.enum(['breached', 'reset_by_admin']),
})

export const signInAnswers = [
  Authenticated,
  MfaRequired,
  MfaEnrollmentRequired,
  PasswordChangeRequired,
] as const
export const SignInAnswer = z.discriminatedUnion('status', signInAnswers)
export type SignInAnswer = z.infer<typeof SignInAnswer>

/** The second factor works from now on; the codes are shown this once. */
export const MfaEnrolled = z.object({
  status: z.literal('mfa_enrolled'),
  /** None when the ones of another factor are still good. */
  recoveryCodes: z.array(z.string()),
  /** What the sign-in that asked for the factor ends with. */
  next: z.nullable(SignInAnswer),
})
export type MfaEnrolled = z.infer<typeof MfaEnrolled>

/** The same answer whether or not somebody has that address. */
export const CodeSent = z.object({
  status: z.literal('sent'),
  flowToken: z.string(),
  maskedDestination: z.string(),
  codeLength: z.number(),
  expiresAt: Instant,
  /** Seconds until another code may be asked for. */
  resendAfter: z.number(),
  /** There is no mail server: whatever is written rests in the outbox of the installation, for superadmins to read. */
  rests: z.boolean(),
})
export type CodeSent = z.infer<typeof CodeSent>

/** The session has a new token; the former one is worthless. */
export const Reauthenticated = z.object({
  status: z.literal('reauthenticated'),
  token: z.string(),
  reauthenticatedUntil: Instant,
})
export type Reauthenticated = z.infer<typeof Reauthenticated>

const Verified = z.object({ status: z.literal('verified'), purpose: z.string(), flowToken: z.string() })

export const login = endpoint({
  name: 'login',
  method: 'POST',
  path: '/auth/login',
  summary: 'Sign in with email and password',
  access: anyone,
  body: z.object({ identifier: Identifier, password: Password, remember: z.optional(z.boolean()) }),
  reply: SignInAnswer,
})

export const logout = endpoint({
  name: 'logout',
  method: 'POST',
  path: '/auth/logout',
  summary: 'End the current session',
  access: only(everyRole, 'person'),
  whileLocked: true,
  whileImpersonating: true,
  reply: Nothing,
})

/** A superadmin who looks through the eyes of the session's user. */
const Impersonation = z.object({ by: z.string(), reason: z.string(), until: Instant })
export type Impersonation = z.infer<typeof Impersonation>

export const PresentSession = z.object({
  user: SessionUser,
  idleExpiresAt: Instant,
  expiresAt: Instant,
  reauthenticatedUntil: z.nullable(Instant),
  viewing: z.nullable(Impersonation),
})
export type PresentSession = z.infer<typeof PresentSession>

export const readSession = endpoint({
  name: 'readSession',
  method: 'GET',
  path: '/auth/session',
  summary: 'The signed-in person and when the session ends',
  access: only(everyRole, 'person'),
  reply: PresentSession,
  cacheSeconds: 0,
})

export const lockSession = endpoint({
  name: 'lockSession',
  method: 'POST',
  path: '/auth/lock',
  summary: 'Lock the current session: nothing works until its owner proves who they are',
  access: only(everyRole, 'person'),
  whileLocked: true,
  whileImpersonating: true,
  /** Whose session it is; looking through the eyes of somebody else ends with it. */
  reply: z.object({ user: SessionUser }),
})

export const sendVerification = endpoint({
  name: 'sendVerification',
  method: 'POST',
  path: '/authorizations/send-verification',
  summary: 'Mail a code to an address',
  access: anyone,
  body: z.object({
    identifier: Identifier,
    methodType: z.literal('email'),
    purpose: z._default(z.enum(['confirm_email', 'login', 'step_up', 'delete_account']), 'confirm_email'),
  }),
  reply: CodeSent,
  status: 202,
})

export const verifyAuthCode = endpoint({
  name: 'verifyAuthCode',
  method: 'POST',
  path: '/authorizations/verify-auth-code',
  summary: 'Complete the pending step of a flow with its code',
  access: anyone,
  body: z.object({ code: Code }),
  reply: z.discriminatedUnion('status', [...signInAnswers, MfaEnrolled, Verified]),
  flow: true,
})

export const verifyToken = endpoint({
  name: 'verifyToken',
  method: 'POST',
  path: '/authorizations/verify-token',
  summary: 'Verify a mailed code for an address',
  access: anyone,
  body: z.object({
    identifier: Identifier,
    code: Code,
    methodType: z.enum(['email', 'totp', 'recovery']),
  }),
  reply: z.discriminatedUnion('status', [...signInAnswers, Verified]),
  flow: true,
})

export const forgotPassword = endpoint({
  name: 'forgotPassword',
  method: 'POST',
  path: '/authorizations/forgot-password',
  summary: 'Mail a code for setting a new password',
  access: anyone,
  body: z.object({ identifier: Identifier }),
  reply: CodeSent,
  status: 202,
})

export const resetPassword = endpoint({
  name: 'resetPassword',
  method: 'POST',
  path: '/authorizations/reset-password',
  summary: 'Set a new password with a verified flow, or with an open one, address and code',
  access: anyone,
  body: z.object({ identifier: z.optional(Identifier), code: z.optional(Code), password: Password }),
  reply: z.object({
    status: z.literal('password_reset'),
    sessionsRevoked: z.number(),
    next: z.literal('sign-in'),
  }),
  flow: true,
})

export const verifyPassword = endpoint({
  name: 'verifyPassword',
  method: 'POST',
  path: '/authorizations/verify-password',
  summary: 'Second step of sign-in; with a bearer, prove again who is there',
  access: anyone,
  body: z.object({ identifier: Identifier, password: Password }),
  whileLocked: true,
  whileImpersonating: true,
  reply: z.discriminatedUnion('status', [...signInAnswers, Reauthenticated]),
})

export const deleteAccount = endpoint({
  name: 'deleteAccount',
  method: 'POST',
  path: '/auth/delete-account',
  summary: 'Ask for your own account to be deleted; signing in before the day keeps it',
  access: only(everyRole, 'person'),
  fresh: true,
  /** The own address, typed. */
  body: z.object({ email: Identifier.check(z.trim(), z.toLowerCase()) }),
  reply: z.object({ status: z.literal('deletion_scheduled'), deleteAfter: Instant }),
})
