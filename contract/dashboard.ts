import * as z from 'zod/mini'
import { lacking } from './duty/lacking.ts'
import { Alerts, alertKinds } from './platform/alerts.ts'
import { endpoint, Id, Instant, Nothing, only, page, PageQuery, wholeBetween } from './endpoint.ts'
import { operationKinds, operationStates } from './operations.ts'
import { Measure } from './reports/report-scope.ts'
import { adminRoles, everyRole, superadminOnly } from './roles.ts'
import { transmissionReasons } from './transmissions/transmission-reasons.ts'
import { transmissionStates } from './transmissions/transmissions.ts'

/** Without an organization a superadmin sees all of them together, and everybody else their own. */
const OrganizationQuery = z.object({ organizationId: z.optional(Id) })
const Owner = { organizationId: Id, organizationName: z.string() }

/** What a dashboard measures, in the order in which it is shown; defined as in the report on people. */
export const dashboardFigures = ['active', 'received', 'opened', 'completed', 'watchedMs'] as const
export type DashboardFigure = (typeof dashboardFigures)[number]

export const readDashboardFigures = endpoint({
  name: 'readDashboardFigures',
  method: 'GET',
  path: '/dashboard/figures',
  summary:
    'The last 30 days (UTC), the 30 before them, and each day; a groupadmin sees the figures of their own groups',
  access: only(everyRole, 'reports:read'),
  query: OrganizationQuery,
  reply: z.object({
    /** Both days included. */
    range: z.object({ from: z.string(), to: z.string() }),
    figures: z.array(
      z.extend(Measure, {
        key: z.enum(dashboardFigures),
        /** One value for each day, oldest first; empty where nothing may be told. */
        days: z.array(z.number()),
      }),
    ),
  }),
  cacheSeconds: 10,
})

const InFlight = z.object({
  id: Id,
  subject: z.string(),
  state: z.enum(transmissionStates),
  reason: z.nullable(z.enum(transmissionReasons)),
  /** Whom it is for; before its list is made, for how many approval was asked. */
  audienceTotal: z.number(),
  /** Messages that the mail server took. */
  sent: z.number(),
  /** Messages that came back, were refused, or of which nobody knows. */
  troubled: z.number(),
  /** Messages that will not leave any more: left out or cancelled. */
  dropped: z.number(),
  /** Recipients who did so. */
  opened: z.number(),
  completed: z.number(),
  /** When it was let go. */
  createdAt: Instant,
})

/** The most that are named of each kind. */
export const mostWork = 5

const Work = <const S extends Record<string, z.core.$ZodType>>(item: S) =>
  z.object({ total: z.number(), items: z.array(z.object({ ...item, ...Owner })) })

export const readDashboardWork = endpoint({
  name: 'readDashboardWork',
  method: 'GET',
  path: '/dashboard/work',
  summary: 'What is under way: transmissions, operations and videos; a groupadmin sees their own operations',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: OrganizationQuery,
  reply: z.object({
    transmissions: Work(InFlight.shape),
    /** Imports and changes in bulk; `organizationId` is null where organizations themselves are changed. */
    operations: z.object({
      total: z.number(),
      items: z.array(
        z.object({
          id: Id,
          kind: z.enum(operationKinds),
          state: z.enum(operationStates),
          /** Of an import: the name of the file. */
          subject: z.nullable(z.string()),
          total: z.number(),
          done: z.number(),
          createdAt: Instant,
          organizationId: z.nullable(Id),
          organizationName: z.nullable(z.string()),
        }),
      ),
    }),
    videos: Work({
      id: Id,
      title: z.string(),
      /** 0 to 1 of the present step. */
      progress: z.number(),
      createdAt: Instant,
    }),
  }),
  cacheSeconds: 2,
})

export const readDashboardAlerts = endpoint({
  name: 'readDashboardAlerts',
  method: 'GET',
  path: '/dashboard/attention',
  summary: 'What needs attention, the most urgent first, with what the caller has hidden for a while',
  access: only(everyRole, 'reports:read'),
  readsMuch: true,
  query: OrganizationQuery,
  reply: z.object({ items: z.array(Alerts) }),
  cacheSeconds: 10,
})

/** The most that a dashboard names: trainings, and people of each. */
export const mostLate = { trainings: 5, people: 4 }

export const LatePerson = z.object({
  id: Id,
  name: z.string(),
  /** The day by which it was due. */
  dueAt: Instant,
  /** Watched parts of the video, in milliseconds; null where the organization records only completions. */
  coverage: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
  /** Null: nothing is known of how the video was watched. */
  durationMs: z.nullable(z.number()),
  /** Why it is not done; null: it is told of nobody, or nothing is owed by now. */
  lacks: z.nullable(z.enum(lacking)),
})

export const LateTraining = z.object({
  /** Of the video. */
  id: Id,
  title: z.string(),
  ...Owner,
  /** How many are late with it. */
  late: z.number(),
  /** The first day of theirs that has passed. */
  dueAt: Instant,
  /** Since when another version plays of which something is to be watched anew; null: none has taken its place. */
  replacedAt: z.nullable(Instant),
  /** Who has been late for longest. */
  people: z.array(LatePerson),
})
export type LateTraining = z.infer<typeof LateTraining>

