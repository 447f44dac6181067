import * as z from 'zod/mini'
import { anyone, endpoint, Id, Instant, only, page, PageQuery } from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { superadminOnly } from '../roles.ts'

export const readHealth = endpoint({
  name: 'readHealth',
  method: 'GET',
  path: '/health',
  summary: 'Whether this process lives, and is ready to serve: 200 when it is ready, else 503',
  access: anyone,
  reply: z.object({
    /** `live`: it runs, but one of the checks fails, so that it cannot serve now. `leaving`: it was told to stop, and serves whoever still comes. */
    status: z.enum(['ready', 'live', 'leaving']),
    version: z.string(),
    checks: z.record(z.string(), z.enum(['ok', 'failing'])),
  }),
  cacheSeconds: 0,
})

/** What the console shows of the configuration to everybody. */
export const readConfig = endpoint({
  name: 'readConfig',
  method: 'GET',
  path: '/config',
  summary: 'Product and provider name, and what is switched on',
  access: anyone,
  reply: z.object({
    product: z.string(),
    provider: z.string(),
    version: z.string(),
    demoMenu: z.boolean(),
    /** Mails rest in the outbox because there is no mail server. */
    outbox: z.boolean(),
    /** Signing in with a mailed code in place of the password. */
    signInCode: z.boolean(),
    /** Fingerprints (`domain-fingerprint.ts`) of the domains whose addresses are led to a company's own sign-in. */
    claimedDomains: z.array(z.number()),
  }),
  cacheSeconds: 5,
})

export const OutboxMail = z.object({
  id: Id,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.nullable(z.string()),
  /** Files that would go with it, by name. */
  attachments: z.array(z.object({ name: z.string(), bytes: z.number() })),
  createdAt: Instant,
})
export type OutboxMail = z.infer<typeof OutboxMail>

export const listOutbox = endpoint({
  name: 'listOutbox',
  method: 'GET',
  path: '/outbox',
  summary: 'Mails that rest here because no mail server is configured, newest first',
  access: only(superadminOnly, 'person'),
  query: z.extend(PageQuery, { q: SearchText }),
  reply: page(OutboxMail),
  cacheSeconds: 2,
})
