import * as z from 'zod/mini'
import { capability, endpoint, Id, Instant, Nothing, only, page, PageQuery } from '../endpoint.ts'
import { fileFormats } from '../platform/file-formats.ts'
import { SearchText } from '../directory/organizations.ts'
import { reports } from './report-files.ts'
import { reportHeads, type ReportName } from './report-heads.ts'
import { everyRole, type Role } from '../roles.ts'
import { Email } from '../directory/users.ts'

export const reportNames = Object.keys(reportHeads) as [ReportName, ...ReportName[]]

/** Who may take a report along may have it mailed, and nobody else. */
export function mayRead(report: ReportName, role: Role): boolean {
  return reports[report].file.access.roles.includes(role)
}

/**
 * Whole days up to the one before the mail, in the time zone of the schedule. `day`: that one. `7d`, `30d`, `90d`: as many. `month`: the last calendar month
 * that was over by then; `12m`: the last twelve of them.
 */
export const schedulePeriods = ['day', '7d', '30d', '90d', 'month', '12m'] as const
export type SchedulePeriod = (typeof schedulePeriods)[number]

export const rhythms = ['daily', 'weekly', 'monthly'] as const
export type Rhythm = (typeof rhythms)[number]

/**
 * Why nothing is sent. `no_access`: its owner may not open the report any more, is disabled or gone, or the organization is switched
 * off. `not_in_sight`: what it is narrowed to is gone, or not theirs to see any more.
 */
