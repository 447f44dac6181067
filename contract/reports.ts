import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, page, PageQuery } from './endpoint.ts'
import { SearchText } from './organizations.ts'
import { adminRoles, everyRole } from './roles.ts'
import { transmissionStates } from './transmissions.ts'

/** Days up to and with today (UTC); `12m` is this month and the eleven before it. */
export const reportPeriods = ['7d', '30d', '90d', '12m'] as const
export type ReportPeriod = (typeof reportPeriods)[number]

/** Without an organization a superadmin sees all of them together, and everybody else their own. */
const ReportQuery = z.object({
  period: z._default(z.enum(reportPeriods), '30d'),
  organizationId: z.optional(Id),
})
const ReportListQuery = z.extend(PageQuery, ReportQuery.shape)

const Head = {
  /** Whose figures these are; null for all organizations together. */
  organization: z.nullable(z.object({ id: Id, name: z.string() })),
}

/** One step of the plot: a day, or with `12m` the first day of a month; oldest first, without gaps. */
const Step = { day: z.string() }

const Owner = { organizationId: Id, organizationName: z.string() }

export const reportUserActivity = endpoint({
  name: 'reportUserActivity',
  method: 'GET',
  path: '/reports/user-activity',
  summary: 'Who was active in a period, and what became of the messages sent in it',
  access: only(everyRole),
  query: ReportQuery,
  reply: z.object({
    ...Head,
    people: z.number(),
    /** People who watched, signed in or changed something. */
    active: z.number(),
    received: z.number(),
    opened: z.number(),
    completed: z.number(),
    /** Null where the organization records only completions. */
    watchedMs: z.nullable(z.number()),
    steps: z.array(z.object({ ...Step, active: z.number() })),
  }),
  cacheSeconds: 10,
})

export const UserActivity = z.object({
  id: Id,
  ...Owner,
  name: z.string(),
  email: z.string(),
  /** Last sign of life in the console or in a video, whenever it was. */
  lastSeenAt: z.nullable(Instant),
  received: z.number(),
  opened: z.number(),
  completed: z.number(),
  /** Null where the organization records only completions; watching is then no sign of life either. */
  watchedMs: z.nullable(z.number()),
})
export type UserActivity = z.infer<typeof UserActivity>

export const userActivitySorts = [
  'name',
  '-name',
  'lastSeenAt',
  '-lastSeenAt',
  'received',
  '-received',
  'opened',
  '-opened',
  'completed',
  '-completed',
  'watchedMs',
  '-watchedMs',
] as const

export const listUserActivity = endpoint({
  name: 'listUserActivity',
  method: 'GET',
  path: '/reports/user-activity/people',
  summary: 'The people behind that report, by name',
  access: only(everyRole),
  query: z.extend(ReportListQuery, {
    q: SearchText,
    sort: z._default(z.enum(userActivitySorts), '-lastSeenAt'),
  }),
  reply: page(UserActivity),
  cacheSeconds: 10,
})

/**
 * Shares are 0 to 1, and null where there is nothing to divide by. Where an organization records only completions, they and the
 * time watched are null.
 */
const Engagement = {
  viewers: z.number(),
  /** Mean over viewers and versions of what they have covered so far. */
  covered: z.nullable(z.number()),
  /** Viewers who have completed the video; over several videos, each viewer once for each of them. */
  completed: z.number(),
  /** Part of the time watched that repeated what the same viewer had seen before. */
  rewatched: z.nullable(z.number()),
  /** Media time watched in the period, repeats counted. */
  watchedMs: z.nullable(z.number()),
}

export const reportUserEngagement = endpoint({
  name: 'reportUserEngagement',
  method: 'GET',
  path: '/reports/user-engagement',
  summary: 'How much of the videos that were watched in a period their viewers have seen',
  access: only(everyRole),
  query: ReportQuery,
  reply: z.object({
    ...Head,
    videos: z.number(),
    /** Each viewer once for each video. */
    viewings: z.number(),
    ...Engagement,
    steps: z.array(z.object({ ...Step, watchedMs: z.number() })),
  }),
  cacheSeconds: 10,
})

export const VideoEngagement = z.object({
  id: Id,
  ...Owner,
  title: z.string(),
  /** False once the video was removed; its evidence stays. */
  exists: z.boolean(),
  durationMs: z.nullable(z.number()),
  ...Engagement,
})
export type VideoEngagement = z.infer<typeof VideoEngagement>

export const videoEngagementSorts = [
  'title',
  '-title',
  'viewers',
  '-viewers',
  'covered',
  '-covered',
  'completed',
  '-completed',
  'rewatched',
  '-rewatched',
  'watchedMs',
  '-watchedMs',
] as const

export const listVideoEngagement = endpoint({
  name: 'listVideoEngagement',
  method: 'GET',
  path: '/reports/user-engagement/videos',
  summary: 'The videos behind that report',
  access: only(everyRole),
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(videoEngagementSorts), '-watchedMs'),
  }),
  reply: page(VideoEngagement),
  cacheSeconds: 10,
})

export const reportAccountActivity = endpoint({
  name: 'reportAccountActivity',
  method: 'GET',
  path: '/reports/account-activity',
  summary: 'How much was done in an account in a period, by whom',
  access: only(adminRoles),
  query: ReportQuery,
  reply: z.object({
    ...Head,
    actions: z.number(),
    /** Different people who did something. */
    people: z.number(),
    signIns: z.number(),
    failedSignIns: z.number(),
    /** Every kind of action that occurred, most frequent first. */
    kinds: z.array(z.object({ action: z.string(), count: z.number() })),
    steps: z.array(z.object({ ...Step, actions: z.number() })),
  }),
  cacheSeconds: 10,
})

