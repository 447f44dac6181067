import * as z from 'zod/mini'
import { endpoint, Id, Instant, lines, only, wholeBetween } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { Caption, captionKind, CaptionParams, latestCue, longestCue, mostCues } from './captions.ts'

/** A caption as it is edited. */
export const EditedCue = z.object({
  /** Its name among the others, for as long as it is there: what two people have changed is told apart by it. */
  key: z.string().check(z.regex(/^[\w-]{1,40}$/)),
  /** What a VTT calls it; mostly empty. */
  id: z.string().check(z.maxLength(longestCue, 'too_long')),
  /** Milliseconds of the video. */
  startMs: wholeBetween(0, latestCue),
  endMs: wholeBetween(0, latestCue),
  /** Where it stands in the picture, as VTT says it: `line:0 align:start`; mostly empty. */
  settings: z.string().check(z.maxLength(500, 'too_long')),
  /** As VTT has it: with `<i>` and the like, and `&amp;` for “&”. */
  text: z.string().check(z.maxLength(longestCue, 'too_long'), lines),
})
export type EditedCue = z.infer<typeof EditedCue>

export const CueList = z.object({
  /** In the order of their times. */
  cues: z.array(EditedCue),
  proofRead: Caption.shape.proofRead,
  /** Null as long as the video has no captions of this language and kind. */
  updatedAt: z.nullable(Instant),
  /** Who edited them last; null where they came by a file, or from nobody whom the reader may know. */
  updatedBy: z.nullable(z.object({ id: Id, name: z.string() })),
})
export type CueList = z.infer<typeof CueList>

const query = z.object({ kind: captionKind })

export const readCues = endpoint({
  name: 'readCues',
  method: 'GET',
  path: '/videos/:videoId/captions/:language/cues',
  summary: 'Captions of a language and kind one by one, to be edited; none where there are none yet',
  access: only(adminRoles, 'content:read'),
  params: CaptionParams,
  query,
  reply: CueList,
  cacheSeconds: 0,
})

export const saveCues = endpoint({
  name: 'saveCues',
  method: 'PUT',
  path: '/videos/:videoId/captions/:language/cues',
  summary:
    'Save captions of a language and kind one by one, all of them at once; viewers see them from then on. Those without text are left out. They are to be proof-read again',
  access: only(adminRoles, 'content:write'),
  params: CaptionParams,
  query,
  body: z.object({ cues: z.array(EditedCue).check(z.maxLength(mostCues, 'too_long')) }),
  bodyBytes: 12 * 2 ** 20,
  ownTransactions: true,
  reply: Caption,
  ifMatch: true,
})

export const readProofRead = endpoint({
  name: 'readProofRead',
  method: 'GET',
  path: '/videos/:videoId/captions/:language/proof-read',
  summary: 'Who has said that captions of a language and kind are right, and when',
  access: only(adminRoles, 'content:read'),
  params: CaptionParams,
  query,
  reply: z.pick(Caption, { proofRead: true, updatedAt: true }),
  cacheSeconds: 0,
})

export const markProofRead = endpoint({
  name: 'markProofRead',
  method: 'PUT',
  path: '/videos/:videoId/captions/:language/proof-read',
  summary:
    'Say that captions of a language and kind are right, or that they are to be read again. What was kept of a former version of the video goes with it',
  access: only(adminRoles, 'content:write'),
  params: CaptionParams,
  query,
  body: z.object({ isProofRead: z.boolean() }),
  reply: Caption,
  ifMatch: true,
})