export const pauseReasons = ['by_owner', 'by_admin', 'unsubscribed', 'no_access', 'not_in_sight'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** The most schedules of one person. */
export const mostSchedules = 20
/** The most mails that somebody may ask for in an hour, beside those that come by themselves. */
export const mostSentNow = 10
/** Further addresses of one schedule. */
export const mostAddresses = 10
/** The most mails that ask somebody at such an address, in an hour and for all schedules of one person. */
export const mostAsked = 20

/** `waiting`: whoever reads there was asked, and gets nothing yet. `ended`: they want nothing, and are not asked again. */
export const addressStates = ['waiting', 'confirmed', 'ended'] as const
export type AddressState = (typeof addressStates)[number]

/** Files larger than this are left out of a mail, which says so. */
export const mostAttachedBytes = 8_000_000

const short = z.optional(z.string().check(z.maxLength(100, 'too_long')))

/** What the address of the report says beside its days. */
export const ScheduledView = z.object({
  organizationId: z.optional(Id),
  groupId: z.optional(Id),
  projectId: z.optional(Id),
  videoId: z.optional(Id),
  transmissionId: z.optional(Id),
  q: SearchText,
  action: short,
  sort: short,
})
export type ScheduledView = z.infer<typeof ScheduledView>

const whole = (least: number, most: number) =>
  z.coerce.number().check(z.int(), z.gte(least, 'too_small'), z.lte(most, 'too_big'))

/** When a mail comes, and over which days. */
const Timing = {
  rhythm: z.enum(rhythms),
  /** For weekly ones: 1 is Monday, 7 is Sunday. */
  weekday: z._default(whole(1, 7), 1),
  /** For monthly ones; the last day in months that are shorter. */
  monthDay: z._default(whole(1, 31), 1),
  /** Of the clock in the time zone of the schedule. */
  hour: whole(0, 23),
  period: z.enum(schedulePeriods),
}
const Settings = {
  ...Timing,
  formats: z.array(z.enum(fileFormats)).check(z.maxLength(3, 'too_long')),
  /** To whom it goes beside its owner, once they have agreed; left out: as it is. */
  addresses: z.optional(z.array(Email).check(z.maxLength(mostAddresses, 'too_long'))),
}

const Days = z.object({ from: z.string(), to: z.string() })
const MaybeNamed = z.nullable(z.string())

export const ReportSchedule = z.object({
  id: Id,
  report: z.enum(reportNames),
  view: ScheduledView,
  /** Whose figures; null for all organizations together. */
  organizationId: z.nullable(Id),
  organizationName: MaybeNamed,
  /** What it is narrowed to, by name, as far as it is there and in sight of the caller. */
  subjects: z.object({
    group: MaybeNamed,
    project: MaybeNamed,
    video: MaybeNamed,
    transmission: MaybeNamed,
  }),
  rhythm: z.enum(rhythms),
  weekday: z.number(),
  monthDay: z.number(),
  hour: z.number(),
  period: z.enum(schedulePeriods),
  formats: z.array(z.enum(fileFormats)),
  /** To whom it goes beside its owner, with what the owner may see. */
  addresses: z.array(z.object({ address: z.string(), state: z.enum(addressStates) })),
  /** Of the organization whose figures these are; UTC for all of them together. */
  timeZone: z.string(),
  /** When the next one comes and over which days; null while it is paused. */
  next: z.nullable(z.object({ at: Instant, range: Days })),
  /** Null while it is active. */
  pauseReason: z.nullable(z.enum(pauseReasons)),
  lastSentAt: z.nullable(Instant),
  /** What went wrong with the last one: it could not be worked out, or the mail server did not take it. */
  fault: z.nullable(z.object({ kind: z.enum(['not_made', 'not_delivered']), at: Instant })),
  own: z.boolean(),
  ownerName: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ReportSchedule = z.infer<typeof ReportSchedule>

const OneSchedule = z.object({ scheduleId: Id })

export const listReportSchedules = endpoint({
  name: 'listReportSchedules',
  method: 'GET',
  path: '/report-schedules',
  summary: 'Reports that are sent by mail: your own, or as an administrator those of everybody whom you see',
  access: only(everyRole, 'person'),
  query: z.extend(PageQuery, { of: z._default(z.enum(['me', 'others']), 'me') }),
  reply: page(ReportSchedule),
  cacheSeconds: 5,
})

export const readReportSchedule = endpoint({
  name: 'readReportSchedule',
  method: 'GET',
  path: '/report-schedules/:scheduleId',
  summary: 'One schedule of a report',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  reply: ReportSchedule,
  cacheSeconds: 5,
})

export const planReportSchedule = endpoint({
  name: 'planReportSchedule',
  method: 'GET',
  path: '/report-schedules/plan',
  summary: 'When the first mail of a planned schedule would come, and over which days',
  access: only(everyRole, 'person'),
  query: z.object({ ...Timing, organizationId: z.optional(Id) }),
  reply: z.object({ organizationName: MaybeNamed, timeZone: z.string(), at: Instant, range: Days }),
  cacheSeconds: 60,
})

export const createReportSchedule = endpoint({
  name: 'createReportSchedule',
  method: 'POST',
  path: '/report-schedules',
  summary: 'Have a report mailed to yourself regularly',
  access: only(everyRole, 'person'),
  body: z.object({ report: z.enum(reportNames), view: ScheduledView, ...Settings }),
  reply: ReportSchedule,
  status: 201,
  idempotent: true,
})

export const updateReportSchedule = endpoint({
  name: 'updateReportSchedule',
  method: 'PUT',
  path: '/report-schedules/:scheduleId',
  summary: 'Change when your own schedule sends, over which days, and what is attached',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  body: z.object(Settings),
  reply: ReportSchedule,
  ifMatch: true,
})

export const deleteReportSchedule = endpoint({
  name: 'deleteReportSchedule',
  method: 'DELETE',
  path: '/report-schedules/:scheduleId',
  summary: 'Remove your own schedule of a report',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  reply: Nothing,
})

export const pauseReportSchedule = endpoint({
  name: 'pauseReportSchedule',
  method: 'POST',
  path: '/report-schedules/:scheduleId/pause',
  summary: 'Pause a schedule: your own, or as an administrator that of somebody whom you see',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  reply: ReportSchedule,
})

export const resumeReportSchedule = endpoint({
  name: 'resumeReportSchedule',
  method: 'POST',
  path: '/report-schedules/:scheduleId/resume',
  summary: 'Resume a schedule; what fell into the pause is not sent later',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  reply: ReportSchedule,
})

export const sendReportSchedule = endpoint({
  name: 'sendReportSchedule',
  method: 'POST',
  path: '/report-schedules/:scheduleId/send',
  summary: 'Send your own report now, beside those that come by themselves; ten an hour at most',
  access: only(everyRole, 'person'),
  params: OneSchedule,
  reply: z.object({ range: Days }),
  ownTransactions: true,
})

export const unsubscribeReport = endpoint({
  name: 'unsubscribeReport',
  method: 'POST',
  path: '/report-schedules/:scheduleId/unsubscribe',
  summary: 'Stop a schedule by the header of its mails, in one click of the mail program (RFC 8058)',
  access: capability,
  params: OneSchedule,
  query: z.object({ token: z.string().check(z.maxLength(100)) }),
  // Its address comes back with whatever programs on the way have appended.
  dropsUnknown: true,
  reply: Nothing,
})

const OneAddress = z.object({ addressId: Id })
const AddressToken = z.object({ token: z.string().check(z.maxLength(100)) })

/** What whoever reads at an address is asked. */
export const ReportReader = z.object({
  state: z.enum(addressStates),
  title: z.string(),
  /** Null: of all organizations together. */
  organizationName: MaybeNamed,
  ownerName: z.string(),
  ownerEmail: z.string(),
  address: z.string(),
})
export type ReportReader = z.infer<typeof ReportReader>

export const readReportReader = endpoint({
  name: 'readReportReader',
  method: 'GET',
  path: '/report-addresses/:addressId',
  summary: 'Who wants to send which report to an address, for whoever holds the link of the mail',
  access: capability,
  params: OneAddress,
  query: AddressToken,
  reply: ReportReader,
  cacheSeconds: 0,
})

export const confirmReportAddress = endpoint({
  name: 'confirmReportAddress',
  method: 'POST',
  path: '/report-addresses/:addressId/confirm',
  summary: 'Agree to get a report at an address',
  access: capability,
  params: OneAddress,
  body: AddressToken,
  reply: ReportReader,
})

export const endReportAddress = endpoint({
  name: 'endReportAddress',
  method: 'POST',
  path: '/report-addresses/:addressId/end',
  summary: 'Get a report at an address no more; also in one click of the mail program (RFC 8058)',
  access: capability,
  params: OneAddress,
  query: AddressToken,
  // Its address comes back with whatever programs on the way have appended.
  dropsUnknown: true,
  reply: Nothing,
})
