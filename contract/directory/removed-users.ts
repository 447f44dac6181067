import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from '../endpoint.ts'
import { OrgParams } from './organizations.ts'
import { adminRoles } from '../roles.ts'
import { Email, User, UserParams } from './users.ts'

/** Somebody who was removed, and whom nobody has erased yet. */
export const RemovedUser = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  removedAt: Instant,
  /** Videos that they have completed, which count again once they are back. */
  completed: z.number(),
})
export type RemovedUser = z.infer<typeof RemovedUser>

export const findRemoved = endpoint({
  name: 'findRemoved',
  method: 'GET',
  path: '/organizations/:orgId/users/removed',
  summary: 'Who was removed with an address and can be brought back, so that nothing they completed is lost',
  access: only(adminRoles, 'people:read'),
  params: OrgParams,
  query: z.object({ email: Email }),
  reply: z.object({ user: z.nullable(RemovedUser) }),
  cacheSeconds: 2,
})

export const restoreUser = endpoint({
  name: 'restoreUser',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/restore',
  summary: 'Bring back somebody who was removed; with a role they are invited anew',
  access: only(adminRoles, 'people:write'),
  params: UserParams,
  reply: User,
})
