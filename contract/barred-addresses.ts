import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, page, PageQuery, requiredText } from './endpoint.ts'
import { OrgParams } from './organizations.ts'
import { adminRoles } from './roles.ts'

const Address = z
  .string()
  .check(z.trim(), z.toLowerCase(), z.email('invalid_email'), z.maxLength(254, 'too_long'))

/** Why the product bars an address by itself. */
export const barReasons = ['no_such_mailbox', 'complained', 'unsubscribed'] as const
export type BarReason = (typeof barReasons)[number]

export const BarredAddress = z.object({
  id: Id,
  address: z.string(),
  /** The words of whoever barred it; of the product itself one of `barReasons`. */
  reason: z.string(),
  /** Who barred it; null: the product itself. */
  by: z.nullable(z.string()),
  since: Instant,
  /** Null: until it is lifted. */
  until: z.nullable(Instant),
})
export type BarredAddress = z.infer<typeof BarredAddress>

export const listBarredAddresses = endpoint({
  name: 'listBarredAddresses',
  method: 'GET',
  path: '/organizations/:orgId/barred-addresses',
  summary: 'Addresses to which no message of the organization is sent, newest first',
  access: only(adminRoles),
  params: OrgParams,
  query: z.extend(PageQuery, { q: z.optional(z.string().check(z.maxLength(200))) }),
  reply: page(BarredAddress),
  cacheSeconds: 2,
})

export const barAddress = endpoint({
  name: 'barAddress',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses',
  summary: 'Send no message of the organization to an address, until somebody lifts it',
  access: only(adminRoles),
  params: OrgParams,
  body: z.object({
    address: Address,
    reason: requiredText(200).check(z.regex(/^\P{Cc}*$/u, 'invalid')),
  }),
  reply: BarredAddress,
  status: 201,
  idempotent: true,
})

export const liftBar = endpoint({
  name: 'liftBar',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses/lift',
  summary: 'Let messages of the organization go to an address again',
  access: only(adminRoles),
  params: OrgParams,
  body: z.object({ address: Address }),
  reply: z.object({
    /** False: it was not barred. */
    lifted: z.boolean(),
  }),
})
