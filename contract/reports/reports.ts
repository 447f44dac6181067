import * as z from 'zod/mini'
import { bothWays, endpoint, FileReply, Id, Instant, only, page } from '../endpoint.ts'
import { FileFormat } from '../platform/file-formats.ts'
import { SearchText } from '../directory/organizations.ts'
import {
  Count,
  Measure,
  ReportHead as Head,
  ReportListQuery,
  ReportOwner as Owner,
  ReportQuery,
  ReportSteps,
  withoutPaging as paging,
} from './report-scope.ts'
import { adminRoles, everyRole } from '../roles.ts'
import { transmissionStates } from '../transmissions/transmissions.ts'

export const reportUserActivity = endpoint({
  name: 'reportUserActivity',
  method: 'GET',
  path: '/reports/user-activity',
  summary: 'Who was active in a period, and what became of the messages sent in it',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: ReportQuery,
  reply: z.object({
    ...Head,
    /** Today. */
    people: z.number(),
    /** People who watched, signed in or changed something. */
    active: Count,
    received: Count,
    opened: Count,
    completed: Count,
    /** Of everybody, also who is not known by name. Null where the organization records only completions. */
    watchedMs: Measure,
    /** Viewings of the period whose viewer is not known any more, because the organization keeps evidence no longer. */
    forgotten: z.number(),
    /** Active people. */
    steps: ReportSteps,
    /** The other figures; of the time watched empty where it may not be told. */
    series: z.object({ opened: ReportSteps, completed: ReportSteps, watchedMs: ReportSteps }),
  }),
  cacheSeconds: 10,
})

export const UserActivity = z.object({
  id: Id,
  ...Owner,
  name: z.string(),
  email: z.string(),
  /** Last sign of life in the console or in a video, whenever it was. */
  lastActiveAt: z.nullable(Instant),
  received: z.number(),
  opened: z.number(),
  completed: z.number(),
  /** Null where the organization records only completions; watching is then no sign of life either. */
  watchedMs: z.nullable(z.number()),
})
export type UserActivity = z.infer<typeof UserActivity>

export const userActivitySorts = bothWays(
  'name',
  'lastActiveAt',
  'received',
  'opened',
  'completed',
  'watchedMs',
)

export const listUserActivity = endpoint({
  name: 'listUserActivity',
  method: 'GET',
  path: '/reports/user-activity/people',
  summary: 'The people of the report on user activity, by name',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: z.extend(ReportListQuery, {
    q: SearchText,
    sort: z._default(z.enum(userActivitySorts), '-lastActiveAt'),
  }),
  reply: page(UserActivity),
  cacheSeconds: 10,
})

