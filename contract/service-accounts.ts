import * as z from 'zod/mini'
import { OrgParams } from './directory/organizations.ts'
import {
  DayOrInstant,
  endpoint,
  Id,
  Instant,
  Nothing,
  only,
  page,
  PageQuery,
  requiredText,
} from './endpoint.ts'
import { adminRoles, superadminOnly } from './roles.ts'
import { keyScopes } from './scopes.ts'

/** A range of addresses such as `192.0.2.0/24` or `2001:db8::/32`, or a single one. */
const Network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()])

/** A key of an organization acts in that organization alone, one of the installation in all of them. */
export const Key = z.object({
  id: Id,
  name: z.string(),
  /** Answers for it; the name is null where this person is not there any more. */
  owner: z.object({ id: Id, name: z.nullable(z.string()) }),
  /** The owner may not sign in any more, or does not administer what the key is for: it works again when that changes. */
  isStopped: z.boolean(),
  scopes: z.array(z.enum(keyScopes)),
  /** From where it may call; none: from anywhere. */
  networks: z.array(z.string()),
  /** The first letters of the present token. */
  start: z.string(),
  createdAt: Instant,
  expiresAt: Instant,
  /** Exact to some seconds; null: it was not used yet. */
  lastUsedAt: z.nullable(Instant),
  /** Until when the token before the present one works as well; null: it does not. */
  previousUntil: z.nullable(Instant),
  updatedAt: Instant,
})
export type Key = z.infer<typeof Key>

/**
 * `token` is `srk_`, 32 random letters and digits, and 6 that are their checksum. It is told in the answer to the call that made it, and
 * null in every repeat of this answer.
 */
export const KeyWithToken = z.extend(Key, { token: z.nullable(z.string()) })
export type KeyWithToken = z.infer<typeof KeyWithToken>

export const KeyInput = z.object({
  name: requiredText(100),
  scopes: z
    .array(z.enum(keyScopes))
    .check(z.minLength(1, 'required'), z.maxLength(keyScopes.length, 'too_long')),
  /** A day is one where the organization is; for the installation in UTC. Of a key that is changed, the instant that was read stays. */
  expiresAt: DayOrInstant,
  /** Empty: it may call from anywhere. Left out: so may a new one, and one that is changed from where it could. */
  networks: z.optional(z.array(Network).check(z.maxLength(50, 'too_long'))),
  /** An administrator of the organization or a superadmin, for the installation a superadmin; left out: the caller, or who does already. */
  ownerId: z.optional(Id),
})
export type KeyInput = z.infer<typeof KeyInput>

export const RotationInput = z.object({
  /** Left out: the new token lasts as long as the one before was to last. */
  expiresAt: z.optional(DayOrInstant),
  /** Until when the present token works as well; null: it ends at once. Left out: for a day. */
  previousUntil: z.optional(z.nullable(DayOrInstant)),
})
export type RotationInput = z.infer<typeof RotationInput>

const KeyParams = z.object({ orgId: Id, keyId: Id })
const SystemKeyParams = z.object({ keyId: Id })

export const listKeys = endpoint({
  name: 'listKeys',
  method: 'GET',
  path: '/organizations/:orgId/keys',
  summary: 'Keys by which other systems act in an organization, newest first; never their tokens',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  query: PageQuery,
  reply: page(Key),
  cacheSeconds: 2,
})

export const createKey = endpoint({
  name: 'createKey',
  method: 'POST',
  path: '/organizations/:orgId/keys',
  summary: 'Make a key for another system; its token is told once',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: OrgParams,
  body: KeyInput,
  reply: KeyWithToken,
  status: 201,
  idempotent: true,
  toldOnce: 'token',
})

export const readKey = endpoint({
  name: 'readKey',
  method: 'GET',
  path: '/organizations/:orgId/keys/:keyId',
  summary: 'A key by which another system acts in an organization; never its token',
  access: only(adminRoles, 'person'),
  params: KeyParams,
  reply: Key,
  cacheSeconds: 2,
})

export const updateKey = endpoint({
  name: 'updateKey',
  method: 'PUT',
  path: '/organizations/:orgId/keys/:keyId',
  summary:
    'Change what a key is called and may do, until when, from where, and who answers for it; its token stays',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: KeyParams,
  body: KeyInput,
  reply: Key,
  ifMatch: true,
})

export const rotateKey = endpoint({
  name: 'rotateKey',
  method: 'POST',
  path: '/organizations/:orgId/keys/:keyId/rotate',
  summary: 'Give a key a new token, told once; for a while the one before works as well',
  access: only(adminRoles, 'person'),
  fresh: true,
  params: KeyParams,
  body: RotationInput,
  reply: KeyWithToken,
  idempotent: true,
  toldOnce: 'token',
})

export const revokeKey = endpoint({
  name: 'revokeKey',
  method: 'DELETE',
  path: '/organizations/:orgId/keys/:keyId',
  summary: 'Withdraw a key for good: its tokens stop working at once',
  access: only(adminRoles, 'person'),
  params: KeyParams,
  reply: Nothing,
})

export const listSystemKeys = endpoint({
  name: 'listSystemKeys',
  method: 'GET',
  path: '/system/keys',
  summary: 'Keys by which other systems act in all organizations, newest first; never their tokens',
  access: only(superadminOnly, 'person'),
  query: PageQuery,
  reply: page(Key),
  cacheSeconds: 2,
})

export const createSystemKey = endpoint({
  name: 'createSystemKey',
  method: 'POST',
  path: '/system/keys',
  summary: 'Make a key for another system that acts in all organizations; its token is told once',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: KeyInput,
  reply: KeyWithToken,
  status: 201,
  idempotent: true,
  toldOnce: 'token',
})

export const readSystemKey = endpoint({
  name: 'readSystemKey',
  method: 'GET',
  path: '/system/keys/:keyId',
  summary: 'A key by which another system acts in all organizations; never its token',
  access: only(superadminOnly, 'person'),
  params: SystemKeyParams,
  reply: Key,
  cacheSeconds: 2,
})

export const updateSystemKey = endpoint({
  name: 'updateSystemKey',
  method: 'PUT',
  path: '/system/keys/:keyId',
  summary:
    'Change what a key of the installation is called and may do, until when, from where, and who answers for it; its token stays',
  access: only(superadminOnly, 'person'),
  fresh: true,
  params: SystemKeyParams,
  body: KeyInput,
  reply: Key,
  ifMatch: true,
})

export const rotateSystemKey = endpoint({
  name: 'rotateSystemKey',
  method: 'POST',
  path: '/system/keys/:keyId/rotate',
  summary: 'Give a key of the installation a new token, told once; for a while the one before works as well',
  access: only(superadminOnly, 'person'),
  fresh: true,
  params: SystemKeyParams,
  body: RotationInput,
  reply: KeyWithToken,
  idempotent: true,
  toldOnce: 'token',
})

export const revokeSystemKey = endpoint({
  name: 'revokeSystemKey',
  method: 'DELETE',
  path: '/system/keys/:keyId',
  summary: 'Withdraw a key of the installation for good: its tokens stop working at once',
  access: only(superadminOnly, 'person'),
  params: SystemKeyParams,
  reply: Nothing,
})
