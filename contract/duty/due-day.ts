import * as z from 'zod/mini'
import { DayOrInstant, endpoint, only, TransmissionParams } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { Transmission } from '../transmissions/transmissions.ts'

export const setDueDay = endpoint({
  name: 'setDueDay',
  method: 'PUT',
  path: '/transmissions/:transmissionId/due',
  summary:
    'Change the day by which the recipients of a sent transmission are asked to have watched, or take it away',
  access: only(adminRoles, 'send'),
  params: TransmissionParams,
  body: z.object({
    /** The day lies ahead; null takes it away. */
    dueAt: z.nullable(DayOrInstant),
  }),
  reply: Transmission,
  ifMatch: true,
})
