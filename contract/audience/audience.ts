import * as z from 'zod/mini'
import { bothWays, endpoint, Id, Instant, only, page, PageQuery, VideoParams } from '../endpoint.ts'
import { evidenceStates } from '../tracking/evidence-states.ts'
import { SearchText } from '../directory/organizations.ts'
import { Quality } from '../tracking/quality.ts'
import { adminRoles } from '../roles.ts'
import { ShownChapter } from '../videos/shown-chapters.ts'

/** `all`: since the first viewing. The others are days up to and with today (UTC); a session counts on the day on which it began. */
export const audiencePeriods = ['all', '7d', '30d', '90d'] as const
export type AudiencePeriod = (typeof audiencePeriods)[number]

const AudienceQuery = z.object({
  /** Left out: the version that plays now. */
  versionId: z.optional(Id),
  period: z._default(z.enum(audiencePeriods), 'all'),
})

const ranges = z.array(z.tuple([z.number(), z.number()]))

export const AudienceVersion = z.object({
  id: Id,
  number: z.number(),
  durationMs: z.number(),
  readyAt: Instant,
  /** The one that plays now; only for it there are a player and a storyboard. */
  isCurrent: z.boolean(),
})
export type AudienceVersion = z.infer<typeof AudienceVersion>

/** Shares are 0 to 1, and null where there is nothing to divide by. Sessions of programs are in none of these. */
export const AudienceFigures = z.object({
  /** Sessions in which at least half of the player was in sight for a second. */
  impressions: z.number(),
  /** Sessions in which at least a millisecond was played. */
  plays: z.number(),
  /** Sessions with an impression and a play, of those with an impression. */
  playRate: z.nullable(z.number()),
  /** The same, counted by viewers instead of sessions. */
  viewerPlayRate: z.nullable(z.number()),
  /** Different viewers who played. */
  viewers: z.number(),
  /** Of these, the ones known by name. */
  named: z.number(),
  /** Media milliseconds that earned credit, repeats counted. */
  watchMs: z.number(),
  /** Milliseconds of viewers' time that this took. */
  attentionMs: z.number(),
  /** Mean over the plays of the share of the video that the session covered. */
  engagement: z.nullable(z.number()),
  /** Watch time of a play in lengths of the video, repeats counted: may be more than 1. */
  intensity: z.nullable(z.number()),
  /** Of those viewers, the ones who have completed this version, whenever that was. */
  completed: z.number(),
  /** Plays that covered the instants at 25, 50 and 75 % of the video and the last one that the curve knows. */
  quartiles: z.tuple([z.number(), z.number(), z.number(), z.number()]),
})
export type AudienceFigures = z.infer<typeof AudienceFigures>

/**
 * Bins of equal length over the time line; the last may be shorter. A viewer counts in second s when their coverage contains the
 * instant s + 0.5 s; a bin has the mean of its seconds. The four counts at the end are sums.
 */
export const AudienceCurves = z.object({
  binSeconds: z.number(),
  /** What the curve is a share of: viewers who played (all time), or plays (a period). */
  base: z.number(),
  /** Viewers, or in a period sessions, that covered it. */
  covered: z.array(z.number()),
  /** Passes beyond the first of each viewer (in a period: of each session). */
  again: z.array(z.number()),
  /** Sessions whose last position this is, of `plays`. */
  exits: z.array(z.number()),
  seekIn: z.array(z.number()),
  seekOut: z.array(z.number()),
  pauses: z.array(z.number()),
})
export type AudienceCurves = z.infer<typeof AudienceCurves>

export const hotspotKinds = ['most', 'least', 'again'] as const
export type HotspotKind = (typeof hotspotKinds)[number]

/**
 * A part that stands out: for `hotspotRule.seconds` on end its curve lies more than one standard deviation above (`most`, `again`)
 * or below (`least`) its mean over the video, and at least `hotspotRule.share` of the base away from it.
 */
