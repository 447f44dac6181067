import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { deliveryStates } from '../transmissions/transmissions.ts'
import { UserParams } from '../directory/users.ts'

/** How many messages are offered at once: those that were missed last. */
export const mostMissed = 50

/** A message that did not reach a person at the address that they had, and that would reach them at the one that they have now. */
export const MissedMessage = z.object({
  /** Of the delivery that failed. */
  id: Id,
  transmission: z.object({ id: Id, subject: z.string() }),
  /** The assignment that sent it, and sends it anew as a reminder; null: a person did. */
  assignment: z.nullable(z.object({ id: Id, name: z.string() })),
  at: Instant,
  address: z.string(),
  state: z.enum(deliveryStates),
  reason: z.nullable(z.string()),
})
export type MissedMessage = z.infer<typeof MissedMessage>

export const listMissed = endpoint({
  name: 'listMissed',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/missed',
  summary:
    'Messages that did not reach a person at an earlier address, that are not needless by now, and that may be sent to the present one',
  access: only(adminRoles, 'evidence:read'),
  params: UserParams,
  reply: z.object({
    items: z.array(MissedMessage),
    /** What became of the last mail to the present address, where that was refused or came back; null: it was not. */
    returned: z.nullable(
      z.object({ state: z.enum(['bounced', 'rejected']), reason: z.nullable(z.string()), at: Instant }),
    ),
  }),
})

export const sendMissed = endpoint({
  name: 'sendMissed',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/missed',
  summary:
    'Send messages that a person has missed to their present address, each once; those that are not missed any more are left alone',
  access: only(adminRoles, 'send'),
  params: UserParams,
  body: z.strictObject({
    /** Those that the caller was shown. */
    ids: z.array(Id).check(z.minLength(1, 'required'), z.maxLength(mostMissed, 'too_long')),
  }),
  reply: z.object({
    sent: z.number(),
    /** Of them, those that wait for the approval of somebody else. */
    toApprove: z.number(),
  }),
  status: 202,
  idempotent: true,
})