export const AccountActivity = z.object({
  id: Id,
  at: Instant,
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  /** Null: the product itself, or somebody who was not signed in. Without a name: outside the reader's sight. */
  actor: z.nullable(
    z.object({
      id: Id,
      name: z.nullable(z.string()),
      /** Null where the person cannot be opened: superadmins, and who was removed. */
      organizationId: z.nullable(Id),
    }),
  ),
  action: z.string(),
  entity: z.string(),
  entityId: z.nullable(Id),
  /** As it is called now, or was called when it was removed. */
  entityName: z.nullable(z.string()),
  /** Whether it can still be opened. */
  exists: z.boolean(),
})
export type AccountActivity = z.infer<typeof AccountActivity>

export const accountActivitySorts = ['at', '-at', 'action', '-action'] as const

export const listAccountActivity = endpoint({
  name: 'listAccountActivity',
  method: 'GET',
  path: '/reports/account-activity/entries',
  summary: 'What was done in an account: who, when, to what',
  access: only(adminRoles),
  query: z.extend(ReportListQuery, {
    /** Part of the name or the email of who did it. */
    q: SearchText,
    action: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
    sort: z._default(z.enum(accountActivitySorts), '-at'),
  }),
  reply: page(AccountActivity),
  cacheSeconds: 5,
})

const Messages = {
  /** Everybody in the ledger but those who were left out from the start. */
  recipients: z.number(),
  accepted: z.number(),
  failed: z.number(),
  unknown: z.number(),
  opened: z.number(),
  started: z.number(),
  completed: z.number(),
}

export const reportMessages = endpoint({
  name: 'reportMessages',
  method: 'GET',
  path: '/reports/message-analytics',
  summary: 'What became of the messages of the transmissions of a period',
  access: only(everyRole),
  query: ReportQuery,
  reply: z.object({
    ...Head,
    transmissions: z.number(),
    ...Messages,
    /** Messages that the mail server took. */
    steps: z.array(z.object({ ...Step, sent: z.number() })),
  }),
  cacheSeconds: 10,
})

export const MessageReport = z.object({
  id: Id,
  ...Owner,
  subject: z.string(),
  state: z.enum(transmissionStates),
  createdAt: Instant,
  ...Messages,
})
export type MessageReport = z.infer<typeof MessageReport>

export const messageSorts = [
  'createdAt',
  '-createdAt',
  'subject',
  '-subject',
  'recipients',
  '-recipients',
  'opened',
  '-opened',
  'completed',
  '-completed',
] as const

export const listMessageReports = endpoint({
  name: 'listMessageReports',
  method: 'GET',
  path: '/reports/message-analytics/transmissions',
  summary: 'The transmissions behind that report, newest first',
  access: only(everyRole),
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(messageSorts), '-createdAt'),
  }),
  reply: page(MessageReport),
  cacheSeconds: 10,
})

/** Each person counts once for each version of questions whose attempt they completed in the period. */
const Takings = {
  /** Attempts that were completed in the period. */
  attempts: z.number(),
  people: z.number(),
  /** Who passed in the period; null with fewer people than a figure may be about. */
  passed: z.nullable(z.number()),
}

export const reportQuizMetrics = endpoint({
  name: 'reportQuizMetrics',
  method: 'GET',
  path: '/reports/quiz-metrics',
  summary: 'How the questions in videos were answered in a period',
  access: only(everyRole),
  query: ReportQuery,
  reply: z.object({
    ...Head,
    /** Versions of questions that were answered. */
    quizzes: z.number(),
    ...Takings,
    /** `people` by name, each once whatever they answered. */
    persons: z.number(),
    /** People whose first attempt with these questions was completed in the period. */
    first: z.number(),
    /** Of them: passed; and their median score as a share of the full score. Null as above. */
    firstPassed: z.nullable(z.number()),
    medianScore: z.nullable(z.number()),
    /** Figures about fewer people than these are not given. */
    smallestGroup: z.number(),
    steps: z.array(z.object({ ...Step, attempts: z.number() })),
  }),
  cacheSeconds: 10,
})

export const QuizMetrics = z.object({
  /** Of the version of the questions. */
  id: Id,
  ...Owner,
  videoId: Id,
  title: z.string(),
  /** False once the video was removed. */
  exists: z.boolean(),
  number: z.number(),
  ...Takings,
  lastAt: Instant,
  /** Since the version was published: the question with the lowest mean score, 0 to 1. Null with too few people. */
  hardest: z.nullable(z.object({ prompt: z.string(), facility: z.number() })),
  /** The same: coefficient of internal consistency, in percent. */
  reliability: z.nullable(z.number()),
})
export type QuizMetrics = z.infer<typeof QuizMetrics>

export const quizMetricsSorts = [
  'title',
  '-title',
  'people',
  '-people',
  'attempts',
  '-attempts',
  'passRate',
  '-passRate',
  'lastAt',
  '-lastAt',
] as const

export const listQuizMetrics = endpoint({
  name: 'listQuizMetrics',
  method: 'GET',
  path: '/reports/quiz-metrics/quizzes',
  summary: 'The questions behind that report, each version for itself',
  access: only(everyRole),
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(quizMetricsSorts), '-lastAt'),
  }),
  reply: page(QuizMetrics),
  cacheSeconds: 10,
})