export const Hotspot = z.object({
  kind: z.enum(hotspotKinds),
  fromMs: z.number(),
  toMs: z.number(),
  /** Mean of the part: a share of the base. Of `again`: further passes for each of the base. */
  value: z.number(),
  /** The same over the whole video. */
  mean: z.number(),
  /** Mean distance from the mean in standard deviations. */
  score: z.number(),
})
export type Hotspot = z.infer<typeof Hotspot>
export const hotspotRule = { seconds: 3, share: 0.05, ofEachKind: 5 } as const

/** Where this video stands among those of the organization that are half to one and a half times as long. All time. */
export const RelativeRetention = z.object({
  /** Other videos with enough viewers. */
  videos: z.number(),
  /** Share of them that hold their viewers less well, ties by halves; null below `relativeLeast` videos. */
  percentile: z.nullable(z.number()),
})
export type RelativeRetention = z.infer<typeof RelativeRetention>
export const relativeLeast = 5

export const VideoAudience = z.object({
  /** Versions that can be or could be played, newest first. */
  versions: z.array(AudienceVersion),
  /** The one that everything here is about; null while none has become ready. */
  version: z.nullable(AudienceVersion),
  /** Of that version, in the order of their times. */
  chapters: z.array(ShownChapter),
  period: z.enum(audiencePeriods),
  figures: AudienceFigures,
  /** Null when fewer than `smallestGroup` viewers played: a curve would tell about single persons. */
  curves: z.nullable(AudienceCurves),
  smallestGroup: z.number(),
  /** The organization records only completions: nobody is named, and figures about fewer than `smallestGroup` are left at nothing. */
  isDiscreet: z.boolean(),
  hotspots: z.array(Hotspot),
  /** Null together with the curves. */
  relative: z.nullable(RelativeRetention),
  quality: Quality,
})
export type VideoAudience = z.infer<typeof VideoAudience>

export const readAudience = endpoint({
  name: 'readAudience',
  method: 'GET',
  path: '/videos/:videoId/audience',
  summary: 'How a video was watched: figures, curves over its time line, and the parts that stand out',
  access: only(adminRoles, 'evidence:read'),
  params: VideoParams,
  query: AudienceQuery,
  reply: VideoAudience,
  cacheSeconds: 10,
})

export const Viewer = z.object({
  /** Of the row, opaque; the person's is `userId`. */
  id: z.string(),
  userId: Id,
  organizationId: Id,
  name: z.string(),
  email: z.string(),
  /** False once the person was removed; the evidence stays. */
  exists: z.boolean(),
  /** Share of the version that they have covered so far. */
  share: z.number(),
  coverage: ranges,
  watchedMs: z.number(),
  plays: z.number(),
  completedAt: z.nullable(Instant),
  /** What both sources say of it. */
  evidence: z.enum(evidenceStates),
  lastAt: Instant,
})
export type Viewer = z.infer<typeof Viewer>

export const viewerSorts = bothWays('name', 'share', 'watchedMs', 'plays', 'completedAt', 'lastAt')

export const listViewers = endpoint({
  name: 'listViewers',
  method: 'GET',
  path: '/videos/:videoId/viewers',
  summary: 'Who watched a version of a video in a period, by name, and what they have covered so far',
  access: only(adminRoles, 'evidence:read'),
  params: VideoParams,
  query: z.extend(PageQuery, {
    ...AudienceQuery.shape,
    q: SearchText,
    evidence: z.optional(z.enum(evidenceStates)),
    sort: z._default(z.enum(viewerSorts), '-lastAt'),
  }),
  reply: z.extend(page(Viewer), {
    /** Nobody known by name: all of them together. */
    anonymous: z.object({ viewers: z.number(), completed: z.number(), watchedMs: z.number() }),
  }),
  cacheSeconds: 10,
})

export const startPreview = endpoint({
  name: 'startPreview',
  method: 'POST',
  path: '/videos/:videoId/preview',
  summary: 'A play token for looking at a video without being counted',
  access: only(adminRoles, 'content:read'),
  params: VideoParams,
  reply: z.object({
    playToken: z.string(),
    durationMs: z.number(),
    /** Fastest playback that would earn credit, 2 = twice. */
    maxRate: z.number(),
    /** Share that would complete. */
    completes: z.number(),
  }),
  // It changes nothing, and nothing of it is kept.
  whileImpersonating: true,
})
