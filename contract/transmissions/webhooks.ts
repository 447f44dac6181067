import * as z from 'zod/mini'
import { endpoint, Instant, Nothing, only } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { reachFaults } from '../platform/reach.ts'
import { adminRoles } from '../roles.ts'

/**
 * An address did not take a message for one of these reasons. `redirected`: it names another address, which is not followed. `failing`: it
 * answered that it cannot at the moment. `secret_lost`: nothing can be signed, because the installation has another secret than when it was
 * made.
 */
export const webhookFaults = ['redirected', 'failing', ...reachFaults, 'secret_lost'] as const
export type WebhookFault = (typeof webhookFaults)[number]

/** `refused` means that it does not want this message (400 to 499). */
export const webhookResults = ['accepted', 'refused', ...webhookFaults] as const
export type WebhookResult = (typeof webhookResults)[number]

/** What came of posting something to an address. */
export const Answered = z.object({
  result: z.enum(webhookResults),
  /** This is the status of the answer; null means that there was none. */
  status: z.nullable(z.number()),
  /** The answer begins like this; null means that there was none. */
  answer: z.nullable(z.string()),
})
export type Answered = z.infer<typeof Answered>

/** The address has no name and no password, and no part for the browser. */
const https = /^https:\/\/[^\s/?#@\\]+([/?][^\s#]*)?$/i

export const WebhookInput = z.object({
  url: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'required'),
      z.maxLength(2_000, 'too_long'),
      z.regex(https, 'invalid_https'),
    ),
})

export const Webhook = z.object({
  url: z.string(),
  /** It has taken nothing since then, for this reason; null means that it answers, or was not asked yet. */
  failingSince: z.nullable(Instant),
  fault: z.nullable(z.enum(webhookFaults)),
  /** Until then messages are signed with the secret before as well; null means that there is none. */
  previousUntil: z.nullable(Instant),
})

export const WebhookOfOrganization = z.object({
  /** Null means that there is none, and that everything goes by mail. */
  webhook: z.nullable(Webhook),
  updatedAt: Instant,
})
export type WebhookOfOrganization = z.infer<typeof WebhookOfOrganization>

/** `secret` is `whsec_` and 32 bytes in base64. It is told in the answer to the call that made it, and never again. */
export const WebhookWithSecret = z.extend(WebhookOfOrganization, { secret: z.nullable(z.string()) })

export const readWebhook = endpoint({
  name: 'readWebhook',
  method: 'GET',
  path: '/organizations/:orgId/webhook',
  summary: 'Where the organization has messages posted for SMS or chat; never the secret',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: WebhookOfOrganization,
  cacheSeconds: 2,
})

export const updateWebhook = endpoint({
  name: 'updateWebhook',
  method: 'PUT',
  path: '/organizations/:orgId/webhook',
  summary: 'Name the address to which messages are posted; with the first one a secret is made, told once',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: WebhookInput,
  reply: WebhookWithSecret,
  toldOnce: 'secret',
  ifMatch: true,
})

export const removeWebhook = endpoint({
  name: 'removeWebhook',
  method: 'DELETE',
  path: '/organizations/:orgId/webhook',
  summary: 'Post nothing any more: transmissions that go this way pause',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: WebhookOfOrganization,
  ifMatch: true,
})

export const replaceWebhookSecret = endpoint({
  name: 'replaceWebhookSecret',
  method: 'POST',
  path: '/organizations/:orgId/webhook/secret',
  summary: 'Make another secret, told once; for a day messages are signed with the one before as well',
  access: only(adminRoles, 'person'),
  params: OrgParams,
  body: Nothing,
  reply: WebhookWithSecret,
  toldOnce: 'secret',
})

export const testWebhook = endpoint({
  name: 'testWebhook',
  method: 'POST',
  path: '/organizations/:orgId/webhook/test',
  summary: 'Post a message to the address that goes to nobody, and tell what came back',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  ownTransactions: true,
  body: Nothing,
  reply: Answered,
})
