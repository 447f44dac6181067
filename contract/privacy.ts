import * as z from 'zod/mini'
import { endpoint, only } from './endpoint.ts'
import { OrgParams } from './organizations.ts'
import { adminRoles } from './roles.ts'

const Day = z.iso.date()

export const readRetention = endpoint({
  name: 'readRetention',
  method: 'GET',
  path: '/organizations/:orgId/retention',
  summary: 'Which viewing evidence will be deleted next, and when',
  access: only(adminRoles),
  params: OrgParams,
  reply: z.object({
    months: z.number(),
    /** Of viewing that is kept, the oldest day (UTC) and the day on which it is deleted; null while there is none. */
    oldest: z.nullable(Day),
    on: z.nullable(Day),
  }),
  cacheSeconds: 10,
})
