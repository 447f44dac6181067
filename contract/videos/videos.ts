import * as z from 'zod/mini'
import { alertsOf } from '../platform/alerts.ts'
import {
  bothWays,
  endpoint,
  Id,
  Instant,
  Nothing,
  only,
  page,
  PageQuery,
  VideoParams,
  lines,
} from '../endpoint.ts'
import { Name } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'
import { Moment } from './moments.ts'
import { CaptionTrack } from './shown-captions.ts'
import { Readiness } from './readiness.ts'
import { ShownChapter } from './shown-chapters.ts'
import { Tag, Tags } from './tags.ts'

/** Bytes of a file. */
export const largestUpload = 64 * 2 ** 30

export const videoStates = ['uploading', 'processing', 'ready', 'failed', 'archived'] as const
export const videoPrivacies = ['public', 'link', 'organization', 'private'] as const

/** Why a file is refused: it lies in the file, and trying again would not help. `video-failures.ts` has the sentence for each. */
export const refusalCodes = [
  'not_a_video',
  'unknown_format',
  'no_video_track',
  'empty',
  'too_long',
  'too_large_picture',
  'too_much_picture',
  'unsupported_codec',
  'mpeg4_part_2',
  'mpeg1',
  'mpeg2',
  'dv',
  'wmv',
  'flv',
  'encrypted',
  'avi',
  'refers_elsewhere',
  'cut_off',
  'index_missing',
  'damaged',
  'unreadable',
  'too_costly',
] as const
export type FileRefusal = (typeof refusalCodes)[number]

/** Why processing ended without a playable video. */
export const failureCodes = [
  ...refusalCodes,
  'processing_failed',
  'converter_broken',
  'storage_away',
  'source_altered',
  'disk_full',
  'upload_expired',
] as const
export type VideoFailure = (typeof failureCodes)[number]
/** Failures of the installation, after which a video goes on by itself. */
export const waitingFailures = ['converter_broken', 'storage_away'] as const satisfies VideoFailure[]
/** Failures that do not lie in the file, so that another try may help. */
export const passingFailures: readonly VideoFailure[] = [...waitingFailures, 'processing_failed', 'disk_full']

