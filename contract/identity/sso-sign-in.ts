import * as z from 'zod/mini'
import { Reauthenticated, signInAnswers } from './auth.ts'
import { Identifier } from './credentials.ts'
import { anyone, capability, endpoint, Id, Nothing, only } from '../endpoint.ts'
import { everyRole } from '../roles.ts'

/** A button of the sign-in page. */
const Choice = z.object({
  id: Id,
  name: z.string(),
  /** Null: the installation itself, for superadmins. */
  organization: z.nullable(z.string()),
  /** Its people enter with nothing else, but for the administrator who is named for an emergency. */
  isRequired: z.boolean(),
})
export type ConnectionChoice = z.infer<typeof Choice>

/** Asked only where `claimedDomains` of `GET /config` has the fingerprint of the domain (`domain-fingerprint.ts`). */
export const findConnections = endpoint({
  name: 'findConnections',
  method: 'POST',
  path: '/auth/sso/find',
  summary: 'By which connections addresses of a domain sign in; the same for each address of it',
  access: anyone,
  body: z.object({ identifier: Identifier }),
  reply: z.object({ connections: z.array(Choice) }),
})

const ConnectionParams = z.object({ connectionId: Id })
const text = (most: number) => z.optional(z.string().check(z.maxLength(most)))

/** A page of the browser is led on: to the provider, or to `/auth-1/sso?fault=…`. Neither address nor token of its own is logged. */
export const beginSso = endpoint({
  name: 'beginSso',
  method: 'GET',
  path: '/auth/sso/:connectionId',
  summary: 'Begin to sign in by a connection: leads on to the provider (303)',
  access: capability,
  params: ConnectionParams,
  query: z.object({
    /** The address that was typed, so that the provider need not ask for it again. */
    hint: text(320),
    /** A one-time token from `tryConnection` or `beginProof`. */
    flow: text(200),
  }),
  reply: Nothing,
  cacheSeconds: 0,
})

/** Leads on to `/auth-1/sso?flow=<id>`, where `exchangeSso` goes on, or to `/auth-1/sso?fault=<one of signInFaults>`. */
export const finishSso = endpoint({
  name: 'finishSso',
  method: 'GET',
  path: '/auth/sso/:connectionId/callback',
  summary: 'Where the provider leads back to: leads on to the page that completes the sign-in (303)',
  access: capability,
  params: ConnectionParams,
  query: z.object({
    code: text(8_000),
    state: text(500),
    iss: text(1_000),
    error: text(200),
    error_description: text(2_000),
  }),
  dropsUnknown: true,
  reply: Nothing,
  cacheSeconds: 0,
})

/** It was a sign-in for trial: nobody is signed in, and the connection has what came. Null: one of the installation. */
export const Tried = z.object({
  status: z.literal('tried'),
  connectionId: Id,
  organizationId: z.nullable(Id),
})

/**
 * Somebody without a role, whose organization lets only signed-in people watch: the console stays closed, and the pages of their videos open
 * in this browser, by a cookie that comes with the answer.
 */
export const Watching = z.object({ status: z.literal('watching') })
export type Watching = z.infer<typeof Watching>

/**
 * `flow` of the address opens nothing without the cookie of the browser that began, and works once. With the bearer of a session that asked
 * for proof the answer is `reauthenticated`.
 */
export const exchangeSso = endpoint({
  name: 'exchangeSso',
  method: 'POST',
  path: '/auth/sso/exchange',
  summary: 'Complete the sign-in that the provider has answered',
  access: anyone,
  body: z.object({ flow: Id }),
  whileLocked: true,
  whileImpersonating: true,
  reply: z.discriminatedUnion('status', [...signInAnswers, Reauthenticated, Tried, Watching]),
})

export const endByProvider = endpoint({
  name: 'endByProvider',
  method: 'POST',
  path: '/auth/sso/:connectionId/logout',
  summary:
    'Back-channel logout: the provider ends the sessions of somebody (OpenID Connect Back-Channel Logout 1.0)',
  access: capability,
  params: ConnectionParams,
  /** Sent as a form. */
  body: z.object({ logout_token: z.string().check(z.minLength(1), z.maxLength(20_000)) }),
  dropsUnknown: true,
  reply: Nothing,
})

export const readProof = endpoint({
  name: 'readProof',
  method: 'GET',
  path: '/auth/proof',
  summary: 'By what the signed-in person proves again who they are',
  access: only(everyRole, 'person'),
  whileLocked: true,
  ownTransactions: true,
  reply: z.object({
    /** Password and passkey are taken. */
    own: z.boolean(),
    connections: z.array(z.object({ id: Id, name: z.string() })),
  }),
  cacheSeconds: 0,
})

export const beginProof = endpoint({
  name: 'beginProof',
  method: 'POST',
  path: '/auth/proof',
  summary: 'Begin to prove at the provider who one is: unlocks, and counts for ten minutes',
  access: only(everyRole, 'person'),
  whileLocked: true,
  whileImpersonating: true,
  ownTransactions: true,
  body: z.object({ connectionId: Id }),
  /** A relative address, good once, to be opened by the same browser; `exchangeSso` with the bearer completes it. */
  reply: z.object({ url: z.string() }),
})
