import { zoneText } from '#contract/platform/text/time-zones.ts'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { language } from '#contract/platform/text/language.ts'
import type {
  AddressState,
  PauseReason,
  ReportSchedule,
  Rhythm,
  SchedulePeriod,
} from '#contract/reports/report-schedules.ts'
import { spanText } from '#contract/reports/report-labels.ts'

export const rhythmNames: Record<Rhythm, string> = {
  daily: 'Every day',
  weekly: 'Every week',
  monthly: 'Every month',
}

export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export const periodNames: Record<SchedulePeriod, string> = {
  day: 'The day before',
  '7d': 'The last 7 days',
  '30d': 'The last 30 days',
  '90d': 'The last 90 days',
  month: 'The last calendar month',
  '12m': 'The last 12 calendar months',
}

/** The same within a line. */
export const periodLabels: Record<SchedulePeriod, string> = {
  day: '1 day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  month: 'last month',
  '12m': 'last 12 months',
}

/** What suits a rhythm, so that no day is left out and none comes twice. */
export const periodFor: Record<Rhythm, SchedulePeriod> = { daily: 'day', weekly: '7d', monthly: 'month' }

export const formatNames: Record<FileFormat, string> = { csv: 'CSV', xlsx: 'Excel', pdf: 'PDF' }

export const hourName = (hour: number) => `${String(hour).padStart(2, '0')}:00`
export const monthDayName = (day: number) => (day < 29 ? `Day ${day}` : `Day ${day}, or the last one`)

/** "Mondays at 07:00". */
export function rhythmText({ rhythm, weekday, monthDay, hour }: ReportSchedule): string {
  if (rhythm === 'daily') return `Daily at ${hourName(hour)}`
  if (rhythm === 'weekly') return `${weekdayNames[weekday - 1]}s at ${hourName(hour)}`
  return `Monthly on day ${monthDay} at ${hourName(hour)}`
}

/** "Monday, November 23, 2026 at 7:00 AM, Central European Time (Berlin)", by the clocks there. */
export function momentText(iso: string, timeZone: string): string {
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone })
  return `${moment.format(new Date(iso))}, ${zoneText(timeZone)}`
}

/** "Mon, Nov 23, 7:00 AM", by the clocks there. */
export function shortMoment(iso: string, timeZone: string): string {
  const parts = {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  } as const
  return new Intl.DateTimeFormat(language, { ...parts, timeZone }).format(new Date(iso))
}

type Coming = { at: string; range: { from: string; to: string } }

/** Exactly when the next mail comes, and over which days. */
export function comingText({ at, range }: Coming, timeZone: string): string {
  return `The next one comes on ${momentText(at, timeZone)}, over ${spanText(range)}.`
}

/** Whose clock it is. */
export function clockText({
  organizationName,
  timeZone,
}: Pick<ReportSchedule, 'organizationName' | 'timeZone'>) {
  const zone = zoneText(timeZone)
  return organizationName === null
    ? `Days and hours are in ${zone}, because it is about all organizations.`
    : `Days and hours are those of ${organizationName}: ${zone}.`
}

export const addressStateLabels: Record<AddressState, string> = {
  waiting: 'Waiting',
  confirmed: 'Confirmed',
  ended: 'Ended',
}

/** "Also to 2 (1 waiting)": those who may still get it; empty where there are none. */
export function readersText({ addresses }: Pick<ReportSchedule, 'addresses'>): string {
  const open = addresses.filter(({ state }) => state !== 'ended').length
  const waiting = addresses.filter(({ state }) => state === 'waiting').length
  if (open === 0) return ''
  return waiting === 0 ? `Also to ${open}` : `Also to ${open} (${waiting} waiting)`
}

export const stateLabels: Record<PauseReason, string> = {
  by_owner: 'Paused',
  by_admin: 'Stopped',
  unsubscribed: 'Unsubscribed',
  no_access: 'Stopped',
  not_in_sight: 'Stopped',
}

/** Why nothing is sent, where nobody in the list has decided so. */
const reasonLabels: Partial<Record<PauseReason, string>> = {
  by_admin: 'An administrator stopped these mails.',
  unsubscribed: 'They were stopped from the mail program.',
  no_access:
    'When one was due, this report could not be opened: the role did not allow it, the account was disabled, or the organization suspended or archived.',
  not_in_sight: 'When one was due, what it is narrowed to was gone, or out of sight.',
}

const faultLabels = {
  not_made: 'The last one could not be worked out. It is tried again.',
  not_delivered: 'The mail server did not take the last one.',
}

/** What somebody has to know about a schedule that does not run as it should; undefined where it does. */
export function troubleOf({ pauseReason, fault }: ReportSchedule): string | undefined {
  if (pauseReason !== null) return reasonLabels[pauseReason]
  return fault ? faultLabels[fault.kind] : undefined
}

/** Whose figures, and what they are narrowed to. */
export function aboutText({ organizationName, subjects, view }: ReportSchedule): string {
  const names = Object.values(subjects).filter((name) => name !== null)
  const searched = view.q ? [`“${view.q}”`] : []
  return [organizationName ?? 'All organizations', ...names, ...searched].join(', ')
}
