import * as z from 'zod/mini'
import { endpoint, Id, Instant, Nothing, only, page, PageQuery } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'
import { Answered, webhookFaults, WebhookInput, webhookResults } from '../transmissions/webhooks.ts'
import { eventTypes } from './event-types.ts'

const EventTypeName = z.enum(eventTypes)

export const EventAddressInput = z.object({
  url: WebhookInput.shape.url,
  /** Each once, in any order. */
  types: z.array(EventTypeName).check(z.minLength(1, 'required'), z.maxLength(eventTypes.length, 'too_long')),
})

export const EventAddress = z.object({
  id: Id,
  url: z.string(),
  types: z.array(EventTypeName),
  /** It has taken nothing since then, for this reason; null means that it answers, or was not asked yet. */
  failingSince: z.nullable(Instant),
  fault: z.nullable(z.enum(webhookFaults)),
  /** Until then events are signed with the secret before as well; null means that there is none. */
  previousUntil: z.nullable(Instant),
  /** Events that wait for it, up to 1,000; one more means more. */
  waiting: z.number(),
  /** Events that it refused for three days, and that are not posted any more by themselves. */
  aside: z.number(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type EventAddress = z.infer<typeof EventAddress>

/**
 * `secret` is `whsec_` and 32 bytes in base64. It is told in the answer to the call that made it, and never again: it is null where a
 * call is repeated with its `Idempotency-Key`.
 */
export const EventAddressWithSecret = z.extend(EventAddress, { secret: z.nullable(z.string()) })

export const mostEventAddresses = 20
const AddressParams = z.extend(OrgParams, { eventAddressId: Id })

export const listEventAddresses = endpoint({
  name: 'listEventAddresses',
  method: 'GET',
  path: '/organizations/:orgId/event-addresses',
  summary: 'Addresses of other systems to which events of the organization are posted; never their secrets',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  query: PageQuery,
  reply: page(EventAddress),
  cacheSeconds: 2,
})

export const createEventAddress = endpoint({
  name: 'createEventAddress',
  method: 'POST',
  path: '/organizations/:orgId/event-addresses',
  summary: 'Have events posted to an address; the secret with which they are signed is told once',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: EventAddressInput,
  reply: EventAddressWithSecret,
  status: 201,
  idempotent: true,
  toldOnce: 'secret',
})

export const readEventAddress = endpoint({
  name: 'readEventAddress',
  method: 'GET',
  path: '/organizations/:orgId/event-addresses/:eventAddressId',
  summary: 'An address to which events are posted, and whether it takes them',
  access: only(adminRoles, 'settings'),
  params: AddressParams,
  reply: EventAddress,
  cacheSeconds: 2,
})

export const updateEventAddress = endpoint({
  name: 'updateEventAddress',
  method: 'PUT',
  path: '/organizations/:orgId/event-addresses/:eventAddressId',
  summary: 'Post events elsewhere, or others from now on; the secret stays',
  access: only(adminRoles, 'settings'),
  params: AddressParams,
  body: EventAddressInput,
  reply: EventAddress,
  ifMatch: true,
})

export const removeEventAddress = endpoint({
  name: 'removeEventAddress',
  method: 'DELETE',
  path: '/organizations/:orgId/event-addresses/:eventAddressId',
  summary: 'Post no events there any more; what waits is dropped, and its log goes',
  access: only(adminRoles, 'settings'),
  params: AddressParams,
  reply: Nothing,
  ifMatch: true,
})

export const rotateEventSecret = endpoint({
  name: 'rotateEventSecret',
  method: 'POST',
  path: '/organizations/:orgId/event-addresses/:eventAddressId/rotate',
  summary: 'Make another secret, told once; for a day events are signed with the one before as well',
  access: only(adminRoles, 'person'),
  params: AddressParams,
  body: Nothing,
  reply: EventAddressWithSecret,
  toldOnce: 'secret',
})

export const testEventAddress = endpoint({
  name: 'testEventAddress',
  method: 'POST',
  path: '/organizations/:orgId/event-addresses/:eventAddressId/test',
  summary: 'Post an event to the address of which nothing follows, and tell what came back',
  access: only(adminRoles, 'settings'),
  params: AddressParams,
  ownTransactions: true,
  body: Nothing,
  reply: Answered,
})

/** `waiting`: it is posted as soon as it can be. `aside`: it was refused for three days, and those behind it went on. */
export const eventPostStates = ['waiting', 'taken', 'aside'] as const
export type EventPostState = (typeof eventPostStates)[number]

export const EventPost = z.object({
  id: Id,
  /** As `webhook-id` says: the same however often it is posted, and when it is replayed. */
  eventId: Id,
  type: EventTypeName,
  state: z.enum(eventPostStates),
  /** When it happened. */
  at: Instant,
  /** When it was put into the queue of the address. */
  queuedAt: Instant,
  isReplay: z.boolean(),
  tries: z.number(),
  lastTryAt: z.nullable(Instant),
  /** When it is tried again, at the earliest; null where it is not, or at once. */
  nextTryAt: z.nullable(Instant),
  /** The body that is posted. */
  request: z.string(),
  result: z.nullable(z.enum(webhookResults)),
  /** The status of the last answer; null means that there was none. */
  status: z.nullable(z.number()),
  /** The last answer begins like this; null means that there was none. */
  answer: z.nullable(z.string()),
})
export type EventPost = z.infer<typeof EventPost>

export const EventLogFilter = z.strictObject({
  type: z.optional(EventTypeName),
  state: z.optional(z.enum(eventPostStates)),
})

export const listEventPosts = endpoint({
  name: 'listEventPosts',
  method: 'GET',
  path: '/organizations/:orgId/event-addresses/:eventAddressId/log',
  summary:
    'What was posted to the address in the last 90 days, what it answered, and what waits; newest first',
  access: only(adminRoles, 'evidence:read'),
  params: AddressParams,
  query: z.extend(PageQuery, EventLogFilter.shape),
  reply: page(EventPost),
  cacheSeconds: 2,
})

export const mostReplayed = 10_000

export const replayEvents = endpoint({
  name: 'replayEvents',
  method: 'POST',
  path: '/organizations/:orgId/event-addresses/:eventAddressId/replay',
  summary: 'Post once more what happened in a period, in order, with the ids that it had',
  access: only(adminRoles, 'settings'),
  params: AddressParams,
  body: z.object({
    from: Instant,
    /** Not with it. */
    to: Instant,
    /** Left out: all that the address asks for. */
    types: z.optional(z.array(EventTypeName).check(z.minLength(1, 'required'))),
  }),
  reply: z.object({ count: z.number() }),
})
