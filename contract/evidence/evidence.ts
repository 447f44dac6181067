import * as z from 'zod/mini'
import { Device } from '../platform/devices.ts'
import { endpoint, Id, Instant, only, page, Nothing, PageQuery, requiredLines } from '../endpoint.ts'
import { evidenceStates } from '../tracking/evidence-states.ts'
import { Failed } from '../quizzes/failed.ts'
import { Quality } from '../tracking/quality.ts'
import { adminRoles, everyRole } from '../roles.ts'
import { ReadIn, Unheard } from './unheard.ts'
import { Standing } from '../matrix/standing.ts'
import type { SpanRefusal } from '../tracking/track-limits.ts'
import { UserParams } from '../directory/users.ts'

/** Sorted, disjoint [start, end) of media time in milliseconds. */
const Ranges = z.array(z.tuple([z.number(), z.number()]))
const Sent = z.object({ id: Id, subject: z.string() })
const Video = z.object({
  id: Id,
  title: z.string(),
  /** False once the video was removed; its evidence stays. */
  exists: z.boolean(),
})

const spanMarks = [
  'hidden',
  'muted',
  'pictureInPicture',
  'fullscreen',
  'autoplay',
  'replayed',
  'assistive',
  'program',
] as const
const sessionMarks = ['impressed', 'played', 'concurrent', 'capped', 'refused', 'bot', 'mixed'] as const
export const refusals = [
  'range',
  'rate',
  'mismatch',
  'faster',
  'hidden',
  'concurrent',
  'program',
] as const satisfies readonly SpanRefusal[]

/** The kinds of parts over the time line of a version. */
export const evidenceLanes = [
  'watched',
  'rewatched',
  'missing',
  'hidden',
  'fast',
  'uncounted',
  'served',
] as const
export type EvidenceLane = (typeof evidenceLanes)[number]

/** One version of the video, with the arithmetic of its percentage. Times are milliseconds of media time where not said otherwise. */
export const EvidenceVersion = z.object({
  id: Id,
  number: z.number(),
  /** The version that opens today. */
  isCurrent: z.boolean(),
  durationMs: z.number(),
  /** Share that completes, as the newest session's page said; and what it makes of the duration. */
  threshold: z.number(),
  neededMs: z.number(),
  /** Length of the parts that count, repeats once; `durationMs` = `coveredMs` + `missingMs`. */
  coveredMs: z.number(),
  missingMs: z.number(),
  /** `coveredMs` / `durationMs`. */
  share: z.number(),
  /** When the share that completes was covered, and when the questions were answered too. Both stay for good. */
  coveredAt: z.nullable(Instant),
  completedAt: z.nullable(Instant),
  /** Media time that counts, repeats counted; and the time of the clock that it took. */
  watchedMs: z.number(),
  attentionMs: z.number(),
  plays: z.number(),
  state: z.enum(evidenceStates),
  /**
   * `watched`: what counts. `rewatched`: what counts twice or more often. `missing`: the rest of the duration. `hidden`: played out
   * of sight. `fast`: faster than allowed, or than can be. `uncounted`: without credit for another reason. `served`: handed out.
   */
  lanes: z.record(z.enum(evidenceLanes), Ranges),
  /** What is said in the missing parts, and in each of them, in their order; null without captions, and where nothing was seen or is missing. */
  unheard: z.nullable(z.extend(Unheard, { parts: z.array(z.string()) })),
  /** What counts and was never handed out to its session, beyond what a segment explains. */
  unserved: Ranges,
  /** In the order of their times, each with how much of it counts. Empty where the version has none. */
  chapters: z.array(
    z.object({ title: z.string(), startMs: z.number(), endMs: z.number(), coveredMs: z.number() }),
  ),
  /** Address of the storyboard; null for who may not open content. */
  storyboard: z.nullable(z.string()),
})
export type EvidenceVersion = z.infer<typeof EvidenceVersion>

/** Why and by whom what programs seem to have reported counts after all. */
export const EvidenceDecision = z.object({ reason: z.string(), by: z.string(), at: Instant })
export type EvidenceDecision = z.infer<typeof EvidenceDecision>

export const EvidenceSession = z.object({
  id: Id,
  version: z.object({ id: Id, number: z.number() }),
  startedAt: Instant,
  /** When the server last heard of it. */
  lastAt: Instant,
  /** "Chrome on Windows"; a hint, never a proof. */
  device: Device,
  /** Shortened address of the network. */
  network: z.nullable(z.string()),
  /** The message through whose link it came. */
  transmission: z.nullable(Sent),
  /** Who was signed in to the console in that browser, is somebody else, and said there that they are this person; null: nobody. */
  saidBy: z.nullable(z.string()),
  /**
   * By what this person had signed in before they watched, where the organization asks for that: `pwd`, `otp`, `hwk`, `rcv`, `mail`, `sso`,
   * `mfa` (RFC 8176 and our own). Null: the personal link alone.
   */
  signedInBy: z.nullable(z.array(z.string())),
  /** False: parts were handed out, and no report of a player ever came. */
  isReported: z.boolean(),
  /** The page said that the video was over, or that it was closed. */
  isEnded: z.boolean(),
  marks: z.array(z.enum([...spanMarks, ...sessionMarks])),
  batchesSeen: z.number(),
  batchesExpected: z.number(),
  /** Entries of its reports that were not kept. */
  dropped: z.number(),
  coverage: Ranges,
  watchedMs: z.number(),
  attentionMs: z.number(),
  spans: z.number(),
  events: z.number(),
  state: z.enum(evidenceStates),
  served: Ranges,
  /** About: a note that was written twice counts twice. */
  servedBytes: z.number(),
  /** A server was killed while it ran, so that `served` may lack parts: what is not in it accuses nobody. */
  isRecordBroken: z.boolean(),
  unserved: Ranges,
  /** Reports of it bear the sign of a program; what they brought counts only by the decision of an administrator. Null: none does. */
  doubt: z.nullable(
    z.object({
      /** What the browser calls itself. */
      userAgent: z.nullable(z.string()),
      decision: z.nullable(EvidenceDecision),
    }),
  ),
})
export type EvidenceSession = z.infer<typeof EvidenceSession>

