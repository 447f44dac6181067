import * as z from 'zod/mini'
import { endpoint, FileBody, FileReply, Id, Instant, only, Removed, VideoParams } from '../endpoint.ts'
import { adminRoles } from '../roles.ts'
import { captionKinds } from './shown-captions.ts'

export const captionFormats = ['vtt', 'srt'] as const
export type CaptionFormat = (typeof captionFormats)[number]
export const captionTypes = { vtt: 'text/vtt', srt: 'application/x-subrip' } as const satisfies Record<
  CaptionFormat,
  string
>

/** Bytes of a file of captions, its cues, and signs of a cue. */
export const largestCaptions = 5 * 2 ** 20
export const mostCues = 20_000
export const longestCue = 2_000
/** Milliseconds before which a cue ends. */
export const latestCue = 500 * 3_600_000

/** The same tag for the same language, such as `pt-BR`; undefined for something that is none. */
export function languageTag(text: string): string | undefined {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,4}$/i.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

const milliseconds = z.number()

export const Caption = z.object({
  /** A tag such as `de` or `pt-BR`. */
  language: z.string(),
  kind: z.enum(captionKinds),
  /** Shown from the start to whoever has chosen nothing yet; of one video, one at most. */
  isDefault: z.boolean(),
  /** Cues that are shown. */
  cues: z.number(),
  format: z.enum(captionFormats),
  fileName: z.nullable(z.string()),
  /** The model that has made them of the speech; null: a person has. */
  recognisedWith: z.nullable(z.string()),
  /** The number of the version of the video that the file was made for. */
  madeFor: z.number(),
  /** What belongs to a former version of the video and is not shown; null: nothing. */
  former: z.nullable(
    z.object({
      cues: z.number(),
      /** From the first of them to the last, in milliseconds of that version. */
      part: z.tuple([milliseconds, milliseconds]),
    }),
  ),
  /** Somebody says that they are right, and nothing was changed since; `by` null: nobody whom the reader may know. */
  proofRead: z.nullable(z.object({ at: Instant, by: z.nullable(z.object({ id: Id, name: z.string() })) })),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Caption = z.infer<typeof Caption>

export const ChosenCaptions = z.object({
  language: z.string().check(z.maxLength(60)),
  kind: z.enum(captionKinds),
})

export const Captions = z.object({
  items: z.array(Caption),
  /** Those that are shown from the start to whoever has chosen nothing yet. */
  shown: z.nullable(ChosenCaptions),
  /** The version of the video that they are shown with; null before any of it has been announced. */
  version: z.nullable(z.number()),
  updatedAt: Instant,
})

/** A tag that is none is refused with 422, not as something that is not there. */
export const CaptionParams = z.extend(VideoParams, { language: z.string().check(z.maxLength(60)) })
export const captionKind = z._default(z.enum(captionKinds), 'captions')

export const readCaptions = endpoint({
  name: 'readCaptions',
  method: 'GET',
  path: '/videos/:videoId/captions',
  summary: 'Captions, subtitles and descriptions of the version of a video that plays',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: Captions,
  cacheSeconds: 0,
})

export const chooseCaptions = endpoint({
  name: 'chooseCaptions',
  method: 'PUT',
  path: '/videos/:videoId/captions',
  summary: 'Choose which captions are shown from the start to whoever has chosen nothing yet; null: none',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  body: z.object({ shown: z.nullable(ChosenCaptions) }),
  reply: Captions,
  ifMatch: true,
})

export const readCaption = endpoint({
  name: 'readCaption',
  method: 'GET',
  path: '/videos/:videoId/captions/:language',
  summary:
    'One file of captions as VTT or SRT; with `former`, what belongs to a former version of the video and is not shown',
  access: only(adminRoles, 'content:read'),
  params: CaptionParams,
  query: z.object({
    kind: captionKind,
    format: z._default(z.enum(captionFormats), 'vtt'),
    former: z._default(z.enum(['true', 'false']), 'false'),
  }),
  reply: FileReply,
  cacheSeconds: 0,
})

export const putCaption = endpoint({
  name: 'putCaption',
  method: 'PUT',
  path: '/videos/:videoId/captions/:language',
  summary:
    'Give a video captions from a VTT or SRT file of 5 MB at most, in place of those of the same language and kind; a file that cannot be read is refused with the `line`',
  access: only(adminRoles, 'content:write'),
  params: CaptionParams,
  query: z.object({
    kind: captionKind,
    /** What the file was called. */
    fileName: z.optional(
      z.string().check(z.trim(), z.minLength(1, 'required'), z.maxLength(500, 'too_long')),
    ),
  }),
  body: FileBody,
  bodyTypes: Object.values(captionTypes),
  bodyBytes: largestCaptions,
  ownTransactions: true,
  reply: Caption,
  ifMatch: true,
})

export const deleteCaption = endpoint({
  name: 'deleteCaption',
  method: 'DELETE',
  path: '/videos/:videoId/captions/:language',
  summary: 'Remove the captions of a language and kind; an operation that can be undone',
  access: only(adminRoles, 'content:write'),
  params: CaptionParams,
  query: z.object({ kind: captionKind }),
  reply: Removed,
})
