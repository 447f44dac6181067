import * as z from 'zod/mini'
import {
  bothWays,
  endpoint,
  FileReply,
  Id,
  only,
  page,
  PageQuery,
  TransmissionParams,
  Count,
} from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { evidenceStates } from '../tracking/evidence-states.ts'
import { FileFormat } from '../platform/file-formats.ts'
import { adminRoles } from '../roles.ts'
import { Delivery, deliveryStates } from './transmissions.ts'

/**
 * These say what a recipient did with the video. `opened` and `started` hold whoever went further, too, as the counts of the transmission
 * do. `all`: they completed it, whichever way; `elsewhere`: they completed it, but not by this message. `unfinished`: they have not, and
 * are neither left out nor `excused`; of these `unopened` may have its mail and did not open it, `none` did not begin, `part` did, and
 * `failed` did not pass the test that has to be passed.
 */
export const watchedStates = [
  'opened',
  'started',
  'all',
  'elsewhere',
  'unfinished',
  'unopened',
  'none',
  'part',
  'failed',
  'excused',
] as const
export type WatchedState = (typeof watchedStates)[number]

/** This chooses recipients: what the list shows, a decision in bulk is about, or a file holds. */
export const DeliveryFilter = z.strictObject({
  state: z.optional(z.enum(deliveryStates)),
  watched: z.optional(z.enum(watchedStates)),
  /** Both sources say this of what the recipient watched. */
  evidence: z.optional(z.enum(evidenceStates)),
  q: SearchText,
})
export type DeliveryFilter = z.infer<typeof DeliveryFilter>

/**
 * `state` is in the order in which a mail goes through them. `progress` begins with whoever has not completed the video, those under way
 * before the others; then come those who have, who are excused, and who were left out, by name within each.
 */
export const deliverySorts = bothWays(
  'progress',
  'name',
  'state',
  'opened',
  'share',
  'completed',
  'lastWatched',
)
export type DeliverySort = (typeof deliverySorts)[number]

export const listDeliveries = endpoint({
  name: 'listDeliveries',
  method: 'GET',
  path: '/transmissions/:transmissionId/deliveries',
  summary: 'Each recipient: sending and viewing, by name unless `sort` says otherwise',
  access: only(adminRoles, 'evidence:read'),
  params: TransmissionParams,
  query: z.extend(PageQuery, {
    ...DeliveryFilter.shape,
    sort: z._default(z.enum(deliverySorts), 'name'),
  }),
  reply: page(Delivery),
  cacheSeconds: 2,
})

export const countDeliveries = endpoint({
  name: 'countDeliveries',
  method: 'GET',
  path: '/transmissions/:transmissionId/deliveries/counts',
  summary: 'How many recipients each choice of `watched` finds',
  access: only(adminRoles, 'evidence:read'),
  params: TransmissionParams,
  reply: z.record(z.enum(watchedStates), z.number()),
  cacheSeconds: 2,
})

const chosen = {
  filter: z._default(DeliveryFilter, {}),
  /** Only these of them are meant. */
  ids: z.optional(z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'))),
  /** All but these are meant. */
  exceptIds: z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), []),
}

export const exportDeliveries = endpoint({
  name: 'exportDeliveries',
  method: 'POST',
  path: '/transmissions/:transmissionId/deliveries/export',
  summary: 'The list of recipients, or those picked from it, as a file in the order of the list',
  access: only(adminRoles, 'evidence:read'),
  params: TransmissionParams,
  body: z.strictObject({ ...chosen, sort: z._default(z.enum(deliverySorts), 'name'), format: FileFormat }),
  ownTransactions: true,
  // It reads, and only asks by POST because ids of many people are no part of an address.
  whileImpersonating: true,
  reply: FileReply,
})

/** For more than this number, whoever decides types how many it is about. */
export const mostUntyped = 50

export const resolveDeliveries = endpoint({
  name: 'resolveDeliveries',
  method: 'POST',
  path: '/transmissions/:transmissionId/deliveries/resolve',
  summary:
    'Decide what becomes of many deliveries of which nobody knows whether they arrived; others stay as they are',
  access: only(adminRoles, 'send'),
  params: TransmissionParams,
  body: z.strictObject({
    ...chosen,
    decision: z.enum(['send_again', 'treat_as_failed']),
    /** The person was told, or typed, this number; with another number by now nothing happens. */
    expected: Count.check(z.gte(1, 'too_small')),
  }),
  reply: z.object({ decided: z.number() }),
  idempotent: true,
})

export const resolveDelivery = endpoint({
  name: 'resolveDelivery',
  method: 'POST',
  path: '/transmissions/:transmissionId/deliveries/:deliveryId/resolve',
  summary:
    'Decide what becomes of a delivery of which nobody knows whether it left: send again, or treat as failed',
  access: only(adminRoles, 'send'),
  params: z.object({ transmissionId: Id, deliveryId: Id }),
  body: z.object({ decision: z.enum(['send_again', 'treat_as_failed']) }),
  reply: Delivery,
})
