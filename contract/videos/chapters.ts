import * as z from 'zod/mini'
import { asItComes, endpoint, Id, Instant, only, VideoParams } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { chapterLimits } from './chapter-limits.ts'
import { Chapter, KeptChapter } from './shown-chapters.ts'

export const Chapters = z.object({
  /** Of the version that plays; each version has its own. */
  versionId: Id,
  durationMs: z.number(),
  /** In the order of their times. */
  chapters: z.array(KeptChapter),
  updatedAt: Instant,
})
export type Chapters = z.infer<typeof Chapters>

const chaptersPath = '/videos/:videoId/chapters'

export const readChapters = endpoint({
  name: 'readChapters',
  method: 'GET',
  path: chaptersPath,
  summary: 'The chapters of the version of a video that plays',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: Chapters,
  cacheSeconds: 0,
})

export const saveChapters = endpoint({
  name: 'saveChapters',
  method: 'PUT',
  path: chaptersPath,
  summary:
    'Save all chapters of a video: as a list, or as `text` with a line for each, such as `3:10 Lock out`, or a WebVTT file of chapters. One of the two; an empty list removes them all',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  body: z.object({
    chapters: z.optional(
      z
        .array(z.extend(Chapter, { toCheck: z._default(z.boolean(), false) }))
        .check(z.maxLength(chapterLimits.count, 'too_long')),
    ),
    text: z.optional(z.string().check(z.maxLength(chapterLimits.text, 'too_long'), asItComes)),
  }),
  reply: Chapters,
  ifMatch: true,
})