export const Evidence = z.object({
  /**
   * The organization records only completions: there are no versions, sessions and states to be told of, and of the completion
   * only its day (UTC).
   */
  isDiscreet: z.boolean(),
  completedOn: z.nullable(z.iso.date()),
  person: z.object({
    id: Id,
    name: z.string(),
    avatar: z.nullable(z.string()),
    /** False for somebody who was removed; administrators still see their evidence. */
    exists: z.boolean(),
  }),
  video: Video,
  state: z.enum(evidenceStates),
  /** Where the person stands with the video, as everywhere; null: nothing is known. */
  standing: z.nullable(Standing),
  /** Null while nothing was heard of this person and this video. */
  lastAt: z.nullable(Instant),
  /** Questions that the video insists on, and how many of them this person has answered. */
  questions: z.object({
    required: z.number(),
    answered: z.number(),
    /** Null where they need not be passed. */
    passed: z.nullable(z.boolean()),
    failed: z.nullable(Failed),
  }),
  /** Those of which there is any sign, the newest first. */
  versions: z.array(EvidenceVersion),
  /** Newest first. */
  sessions: page(EvidenceSession),
  quality: Quality,
})
export type Evidence = z.infer<typeof Evidence>

const EvidenceParams = z.extend(UserParams, { videoId: Id })

export const readEvidence = endpoint({
  name: 'readEvidence',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/evidence/:videoId',
  summary:
    'What one person watched of one video, and how that is known: the parts, how the percentage was worked out, every session. A groupadmin sees it of the members of their groups',
  access: only(everyRole, 'evidence:read'),
  params: EvidenceParams,
  query: z.extend(PageQuery, ReadIn.shape),
  reply: Evidence,
  cacheSeconds: 2,
})

/** One stretch that was played. */
const EvidenceSpan = z.object({
  index: z.number(),
  /** Media time [startMs, endMs). */
  startMs: z.number(),
  endMs: z.number(),
  wallMs: z.number(),
  /** 1 is the normal speed. */
  rate: z.number(),
  marks: z.array(z.enum(spanMarks)),
  /** Server's time at which it began, as near as the reports show. */
  at: Instant,
  /** The part of it that counts; null when none does. */
  credited: z.nullable(z.tuple([z.number(), z.number()])),
  refused: z.nullable(z.enum(refusals)),
})
export type EvidenceSpan = z.infer<typeof EvidenceSpan>

export const EvidenceEvent = z.object({
  number: z.number(),
  type: z.string(),
  at: Instant,
  positionMs: z.number(),
  data: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
})
export type EvidenceEvent = z.infer<typeof EvidenceEvent>

const SessionParams = z.extend(EvidenceParams, { sessionId: Id })

export const readEvidenceSession = endpoint({
  name: 'readEvidenceSession',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/evidence/:videoId/sessions/:sessionId',
  summary:
    'Everything that one session reported: each stretch with its time and why it counts or not, and each event',
  access: only(everyRole, 'evidence:read'),
  params: SessionParams,
  reply: z.object({ spans: z.array(EvidenceSpan), events: z.array(EvidenceEvent) }),
  cacheSeconds: 2,
})

const decisionPath = '/organizations/:orgId/users/:userId/evidence/:videoId/sessions/:sessionId/decision'

export const countEvidenceSession = endpoint({
  name: 'countEvidenceSession',
  method: 'PUT',
  path: decisionPath,
  summary:
    'Decide with a reason that a person watched, although reports of the session bear the sign of a program: what they brought counts like any other',
  access: only(adminRoles, 'person'),
  params: SessionParams,
  body: z.object({ reason: requiredLines(500) }),
  reply: EvidenceDecision,
})

export const doubtEvidenceSession = endpoint({
  name: 'doubtEvidenceSession',
  method: 'DELETE',
  path: decisionPath,
  summary: 'Take that decision back; a completion that came of it stays',
  access: only(adminRoles, 'person'),
  params: SessionParams,
  reply: Nothing,
})

export const EvidenceVideo = z.object({
  video: Video,
  /** Of the version that was last watched; null while nothing was. */
  durationMs: z.nullable(z.number()),
  coverage: Ranges,
  share: z.number(),
  /** Null where the organization records only completions; then `completedAt` is the day (UTC) alone, and nothing else is told. */
  state: z.nullable(z.enum(evidenceStates)),
  lastAt: z.nullable(Instant),
  completedAt: z.nullable(Instant),
  /** Null: nothing is known. */
  standing: z.nullable(Standing),
})
export type EvidenceVideo = z.infer<typeof EvidenceVideo>

export const listEvidence = endpoint({
  name: 'listEvidence',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/evidence',
  summary: 'The videos that were sent to a person or that they watched, last watched first',
  access: only(everyRole, 'evidence:read'),
  params: UserParams,
  query: PageQuery,
  reply: page(EvidenceVideo),
  cacheSeconds: 5,
})
