import * as z from 'zod/mini'
import {
  DayOrInstant,
  bothWays,
  endpoint,
  FileReply,
  Id,
  Instant,
  only,
  page,
  PageQuery,
  Removed,
  requiredLines,
} from '../endpoint.ts'
import { FileFormat } from '../platform/file-formats.ts'
import { OrgParams, SearchText } from '../directory/organizations.ts'
import { Failed } from '../quizzes/failed.ts'
import { everyRole } from '../roles.ts'
import { trainingStates } from './standing.ts'
import { deliveryStates } from '../transmissions/transmissions.ts'

const State = z.enum(trainingStates)

/** These are sums of the cells that somebody owes, or was sent, and is not excused from. */
const Sums = {
  required: z.number(),
  /** These are completed or passed, and still valid. */
  done: z.number(),
  overdue: z.number(),
}

/** This chooses people and videos. */
const TrainingFilter = {
  q: SearchText,
  groupId: z.optional(Id),
  projectId: z.optional(Id),
  /**
   * `assigned` means videos that were sent, or are asked for by an assignment. `any` means also what somebody watched or was excused from
   * without that.
   */
  videos: z._default(z.enum(['assigned', 'any']), 'assigned'),
  /** It narrows to people whom the mail of this day to the caller names as late. */
  toldOn: z.optional(z.iso.date()),
  /** The matrix is given as it read at the end of this day, in the zone of the organization; without it, as it reads now. */
  on: z.optional(z.iso.date()),
}

/** A matrix has at most this number of videos, the first ones by title; narrower filters show the others. */
export const mostTrainingVideos = 500

export const TrainingVideo = z.object({
  id: Id,
  title: z.string(),
  createdAt: Instant,
  ...Sums,
  /** These are the cells of the people whom the filter finds. */
  counts: z.partialRecord(State, z.number()),
})
export type TrainingVideo = z.infer<typeof TrainingVideo>

export const readTraining = endpoint({
  name: 'readTraining',
  method: 'GET',
  path: '/organizations/:orgId/training',
  summary: 'The videos of the training matrix by title, with totals of what has become of them',
  access: only(everyRole, 'evidence:read'),
  readsMuch: true,
  params: OrgParams,
  query: z.object(TrainingFilter),
  reply: z.object({
    organization: z.object({ id: Id, name: z.string() }),
    people: z.number(),
    videos: z.array(TrainingVideo),
    /** This counts videos beyond `mostTrainingVideos` too. */
    videoTotal: z.number(),
    ...Sums,
    counts: z.partialRecord(State, z.number()),
    /** It is true when the organization records only completions, so that nothing is told of who opened, started or passed. */
    isDiscreet: z.boolean(),
    projects: z.array(z.object({ id: Id, name: z.string() })),
    groups: z.array(z.object({ id: Id, name: z.string() })),
    /** `on` may ask for these days; null means that none is over yet. */
    pastDays: z.nullable(z.object({ first: z.iso.date(), last: z.iso.date() })),
    /** Changes since this instant are not in it yet, and follow within seconds; null means that it is as of now. */
    asOf: z.nullable(z.string()),
  }),
  cacheSeconds: 10,
})

export const TrainingRow = z.object({
  /** These are the id, name and address of the person. */
  id: Id,
  name: z.string(),
  email: z.string(),
  ...Sums,
  /** It has a letter for each of `videoIds`. */
  cells: z.string(),
})
export type TrainingRow = z.infer<typeof TrainingRow>

/** `done` sorts by the share of what is required; whoever has nothing to do stands with those who have done all. */
export const trainingSorts = bothWays('name', 'done', 'overdue')

export const listTraining = endpoint({
  name: 'listTraining',
  method: 'GET',
  path: '/organizations/:orgId/training/people',
  summary: 'The rows of the training matrix; a groupadmin sees the members of their groups',
  access: only(everyRole, 'evidence:read'),
  readsMuch: true,
  params: OrgParams,
  query: z.extend(PageQuery, {
    ...TrainingFilter,
    /** Only this person is meant. */
    personId: z.optional(Id),
    /** It narrows to people with a cell in this state. */
    state: z.optional(State),
    /** It narrows to people who were asked to watch this video, have not done it and are not excused. */
    notDone: z.optional(Id),
    sort: z._default(z.enum(trainingSorts), 'name'),
  }),
  reply: z.extend(page(TrainingRow), {
    /** This is the order of the letters. It is that of `readTraining`, unless a video came or went in between. */
    videoIds: z.array(Id),
  }),
  cacheSeconds: 10,
})

