import * as z from 'zod/mini'
import { reportPeriods, type ReportPeriod } from '#contract/reports.ts'
import { formatDay, formatShare } from '#web/ui/format.ts'

/** What every report has in its address. */
export const reportFields = {
  period: z.catch(z.enum(reportPeriods), '30d'),
  organization: z.catch(z.union([z.uuid(), z.literal('')]), ''),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
}

/** A search for digits arrives as a number. */
export const searchText = z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), '')

export type ReportState = { period: ReportPeriod; organization: string }

/** The same in the words of the API. */
export function reportQuery({ period, organization }: ReportState) {
  return { period, ...(organization ? { organizationId: organization } : {}) }
}

export const periodWords: Record<ReportPeriod, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
}

/** The one sentence about time that is the same in every report. */
export const periodMeaning = {
  label: 'Period',
  value:
    'Days and months are those of UTC. The period ends now: today is its last day, and this month is the last of the twelve.',
}

const month = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** One step of the plot in words: a day, or over a year a month. */
export function stepName(period: ReportPeriod, day: string): string {
  return period === '12m' ? month.format(new Date(`${day}T00:00:00Z`)) : formatDay(day)
}

/** "62% of those sent"; nothing where there is nothing to divide by. */
export function shareOf(part: number, whole: number, of: string): string | undefined {
  return whole === 0 ? undefined : `${formatShare(part / whole)} of ${of}`
}
