import * as z from 'zod/mini'
import { PresentSession } from './auth.ts'
import { endpoint, Id, Nothing, only, lines } from '../endpoint.ts'
import { everyRole, superadminOnly } from '../roles.ts'

/** Minutes that a superadmin may look through the eyes of somebody else, at most. */
export const viewingMinutes = 30

export const ViewAsInput = z.object({
  userId: Id,
  /** Shown to the administrators of that organization. */
  reason: z.string().check(z.trim(), z.minLength(5, 'too_short'), z.maxLength(500, 'too_long'), lines),
})

export const viewAs = endpoint({
  name: 'viewAs',
  method: 'POST',
  path: '/auth/view-as',
  summary:
    'Look at the console through the eyes of an administrator, for half an hour and without changing anything',
  access: only(superadminOnly, 'person'),
  fresh: true,
  body: ViewAsInput,
  reply: PresentSession,
})

export const stopImpersonating = endpoint({
  name: 'stopImpersonating',
  method: 'DELETE',
  path: '/auth/view-as',
  summary: 'Stop looking through the eyes of somebody else',
  access: only(everyRole, 'person'),
  whileImpersonating: true,
  reply: Nothing,
})