export const exportUserActivity = endpoint({
  name: 'exportUserActivity',
  method: 'GET',
  path: '/reports/user-activity/export',
  summary: 'The people of the report on user activity, filtered and sorted alike, as a file',
  access: only(everyRole, 'reports:read'),
  query: z.extend(z.omit(listUserActivity.query, paging), { format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})

/**
 * Shares are 0 to 1, and null where there is nothing to divide by. Where an organization records only completions, they and the
 * time watched are null.
 */
const Engagement = {
  viewers: z.number(),
  /** Mean over viewers and versions of what they have covered so far. */
  covered: z.nullable(z.number()),
  /** Viewers who completed the video in the period. */
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
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: ReportQuery,
  reply: z.object({
    ...Head,
    videos: Count,
    /** Each viewer once for each video. */
    viewings: Count,
    viewers: Count,
    covered: Measure,
    /** Viewings that were completed in the period. */
    completed: Count,
    /** Part of these viewings that are completed by now. */
    finished: Measure,
    rewatched: Measure,
    watchedMs: Measure,
    /** Viewings of the period whose viewer is not known any more, because the organization keeps evidence no longer. */
    forgotten: z.number(),
    /** Time watched; empty where it may not be told. */
    steps: ReportSteps,
    series: z.object({ completed: ReportSteps }),
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

export const videoEngagementSorts = bothWays(
  'title',
  'viewers',
  'covered',
  'completed',
  'rewatched',
  'watchedMs',
)

export const listVideoEngagement = endpoint({
  name: 'listVideoEngagement',
  method: 'GET',
  path: '/reports/user-engagement/videos',
  summary: 'The videos of the report on user engagement',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(videoEngagementSorts), '-watchedMs'),
  }),
  reply: page(VideoEngagement),
  cacheSeconds: 10,
})

export const exportVideoEngagement = endpoint({
  name: 'exportVideoEngagement',
  method: 'GET',
  path: '/reports/user-engagement/export',
  summary: 'The videos of the report on user engagement, filtered and sorted alike, as a file',
  access: only(everyRole, 'reports:read'),
  query: z.extend(z.omit(listVideoEngagement.query, paging), { format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})

export const reportAccountActivity = endpoint({
  name: 'reportAccountActivity',
  method: 'GET',
  path: '/reports/account-activity',
  summary: 'How much was done in an account in a period, by whom',
  access: only(adminRoles, 'reports:read'),
  readsMuch: true,
  query: ReportQuery,
  reply: z.object({
    ...Head,
    actions: Count,
    /** Different people who did something. */
    people: Count,
    signIns: Count,
    failedSignIns: Count,
    /** Every kind of action that occurred, most frequent first. */
    kinds: z.array(z.object({ action: z.string(), count: z.number() })),
    /** Actions. */
    steps: ReportSteps,
    series: z.object({ signIns: ReportSteps, failedSignIns: ReportSteps }),
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

export const accountActivitySorts = bothWays('at', 'action')

export const listAccountActivity = endpoint({
  name: 'listAccountActivity',
  method: 'GET',
  path: '/reports/account-activity/entries',
  summary: 'What was done in an account: who, when, to what',
  access: only(adminRoles, 'reports:read'),
  readsMuch: true,
  query: z.extend(ReportListQuery, {
    /** Part of the name or the email of who did it. */
    q: SearchText,
    action: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
    sort: z._default(z.enum(accountActivitySorts), '-at'),
  }),
  reply: page(AccountActivity),
  cacheSeconds: 5,
})

export const exportAccountActivity = endpoint({
  name: 'exportAccountActivity',
  method: 'GET',
  path: '/reports/account-activity/export',
  summary: 'The entries of the report on account activity, filtered and sorted alike, as a file',
  access: only(adminRoles, 'reports:read'),
  query: z.extend(z.omit(listAccountActivity.query, paging), { format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})

const Messages = {
  /** Everybody in the ledger but those who were left out from the start. */
  recipients: z.number(),
  /** What has left. */
  accepted: z.number(),
  /** There was no mail server, so that it rests in the outbox. */
  resting: z.number(),
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
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: ReportQuery,
  reply: z.object({
    ...Head,
    transmissions: Count,
    recipients: Count,
    accepted: Count,
    resting: Count,
    failed: Count,
    unknown: Count,
    opened: Count,
    started: Count,
    completed: Count,
    /** Messages that the mail server took. */
    steps: ReportSteps,
    /** What became of them, by the day of their transmission. */
    series: z.object({ opened: ReportSteps, started: ReportSteps, completed: ReportSteps }),
  }),
  cacheSeconds: 10,
})

export const MessageReport = z.object({
  id: Id,
  ...Owner,
  subject: z.string(),
  state: z.enum(transmissionStates),
  /** When it was let go. */
  createdAt: Instant,
  ...Messages,
})
export type MessageReport = z.infer<typeof MessageReport>

export const messageSorts = bothWays('createdAt', 'subject', 'recipients', 'opened', 'completed')

export const listMessageReports = endpoint({
  name: 'listMessageReports',
  method: 'GET',
  path: '/reports/message-analytics/transmissions',
  summary: 'The transmissions of the report on messages, newest first',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: z.extend(ReportListQuery, {
    sort: z._default(z.enum(messageSorts), '-createdAt'),
  }),
  reply: page(MessageReport),
  cacheSeconds: 10,
})

export const exportMessageReports = endpoint({
  name: 'exportMessageReports',
  method: 'GET',
  path: '/reports/message-analytics/export',
  summary: 'The transmissions of the report on messages, filtered and sorted alike, as a file',
  access: only(everyRole, 'reports:read'),
  query: z.extend(z.omit(listMessageReports.query, paging), { format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})
