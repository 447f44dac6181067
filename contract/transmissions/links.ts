import * as z from 'zod/mini'
import { endpoint, Id, only, requiredText } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { Delivery } from './transmissions.ts'

export const revokeLink = endpoint({
  name: 'revokeLink',
  method: 'POST',
  path: '/transmissions/:transmissionId/deliveries/:deliveryId/link/revoke',
  summary: 'Take the personal link of one recipient back, for good; whoever opens it reads why',
  access: only(adminRoles, 'send'),
  params: z.object({ transmissionId: Id, deliveryId: Id }),
  body: z.object({
    reason: requiredText(300),
  }),
  reply: Delivery,
})