/**
 * `matrix` has a row for each person, and a column for each video. `cells` has a row for each pair of both, with every date and reason,
 * which are those of now: there is none of an earlier day.
 */
export const trainingForms = ['matrix', 'cells'] as const

export const exportTraining = endpoint({
  name: 'exportTraining',
  method: 'GET',
  path: '/organizations/:orgId/training/export',
  summary: 'The training matrix, filtered and sorted alike, as a file in one of two forms',
  access: only(everyRole, 'evidence:read'),
  params: OrgParams,
  query: z.extend(z.omit(listTraining.query, { offset: true, limit: true, after: true, personId: true }), {
    form: z._default(z.enum(trainingForms), 'matrix'),
    format: FileFormat,
  }),
  ownTransactions: true,
  reply: FileReply,
})

export const Waiver = z.object({
  id: Id,
  reason: z.string(),
  until: z.nullable(Instant),
  by: z.string(),
  at: Instant,
  /** It was taken back or ran out then, and this person took it back; null means that it ran out. */
  endedAt: z.nullable(Instant),
  endedBy: z.nullable(z.string()),
})
export type Waiver = z.infer<typeof Waiver>

/** These say what happened when. Where only completions are recorded, `completedAt` is the day (UTC) alone and the other signs are null. */
export const TrainingCell = z.object({
  person: z.object({ id: Id, name: z.string() }),
  video: z.object({ id: Id, title: z.string() }),
  /** Null means that nothing is known. */
  state: z.nullable(State),
  /** This is the day of the assignment; without one, the latest day that a transmission set. */
  dueAt: z.nullable(Instant),
  /** Due days are told in this zone. */
  timeZone: z.string(),
  startedAt: z.nullable(Instant),
  completedAt: z.nullable(Instant),
  passedAt: z.nullable(Instant),
  /** It is null too for somebody who completed the video before its questions had to be passed. */
  failed: z.nullable(Failed),
  /** The newest come first. */
  messages: z.array(
    z.object({
      transmissionId: Id,
      subject: z.string(),
      at: Instant,
      dueAt: z.nullable(Instant),
      state: z.enum(deliveryStates),
      sentAt: z.nullable(Instant),
      openedAt: z.nullable(Instant),
    }),
  ),
  /** Assignments ask for these, or asked for them in earlier cycles. The newest come first. */
  obligations: z.array(
    z.object({
      id: Id,
      assignment: z.object({ id: Id, name: z.string() }),
      /** Null means that it is not owed any more. */
      state: z.nullable(State),
      /** This is the reason of a waiver or an ending; null means that none was given. */
      reason: z.nullable(z.string()),
      dueAt: z.nullable(Instant),
      doneAt: z.nullable(Instant),
      validUntil: z.nullable(Instant),
    }),
  ),
  /** The newest come first. */
  waivers: z.array(Waiver),
})
export type TrainingCell = z.infer<typeof TrainingCell>

const CellParams = z.object({ orgId: Id, userId: Id, videoId: Id })

export const readTrainingCell = endpoint({
  name: 'readTrainingCell',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/training/:videoId',
  summary: 'What is known of one person and one video, and what was decided about it',
  access: only(everyRole, 'evidence:read'),
  params: CellParams,
  reply: TrainingCell,
  cacheSeconds: 2,
})

export const waiveTraining = endpoint({
  name: 'waiveTraining',
  method: 'POST',
  path: '/organizations/:orgId/users/:userId/training/:videoId/waiver',
  summary: 'Excuse a person from a video, with the reason',
  access: only(everyRole, 'send'),
  params: CellParams,
  body: z.object({
    reason: requiredLines(500),
    /** It holds through this day where the organization is, or up to this instant; without one, for good. */
    until: z.optional(z.nullable(DayOrInstant)),
  }),
  reply: TrainingCell,
  status: 201,
  idempotent: true,
})

export const endWaiver = endpoint({
  name: 'endWaiver',
  method: 'DELETE',
  path: '/organizations/:orgId/users/:userId/training/:videoId/waiver',
  summary: 'Take a waiver back; it stays in the history',
  access: only(everyRole, 'send'),
  params: CellParams,
  reply: Removed,
})
