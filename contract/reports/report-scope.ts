import * as z from 'zod/mini'
import { endpoint, Id, only, PageQuery } from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { Quality } from '../tracking/quality.ts'
import { everyRole } from '../roles.ts'

/** Days up to and with today (UTC); `12m` is this month and the eleven before it. */
export const reportPeriods = ['7d', '30d', '90d', '12m'] as const
export type ReportPeriod = (typeof reportPeriods)[number]

/** ISO date, a day of UTC. */
export const ReportDay = z.iso.date().check(z.regex(/^2/))
/** A range that somebody chooses may be no longer than these months. */
export const longestRangeMonths = 24

/** What a report may be narrowed to, beside an organization. */
export const reportSubjects = ['group', 'project', 'video', 'transmission'] as const
export type ReportSubject = (typeof reportSubjects)[number]

/**
 * Which figures. Without an organization a superadmin sees all of them together, and everybody else their own. Given `from`, the
 * days from there to `to` (today, when it is missing) are meant, whatever the period says.
 */
export const ReportQuery = z.object({
  period: z._default(z.enum(reportPeriods), '30d'),
  from: z.optional(ReportDay),
  to: z.optional(ReportDay),
  organizationId: z.optional(Id),
  /** People who are in this group now. */
  groupId: z.optional(Id),
  /** Videos of this project and of those within it. */
  projectId: z.optional(Id),
  videoId: z.optional(Id),
  /** This transmission: its messages, its recipients, and its video. */
  transmissionId: z.optional(Id),
})
export const ReportListQuery = z.extend(PageQuery, ReportQuery.shape)

/** What a file has no use for. */
export const withoutPaging = { offset: true, limit: true, after: true } as const

export const ReportOwner = { organizationId: Id, organizationName: z.string() }

/** Both days included. */
const Days = z.object({ from: z.string(), to: z.string() })
const Named = z.nullable(z.object({ id: Id, name: z.string() }))

export const ReportSubjects = z.object({ group: Named, project: Named, video: Named, transmission: Named })
export const ReportRange = z.extend(Days, { unit: z.enum(['day', 'month']), before: Days })

export const ReportHead = {
  /** Whose figures these are; null for all organizations together. */
  organization: Named,
  /** What they are narrowed to, by name. */
  subjects: ReportSubjects,
  /** `before`: as many days as the period has, right before it; for `12m` the same days a year earlier. */
  range: ReportRange,
  /** Of all viewing of the period in the organization, or with the video. Null where the organization records only completions. */
  quality: z.nullable(Quality),
  /** What has changed since this instant is not in the figures yet, and follows within seconds; null: they are as of now. */
  asOf: z.nullable(z.string()),
}

/** A count in the period and in the one before. */
export const Count = z.object({ value: z.number(), before: z.number() })
/** The same for what may have nothing to be measured by, or may not be told. */
export const Measure = z.object({ value: z.nullable(z.number()), before: z.nullable(z.number()) })
export type Measure = z.infer<typeof Measure>

/** One step of the plot: a day, or the first day of a month; oldest first, without gaps. `before`: as far into the period before. */
export const ReportStep = z.object({ day: z.string(), value: z.number(), before: z.number() })
export type ReportStep = z.infer<typeof ReportStep>
/** How a figure went. Of those that add up, the values together are the figure. */
export const ReportSteps = z.array(ReportStep)

/** The most choices of one answer. */
export const mostChoices = 50

export const listReportChoices = endpoint({
  name: 'listReportChoices',
  method: 'GET',
  path: '/reports/choices',
  summary:
    'What the reports may be narrowed to: groups, projects, videos or transmissions that the reader sees',
  access: only(everyRole, 'reports:read'),
  query: z.object({ of: z.enum(reportSubjects), organizationId: z.optional(Id), q: SearchText }),
  reply: z.object({
    items: z.array(z.object({ id: Id, name: z.string(), organizationName: z.string() })),
  }),
  cacheSeconds: 30,
})
