import * as z from 'zod/mini'
import { Password } from './credentials.ts'
import { endpoint, Instant, only } from '../endpoint.ts'
import { Name } from '../directory/organizations.ts'
import { everyRole, roles } from '../roles.ts'
import { Phone } from '../directory/users.ts'

/** The signed-in person, as they may change themselves. */
export const Account = z.object({
  name: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  /** Key of the picture. */
  avatar: z.nullable(z.string()),
  role: z.enum(roles),
  organizationName: z.nullable(z.string()),
  passwordChangedAt: z.nullable(Instant),
  updatedAt: Instant,
})
export type Account = z.infer<typeof Account>

export const AccountInput = z.object({ name: Name, phone: z.nullable(Phone) })

export const readAccount = endpoint({
  name: 'readAccount',
  method: 'GET',
  path: '/auth/account',
  summary: 'Your own profile',
  access: only(everyRole, 'person'),
  whileImpersonating: false,
  reply: Account,
  cacheSeconds: 0,
})

export const updateAccount = endpoint({
  name: 'updateAccount',
  method: 'PUT',
  path: '/auth/account',
  summary: 'Change your own profile',
  access: only(everyRole, 'person'),
  body: AccountInput,
  reply: Account,
  ifMatch: true,
})

export const changePassword = endpoint({
  name: 'changePassword',
  method: 'POST',
  path: '/auth/password',
  summary: 'Change your own password; every other session ends, and this one gets a new token',
  access: only(everyRole, 'person'),
  ownTransactions: true,
  body: z.object({ currentPassword: Password, password: Password }),
  reply: z.object({
    status: z.literal('password_changed'),
    token: z.string(),
    reauthenticatedUntil: Instant,
    sessionsRevoked: z.number(),
  }),
})

export const changeEmail = endpoint({
  name: 'changeEmail',
  method: 'POST',
  path: '/auth/email',
  summary: 'Make the address that a mailed code has verified your own; every other session ends',
  access: only(everyRole, 'person'),
  fresh: true,
  reply: Account,
  flow: true,
})
