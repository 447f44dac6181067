import * as z from 'zod/mini'
import { Device } from '../platform/devices.ts'
import { endpoint, Id, Instant, Nothing, only } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles, everyRole } from '../roles.ts'
import { UserParams } from '../directory/users.ts'

/** One signed-in browser. */
export const Session = z.object({
  id: Id,
  /** The one that asks. */
  isPresent: z.boolean(),
  createdAt: Instant,
  lastSeenAt: Instant,
  /** When it ends at the latest, and when it ends if nobody comes back. */
  expiresAt: Instant,
  idleExpiresAt: Instant,
  isLocked: z.boolean(),
  /** Kept for days on the wish of its owner. */
  isRemembered: z.boolean(),
  /** Browser and system, as far as it says, such as "Firefox on Windows". */
  browser: Device,
  /** Network of the sign-in, cut to /24 or /48. */
  network: z.nullable(z.string()),
  /** How the person proved who they are: `pwd`, `otp`, `hwk` (passkey), `rcv` (recovery code), `mail`, `sso` (the company's own sign-in), `mfa` (a second step there). */
  proofs: z.array(z.string()),
  /** Name of the connection (`sso.ts`) by which it began; null where none did. */
  connection: z.nullable(z.string()),
})
export type Session = z.infer<typeof Session>

/** At most ten: the present one, then the newest first. */
const Sessions = z.object({ items: z.array(Session) })
const Ended = z.object({ ended: z.number() })

export const listSessions = endpoint({
  name: 'listSessions',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'Where the caller is signed in',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  reply: Sessions,
  cacheSeconds: 0,
})

export const endOwnSession = endpoint({
  name: 'endOwnSession',
  method: 'DELETE',
  path: '/auth/sessions/:sessionId',
  summary: 'End another session of the caller',
  access: only(everyRole, 'person'),
  fresh: true,
  params: z.object({ sessionId: Id }),
  reply: Nothing,
})

export const endOtherSessions = endpoint({
  name: 'endOtherSessions',
  method: 'POST',
  path: '/auth/sessions/revoke-others',
  summary: 'End every session of the caller but the present one',
  access: only(everyRole, 'person'),
  fresh: true,
  reply: Ended,
})

export const listUserSessions = endpoint({
  name: 'listUserSessions',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/sessions',
  summary: 'Where a user is signed in',
  access: only(adminRoles, 'person'),
  params: UserParams,
  reply: z.extend(Sessions, {
    /** Too many wrong passwords have switched the right one off, for an hour or until it is changed or unlocked. */
    isLockedOut: z.boolean(),
    /** Names of the connections (`sso.ts`) by which they have signed in, the last first. */
    connections: z.array(z.string()),
  }),
  cacheSeconds: 0,
})

export const endUserSessions = endpoint({
  name: 'endUserSessions',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/revoke-sessions',
  summary: 'Sign a user out everywhere, or in one place',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: UserParams,
  body: z.object({ sessionId: z.optional(Id) }),
  reply: Ended,
})

export const unlockUser = endpoint({
  name: 'unlockUser',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/unlock',
  summary: 'Let a user sign in with their password again after too many wrong ones',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: UserParams,
  reply: Nothing,
})

export const endOrganizationSessions = endpoint({
  name: 'endOrganizationSessions',
  method: 'POST',
  path: '/organizations/:orgId/sessions/revoke',
  summary: 'Sign everybody in an organization out, except the caller',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: OrgParams,
  reply: Ended,
})
