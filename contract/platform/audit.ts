import * as z from 'zod/mini'
import { Device } from './devices.ts'
import { endpoint, FileReply, Id, Instant, only, page, PageQuery } from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

const Person = z.object({ id: Id, name: z.nullable(z.string()) })

export const AuditEntry = z.object({
  id: Id,
  at: Instant,
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  /** Named as at the time; null for the product itself and for somebody who was not signed in. */
  actor: z.nullable(Person),
  /** Through whose eyes the actor, a superadmin, looked. */
  viewingAs: z.nullable(Person),
  /** The key by which the actor, who answers for it, acted; without a name it is one of the installation. */
  key: z.nullable(Person),
  /** What happened, such as `user.changed`. */
  action: z.string(),
  entity: z.string(),
  entityId: z.nullable(Id),
  /** What the thing is called now, else what the entry calls it. */
  entityName: z.nullable(z.string()),
  before: z.unknown(),
  after: z.unknown(),
  /** Cut to /24 or /48. */
  network: z.nullable(z.string()),
  /** Browser and system, as far as it says. */
  browser: z.nullable(Device),
  requestId: z.nullable(z.string()),
  /** Place in the chain and the first half of the link's hash; null until it is sealed, about a second later. */
  seal: z.nullable(z.object({ seq: z.number(), hash: z.string() })),
  /** Names, details and origin were erased on a person's request; the entry itself stays. */
  isErased: z.boolean(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const Word = z.string().check(z.maxLength(100))
const Filters = z.object({
  /** Superadmins only; everybody else sees their own organization. */
  organizationId: z.optional(Id),
  /** The whole action or its beginning: `user.` is everything about users. */
  action: z.optional(Word.check(z.regex(/^[a-z_.]*$/))),
  actorId: z.optional(Id),
  keyId: z.optional(Id),
  /** Goes with `entityId`. */
  entity: z.optional(Word),
  entityId: z.optional(Id),
  from: z.optional(Instant),
  /** Exclusive. */
  to: z.optional(Instant),
  /** Part of a name, of an address, or of the action; one or two letters are looked for in the names and addresses of people only. */
  q: SearchText,
})
export type AuditFilters = z.infer<typeof Filters>

export const listAudit = endpoint({
  name: 'listAudit',
  method: 'GET',
  path: '/audit',
  summary: 'Who did what, when and from where, newest first',
  access: only(adminRoles, 'reports:read'),
  query: z.extend(Filters, PageQuery.shape),
  reply: page(AuditEntry),
  cacheSeconds: 0,
})

/** More rows than this ask for a proof of who is there. */
export const auditExportFreshAbove = 1_000

export const exportAudit = endpoint({
  name: 'exportAudit',
  method: 'GET',
  path: '/audit/export',
  summary:
    'The audit log, filtered alike, as a file, oldest first: JSON Lines can be verified without the server, CSV is read by spreadsheets',
  access: only(adminRoles, 'reports:read'),
  query: z.extend(Filters, { format: z._default(z.enum(['jsonl', 'csv']), 'jsonl') }),
  reply: FileReply,
  whileImpersonating: false,
})

export const readAuditHead = endpoint({
  name: 'readAuditHead',
  method: 'GET',
  path: '/audit/head',
  summary: 'The newest link of the chain: whoever notes it can prove later that nothing was cut off',
  access: only(adminRoles, 'reports:read'),
  reply: z.object({
    /** Links of the whole installation; 0 before the first. */
    seq: z.number(),
    /** SHA-256, hexadecimal. */
    hash: z.nullable(z.string()),
    sealedAt: z.nullable(Instant),
    /** Entries that wait for their link. */
    unsealed: z.number(),
  }),
  cacheSeconds: 0,
})