export const readDashboardLate = endpoint({
  name: 'readDashboardLate',
  method: 'GET',
  path: '/dashboard/late',
  summary:
    'Who is late with which training, those first with which most are; a groupadmin sees the members of their groups',
  access: only(everyRole, 'evidence:read'),
  readsMuch: true,
  query: OrganizationQuery,
  reply: z.object({
    /** Each counts once, however many trainings it is. */
    people: z.number(),
    trainings: z.number(),
    items: z.array(LateTraining),
  }),
  cacheSeconds: 10,
})

export const FailedMail = z.object({
  id: Id,
  to: z.string(),
  subject: z.string(),
  /** What the mail server answered, or why it was not reached. */
  error: z.nullable(z.string()),
  createdAt: Instant,
  ...Owner,
})
export type FailedMail = z.infer<typeof FailedMail>

export const listFailedMails = endpoint({
  name: 'listFailedMails',
  method: 'GET',
  path: '/dashboard/failed-mails',
  summary: 'Codes, notices and invitations that could not be sent in the last 24 hours, newest first',
  access: only(adminRoles, 'settings'),
  query: z.extend(PageQuery, OrganizationQuery.shape),
  reply: page(FailedMail),
  cacheSeconds: 10,
})

const KindParams = z.object({ kind: z.enum(alertKinds) })

export const hideAlert = endpoint({
  name: 'hideAlert',
  method: 'PUT',
  path: '/dashboard/attention/:kind/hidden',
  summary: 'Hide an alert from yourself for some days; it comes back sooner when there is more of it',
  access: only(everyRole, 'person'),
  params: KindParams,
  body: z.extend(OrganizationQuery, {
    days: wholeBetween(1, 30),
  }),
  reply: Nothing,
})

export const showAlert = endpoint({
  name: 'showAlert',
  method: 'DELETE',
  path: '/dashboard/attention/:kind/hidden',
  summary: 'Show an alert again that you have hidden',
  access: only(everyRole, 'person'),
  params: KindParams,
  query: OrganizationQuery,
  reply: Nothing,
})

/** From when on a part of the installation is called slow (`warning`) or broken (`failing`). */
export const healthLimits = {
  /** Of the oldest job that could begin, in seconds. */
  queueSeconds: { warning: 120, failing: 900 },
  /** Part of the disk that is free, 0 to 1. */
  diskFree: { warning: 0.15, failing: 0.05 },
  /** Of the oldest mail that could leave, in seconds. */
  mailSeconds: { warning: 300, failing: 3_600 },
  /** Of the oldest entry of the audit without a seal, in seconds. */
  auditSeconds: { warning: 300, failing: 3_600 },
  /** Of the oldest video that nobody works on, in seconds. */
  mediaSeconds: { warning: 60, failing: 600 },
  /** Answer of the database, in milliseconds. */
  databaseMs: { warning: 250, failing: 2_000 },
} as const

export const healthStates = ['ok', 'warning', 'failing'] as const
export type HealthState = (typeof healthStates)[number]
const state = z.enum(healthStates)
const Seconds = z.nullable(z.number())

export const readInstallation = endpoint({
  name: 'readInstallation',
  method: 'GET',
  path: '/dashboard/installation',
  summary: 'How the installation is: database, queue, disk, mail, audit, the media process and its boundary',
  access: only(superadminOnly, 'settings'),
  reply: z.object({
    version: z.string(),
    /** What it runs on. */
    node: z.string(),
    database: z.object({ state, version: z.string(), bytes: z.number(), answerMs: z.number() }),
    /** `oldestSeconds`: since when the first job waits that could begin; null when none does. */
    queue: z.object({
      state,
      waiting: z.number(),
      running: z.number(),
      oldestSeconds: Seconds,
      failedDay: z.number(),
    }),
    /** Of the folder with the videos; null where the system does not say. */
    disk: z.object({ state, freeBytes: z.nullable(z.number()), totalBytes: z.nullable(z.number()) }),
    mail: z.object({
      state,
      /** False: mails rest in the outbox. */
      hasServer: z.boolean(),
      waiting: z.number(),
      oldestSeconds: Seconds,
      failedDay: z.number(),
      /** Sending rates that the mail server has slowed down or shut for now. */
      slowed: z.number(),
      /** Since when it has not answered; null: it does, or nothing was tried. */
      failingSince: z.nullable(Instant),
    }),
    audit: z.object({ state, sealedAt: z.nullable(Instant), waiting: z.number(), oldestSeconds: Seconds }),
    /** `oldestSeconds`: since when a video waits although none is being worked on. */
    media: z.object({
      state,
      waiting: z.number(),
      running: z.number(),
      oldestSeconds: Seconds,
      failedDay: z.number(),
    }),
    /** Between uploaded files and everything else; a warning where this system offers none. */
    boundary: z.object({ state }),
  }),
  cacheSeconds: 5,
})
