import * as z from 'zod/mini'
import { endpoint, only } from '../endpoint.ts'
import { OrgParams } from './organizations.ts'
import { pictureLimits } from './picture-limits.ts'
import { adminRoles, everyRole } from '../roles.ts'
import { UserParams } from './users.ts'

const base64Length = Math.ceil(pictureLimits.bytes / 3) * 4
/** With the quotes and the name of the field. */
const bodyBytes = base64Length + 1_000

export const PictureInput = z.object({
  /** A PNG, JPEG or WebP file in base64. */
  data: z
    .string()
    .check(
      z.minLength(1, 'required'),
      z.maxLength(base64Length, 'too_long'),
      z.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'invalid'),
    ),
})

/** Key of the picture as it is kept; null when there is none. */
export const PictureKept = z.object({ key: z.nullable(z.string()) })

const changed = { body: PictureInput, bodyBytes, reply: PictureKept, ownTransactions: true } as const

export const putLogo = endpoint({
  name: 'putLogo',
  method: 'PUT',
  path: '/organizations/:orgId/logo',
  summary: 'Set the logo of the organization; it is drawn anew, at most 320 by 128 pixels',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  ...changed,
})

export const deleteLogo = endpoint({
  name: 'deleteLogo',
  method: 'DELETE',
  path: '/organizations/:orgId/logo',
  summary: 'Remove the logo of the organization',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: PictureKept,
})

export const putAvatar = endpoint({
  name: 'putAvatar',
  method: 'PUT',
  path: '/organizations/:orgId/users/:userId/avatar',
  summary: 'Set the picture of a person; it is cut to a square and drawn anew, 128 by 128 pixels',
  access: only(adminRoles, 'people:write'),
  params: UserParams,
  ...changed,
})

export const deleteAvatar = endpoint({
  name: 'deleteAvatar',
  method: 'DELETE',
  path: '/organizations/:orgId/users/:userId/avatar',
  summary: 'Remove the picture of a person',
  access: only(adminRoles, 'people:write'),
  params: UserParams,
  reply: PictureKept,
})

export const putOwnAvatar = endpoint({
  name: 'putOwnAvatar',
  method: 'PUT',
  path: '/auth/account/avatar',
  summary: 'Set your own picture',
  access: only(everyRole, 'person'),
  ...changed,
})

export const deleteOwnAvatar = endpoint({
  name: 'deleteOwnAvatar',
  method: 'DELETE',
  path: '/auth/account/avatar',
  summary: 'Remove your own picture',
  access: only(everyRole, 'person'),
  reply: PictureKept,
})
