import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, VideoParams, wholeBetween } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { chapterLimits } from './chapter-limits.ts'
import { posterLimits } from './poster-limits.ts'

/** `made`: what the conversion has chosen. `frame`: a moment of the video. `picture`: one of one's own. */
const posterKinds = ['made', 'frame', 'picture'] as const

export const Poster = z.object({
  id: z.string(),
  kind: z.enum(posterKinds),
  /** Of a frame: its moment in milliseconds. */
  atMs: z.nullable(z.number()),
  /** When it was chosen; null for what the conversion has made. */
  at: z.nullable(Instant),
  /** Its address in small, signed. */
  picture: z.string(),
  isShown: z.boolean(),
})
export type Poster = z.infer<typeof Poster>

/** Of the version that plays; another version has posters of its own. Newest first, at most `posterLimits.kept` and the one that was made. */
export const Posters = z.object({ versionId: Id, posters: z.array(Poster) })
export type Posters = z.infer<typeof Posters>

const base64Length = Math.ceil(posterLimits.bytes / 3) * 4

export const readPosters = endpoint({
  name: 'readPosters',
  method: 'GET',
  path: '/videos/:videoId/posters',
  summary: 'The poster of a video, and those that it had before',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: Posters,
  cacheSeconds: 0,
})

export const choosePoster = endpoint({
  name: 'choosePoster',
  method: 'PUT',
  path: '/videos/:videoId/poster',
  summary:
    'Choose the poster of a video: the frame at `atMs`, a picture of one’s own in `data`, or one that it had before by its `id`. One of the three',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  body: z.object({
    atMs: z.optional(wholeBetween(0, chapterLimits.lastMs)),
    /** A PNG, JPEG or WebP file in base64. */
    data: z.optional(
      z
        .string()
        .check(
          z.minLength(1, 'required'),
          z.maxLength(base64Length, 'too_long'),
          z.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'invalid'),
        ),
    ),
    id: z.optional(z.string().check(z.maxLength(40, 'too_long'))),
  }),
  bodyBytes: base64Length + 1_000,
  ownTransactions: true,
  reply: Posters,
})
