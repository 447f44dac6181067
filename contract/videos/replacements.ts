import * as z from 'zod/mini'
import { endpoint, Id, only, wholeBetween } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { largestUpload } from './videos.ts'

const dayMs = 86_400_000

/** [fromMs, toMs) of the new version. */
const ChangedPart = z
  .tuple([wholeBetween(0, dayMs), wholeBetween(1, dayMs)])
  .check(z.refine(([from, to]) => from < to, { error: 'invalid' }))

/** Whoever is done owes it as well. */
const alsoDone = z._default(z.boolean(), false)

/**
 * What a new version means for those who owe the video. `whole`: they watch all of it; `parts`: what has changed; `nothing`: what was
 * watched counts.
 */
export const VideoChange = z.discriminatedUnion('matters', [
  z.strictObject({ matters: z.literal('whole'), alsoDone }),
  z.strictObject({
    matters: z.literal('parts'),
    parts: z.array(ChangedPart).check(z.minLength(1, 'required'), z.maxLength(20, 'too_long')),
    alsoDone,
  }),
  z.strictObject({ matters: z.literal('nothing') }),
])
export type VideoChange = z.infer<typeof VideoChange>

export const replaceVideo = endpoint({
  name: 'replaceVideo',
  method: 'POST',
  path: '/videos/:videoId/versions',
  summary:
    'Announce a new version of a video and get the address for its resumable (tus) upload; the present one plays until it is ready',
  access: only(adminRoles, 'content:write'),
  params: z.object({ videoId: Id }),
  body: z.object({
    fileName: z.string().check(z.minLength(1, 'required'), z.maxLength(500, 'too_long')),
    size: z.number().check(z.int(), z.gte(1, 'required'), z.lte(largestUpload, 'too_big')),
    change: VideoChange,
  }),
  reply: z.object({ uploadUrl: z.string() }),
  status: 201,
  idempotent: true,
})