export const Project = z.object({
  id: Id,
  organizationId: Id,
  parentId: z.nullable(Id),
  name: z.string(),
  videoCount: z.number(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Project = z.infer<typeof Project>

/** Addresses below `/m/`; the prefix carries a signed token and ends (see `expiresAt`). */
export const Playback = z.object({
  hls: z.string(),
  poster: z.nullable(z.string()),
  storyboard: z.nullable(z.string()),
  expiresAt: Instant,
})
export type Playback = z.infer<typeof Playback>

export const Video = z.object({
  id: Id,
  organizationId: Id,
  organizationName: z.string(),
  projectId: z.nullable(Id),
  title: z.string(),
  description: z.nullable(z.string()),
  tags: z.array(z.string()),
  state: z.enum(videoStates),
  /** 0 to 1 while uploading or processing. */
  progress: z.number(),
  failure: z.nullable(z.enum(failureCodes)),
  /**
   * While processing: the place in the line of all videos that wait to be converted (1 is next; null when it is this video's turn).
   * Null while the file is looked at, and when nothing is processed. How long it takes is not told: nobody knows it at the start.
   */
  conversion: z.nullable(z.object({ place: z.nullable(z.number()) })),
  privacy: z.enum(videoPrivacies),
  durationMs: z.nullable(z.number()),
  width: z.nullable(z.number()),
  height: z.nullable(z.number()),
  /** Small poster, signed. */
  poster: z.nullable(z.string()),
  /** Bytes of the source file. */
  size: z.nullable(z.number()),
  uploadedBytes: z.nullable(z.number()),
  fileName: z.nullable(z.string()),
  /** Where a resumable (tus) upload goes on; null when nothing is waited for. */
  uploadUrl: z.nullable(z.string()),
  versionId: z.nullable(Id),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Video = z.infer<typeof Video>

export const warningCodes = ['damaged', 'cut_off', 'no_sound'] as const

/** What people should know about a video that plays all the same; instants in milliseconds. */
export const VideoWarning = z.object({
  /**
   * `damaged`: what is shown there may be wrong or missing. `cut_off`: the file ended there, and its author took what is there.
   * `no_sound`: the file has sound, but in a form that cannot be read.
   */
  code: z.enum(warningCodes),
  startMs: z.number(),
  endMs: z.number(),
})
export type VideoWarning = z.infer<typeof VideoWarning>

export const FoundVideo = z.extend(Video, {
  /** The first few places in which the keyword is said, in the order of their times. */
  moments: z.array(Moment),
})
export type FoundVideo = z.infer<typeof FoundVideo>

export const VideoDetail = z.extend(Video, {
  playback: z.nullable(Playback),
  /** SHA-256 of the newest source file, in hex; null until all of it has arrived and was looked at. */
  sha256: z.nullable(z.string()),
  warnings: z.array(VideoWarning),
  /** Of the version that plays, in the order of their times; without those that are still to be checked. */
  chapters: z.array(ShownChapter),
  /** Captions, subtitles and descriptions of the version that plays. */
  tracks: z.array(CaptionTrack),
  /** What is missing before people are sent it, by what its organization asks. */
  readiness: Readiness,
  /** Of the version that plays, where it took the place of another. */
  replaced: z.nullable(
    z.object({
      number: z.number(),
      at: Instant,
      /** What has changed, in milliseconds of it; null: all of it is to be watched anew. */
      parts: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
    }),
  ),
})
export type VideoDetail = z.infer<typeof VideoDetail>

export const VideoInput = z.object({
  title: Name,
  /** Viewers read it on the page of the video, with its addresses as links. */
  description: z.optional(z.nullable(z.string().check(z.maxLength(10_000, 'too_long'), lines))),
  /** A tag that other videos of the organization have takes their spelling. */
  tags: z.optional(Tags),
  projectId: z.optional(z.nullable(Id)),
  privacy: z.optional(z.enum(videoPrivacies)),
})

/** A superadmin names the organization; everybody else is in one. */
const OfOrganization = z.object({ organizationId: z.optional(Id) })

export const listProjects = endpoint({
  name: 'listProjects',
  method: 'GET',
  path: '/videos/projects',
  summary: 'Projects: the folders of videos',
  access: only(adminRoles, 'content:read'),
  query: z.extend(PageQuery, OfOrganization.shape),
  reply: page(Project),
  cacheSeconds: 600,
})

export const createProject = endpoint({
  name: 'createProject',
  method: 'POST',
  path: '/videos/projects',
  summary: 'Create a project',
  access: only(adminRoles, 'content:write'),
  body: z.object({ name: Name, parentId: z.optional(z.nullable(Id)), organizationId: z.optional(Id) }),
  reply: Project,
  status: 201,
  idempotent: true,
})

const ProjectParams = z.object({ projectId: Id })

export const readProject = endpoint({
  name: 'readProject',
  method: 'GET',
  path: '/videos/projects/:projectId',
  summary: 'One project',
  access: only(adminRoles, 'content:read'),
  params: ProjectParams,
  reply: Project,
  cacheSeconds: 0,
})

export const updateProject = endpoint({
  name: 'updateProject',
  method: 'PUT',
  path: '/videos/projects/:projectId',
  summary: 'Rename or move a project',
  access: only(adminRoles, 'content:write'),
  params: ProjectParams,
  body: z.object({ name: Name, parentId: z.optional(z.nullable(Id)) }),
  reply: Project,
  ifMatch: true,
})

export const deleteProject = endpoint({
  name: 'deleteProject',
  method: 'DELETE',
  path: '/videos/projects/:projectId',
  summary: 'Remove a project; its videos move to the project above it',
  access: only(adminRoles, 'content:write'),
  params: ProjectParams,
  reply: Nothing,
})

export const videoSorts = bothWays('createdAt', 'title', 'duration')

/** Which videos: what a list shows, a change in bulk is about, or a file holds. */
export const VideoFilter = z.object({
  ...OfOrganization.shape,
  projectId: z.optional(Id),
  state: z.optional(z.enum(videoStates)),
  /** Whatever its case is. */
  tag: z.optional(Tag),
  attention: z.optional(z.enum(alertsOf.videos)),
})

const Keyword = z.string().check(z.trim(), z.maxLength(200, 'too_long'), lines)

/** The same, with a keyword. */
export const FoundVideos = z.extend(VideoFilter, { keyword: z._default(Keyword, '') })
export type FoundVideos = z.infer<typeof FoundVideos>

const sort = z._default(z.enum(videoSorts), '-createdAt')

export const listVideos = endpoint({
  name: 'listVideos',
  method: 'GET',
  path: '/videos',
  summary: 'Videos, newest first unless `sort` says otherwise',
  access: only(adminRoles, 'content:read'),
  query: z.extend(PageQuery, { ...VideoFilter.shape, sort }),
  reply: page(Video),
  cacheSeconds: 600,
})

export const searchVideos = endpoint({
  name: 'searchVideos',
  method: 'GET',
  path: '/videos/search',
  summary: 'Videos whose title, description or tags contain the keyword, or in which it is said',
  access: only(adminRoles, 'content:read'),
  query: z.extend(PageQuery, { ...VideoFilter.shape, keyword: Keyword, sort }),
  reply: page(FoundVideo),
  cacheSeconds: 600,
})

export const createVideo = endpoint({
  name: 'createVideo',
  method: 'POST',
  path: '/videos',
  summary: 'Announce a video and get the address for its resumable (tus) upload',
  access: only(adminRoles, 'content:write'),
  body: z.object({
    title: Name,
    fileName: z.string().check(z.minLength(1, 'required'), z.maxLength(500, 'too_long')),
    size: z.number().check(z.int(), z.gte(1, 'required'), z.lte(largestUpload, 'too_big')),
    projectId: z.optional(z.nullable(Id)),
    organizationId: z.optional(Id),
  }),
  reply: z.object({ video: Video, uploadUrl: z.string() }),
  status: 201,
  idempotent: true,
})

export const readVideo = endpoint({
  name: 'readVideo',
  method: 'GET',
  path: '/videos/:videoId',
  summary: 'One video with its playback addresses',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: VideoDetail,
  cacheSeconds: 600,
})

/** So many bytes at the beginning and at the end of what has arrived are known again, at most. */
export const knownBytes = 1_048_576

export const readUpload = endpoint({
  name: 'readUpload',
  method: 'GET',
  path: '/videos/:videoId/upload',
  summary: 'What has arrived of an unfinished upload, so that only the same file goes on',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: z.object({
    fileName: z.string(),
    /** Bytes that have arrived. */
    offset: z.number(),
    /** SHA-256 in hex of so many bytes at their beginning and at their end, a MiB at most. */
    headBytes: z.number(),
    head: z.string(),
    tailBytes: z.number(),
    tail: z.string(),
  }),
  cacheSeconds: 0,
})

export const updateVideo = endpoint({
  name: 'updateVideo',
  method: 'PUT',
  path: '/videos/:videoId',
  summary: 'Change title, description, tags, project or privacy',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  body: VideoInput,
  reply: Video,
  ifMatch: true,
})

export const retryVideo = endpoint({
  name: 'retryVideo',
  method: 'POST',
  path: '/videos/:videoId/retry',
  summary: 'Process a failed video again from its source',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  /** `acceptIncomplete`: of a file that was cut off, what is there is enough. */
  body: z.object({ acceptIncomplete: z._default(z.boolean(), false) }),
  reply: Video,
})

export const deleteVideo = endpoint({
  name: 'deleteVideo',
  method: 'DELETE',
  path: '/videos/:videoId',
  summary:
    'Remove a video; evidence of its viewing stays, and for 30 days its files, so that it can come back',
  access: only(adminRoles, 'content:write'),
  params: VideoParams,
  /** Without an operation where there is nothing that could come back: its file has never arrived. */
  reply: z.object({ operationId: z.nullable(Id) }),
})
