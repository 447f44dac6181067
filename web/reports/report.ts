import * as z from 'zod/mini'
import { longestRangeMonths, reportPeriods, type ReportPeriod } from '#contract/reports/report-scope.ts'
import { listParts } from '#web/lists/search.ts'
import { tables, type Density, type PageSize } from '#web/ui/table/choice.ts'

const idOrNone = z.catch(z.union([z.uuid(), z.literal('')]), '')
const dayOrNone = z.catch(z.union([z.iso.date().check(z.regex(/^2/)), z.literal('')]), '')

const { rows, density, cols, view } = listParts

/** What every report has in its address. */
export const reportFields = {
  period: z.catch(z.enum(reportPeriods), '30d'),
  /** Given, the days from there to `to` are meant, whatever the period says. */
  from: dayOrNone,
  to: dayOrNone,
  organization: idOrNone,
  group: idOrNone,
  project: idOrNone,
  video: idOrNone,
  transmission: idOrNone,
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
  // How its table looks, and the saved view that the reader came by.
  rows,
  density,
  cols,
  view,
}

/** Which page of its table, in the words of the API. */
export function pageOf({ offset, rows: chosen }: { offset: number; rows?: PageSize | undefined }) {
  return { offset, limit: chosen ?? tables.rows() }
}

/** A search for digits arrives as a number. */
export const searchText = z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), '')

export type ReportState = {
  period: ReportPeriod
  from: string
  to: string
  organization: string
  group: string
  project: string
  video: string
  transmission: string
}

type TableState = { offset: number; density?: Density | undefined; cols?: string | undefined }
type TablePatch = Partial<TableState & { rows: PageSize | undefined }>
/** What the address says of the table of a report, and its change. */
export type ReportTable = readonly [TableState, (patch: TablePatch) => void]

/** What decides on the rows of a table alone, where a report has it. */
export type RowChoice = { q?: string; action?: string; sort?: string }

/** Days that somebody wrote into the address and that no report can show: the last before the first, or too far apart. */
export function isImpossible({ from, to }: { from: string; to: string }): boolean {
  if (from === '') return to !== ''
  const last = to === '' ? new Date().toISOString().slice(0, 10) : to
  const farthest = new Date(`${from}T00:00:00Z`)
  farthest.setUTCMonth(farthest.getUTCMonth() + longestRangeMonths)
  return last < from || last >= farthest.toISOString().slice(0, 10)
}

/** The same in the words of the API; instead of days that are not possible, the period. */
export function reportQuery(state: ReportState) {
  const { from, to } = isImpossible(state) ? { from: '', to: '' } : state
  const { period, organization, group, project, video, transmission } = state
  return {
    period,
    ...(from && { from }),
    ...(from && to && { to }),
    ...(organization && { organizationId: organization }),
    ...(group && { groupId: group }),
    ...(project && { projectId: project }),
    ...(video && { videoId: video }),
    ...(transmission && { transmissionId: transmission }),
  }
}

export const noSubjects = { group: '', project: '', video: '', transmission: '' }

export const isNarrowed = ({ group, project, video, transmission }: ReportState): boolean =>
  [group, project, video, transmission].some((id) => id !== '')

/** A report can look further back than it does; a range of days was chosen on purpose. */
export function longer({ period, from }: ReportState): Partial<ReportState> | undefined {
  return period === '12m' && from === '' ? undefined : { period: '12m', from: '', to: '' }
}

export const periodLabels: Record<ReportPeriod, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
}
