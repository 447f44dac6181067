import { formatDay } from './format.ts'
import { language } from './language.ts'

/** "Central European Time (Berlin)": as people call it, and a place that tells it from others of that name. */
export function zoneText(timeZone: string, locale: string = language): string {
  if (timeZone === 'UTC') return locale === language ? 'Coordinated Universal Time (UTC)' : 'UTC'
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' }).formatToParts()
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return `${name} (${timeZone.split('/').slice(1).toReversed().join(', ').replaceAll('_', ' ') || timeZone})`
}

/** 2026-12-01: the day that an instant belongs to there. */
export function dayIn(timeZone: string, iso: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(iso))
}

/** Day and time (24 hours) that a clock shows there. */
export function clockIn(timeZone: string, iso: string): { day: string; time: string } {
  const time = new Date(iso).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  return { day: dayIn(timeZone, iso), time }
}

/**
 * "November 30, 2026", where a day ends there; otherwise with the time and the time zone. Who works in the console reads "Nov 30", with the year
 * where it is another than now.
 */
export function dueText(dueAt: string, timeZone: string, locale?: string): string {
  const at = new Date(dueAt)
  const clock = at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  const day =
    locale === undefined
      ? formatDay(dayIn(timeZone, dueAt))
      : at.toLocaleDateString(locale, { timeZone, dateStyle: 'long' })
  if (clock === '23:59') return day
  const time = at.toLocaleTimeString(locale ?? language, { timeZone, hour: 'numeric', minute: '2-digit' })
  return `${day}, ${time}, ${zoneText(timeZone, locale)}`
}
