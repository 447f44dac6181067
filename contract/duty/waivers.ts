import * as z from 'zod/mini'
import { BulkPreview } from '../directory/bulk.ts'
import { endpoint, Id, only } from '../endpoint.ts'
import { Operation } from '../operations.ts'
import { OrgParams } from '../directory/organizations.ts'
import { everyRole } from '../roles.ts'
import { waiveTraining } from '../matrix/training.ts'

/** People times videos make at most this number in one change, so that it happens in one transaction. */
export const mostWaivers = 20_000

const ids = z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'))

/** `waive` has one reason, and one end, for all of them. `end` takes back what holds. */
export const WaiverAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('waive'), ...waiveTraining.body.shape }),
  z.strictObject({ action: z.literal('end') }),
])
export type WaiverAction = z.infer<typeof WaiverAction>

/** These are people and videos: each of these with each of those. */
const Cells = { userIds: ids, videoIds: ids }
export type Cells = { userIds: string[]; videoIds: string[] }

export const changeWaivers = endpoint({
  name: 'changeWaivers',
  method: 'POST',
  path: '/organizations/:orgId/training/waivers',
  summary:
    'Excuse many people from many videos with one reason, or take that back; nobody excuses themselves',
  access: only(everyRole, 'send'),
  params: OrgParams,
  body: z.object({ ...Cells, do: WaiverAction }),
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewWaivers = endpoint({
  name: 'previewWaivers',
  method: 'POST',
  path: '/organizations/:orgId/training/waivers/preview',
  summary: 'How many waivers would be given or taken back, and why the others would not',
  access: only(everyRole, 'send'),
  params: OrgParams,
  body: z.object({ ...Cells, action: z.enum(['waive', 'end']) }),
  reply: BulkPreview,
})
