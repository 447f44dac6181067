import { formatDayOfYear } from '#contract/platform/text/format.ts'
import { formatDateTimeOfYear } from '../format.ts'
import { RelativeTime } from '../Time.tsx'

/** Of which the organization may keep nothing but the day: one of UTC, as its first millisecond, which is another day in half of the world. */
function keptDay(iso: string): string | null {
  const [day = '', time] = iso.split('T')
  return time === '00:00:00.000Z' ? day : null
}

export function keptText(iso: string): string {
  const day = keptDay(iso)
  return day === null ? formatDateTimeOfYear(iso) : formatDayOfYear(day)
}

export function KeptTime({ iso }: { iso: string }) {
  const day = keptDay(iso)
  return day === null ? <RelativeTime iso={iso} /> : <time dateTime={day}>{formatDayOfYear(day)}</time>
}
