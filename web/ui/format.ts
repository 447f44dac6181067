import { formatClock } from '#contract/platform/text/format.ts'
import { language } from '#contract/platform/text/language.ts'

export {
  dash,
  formatBytes,
  formatClock,
  formatDay,
  formatDuration,
  formatNumber,
  formatRuntime,
  formatReached,
  formatShare,
  formatWatched,
  notShown,
  plural,
} from '#contract/platform/text/format.ts'
import { firstSign } from '#contract/platform/text/text.ts'

const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const thisYear = { month: 'short', day: 'numeric' } as const
const dateOfThisYear = new Intl.DateTimeFormat(language, thisYear)
const dateTimeOfThisYear = new Intl.DateTimeFormat(language, {
  ...thisYear,
  hour: 'numeric',
  minute: '2-digit',
})
/** Never “yesterday” or “last week”: that is of the calendar, and what is told is how much time has passed. */
const relative = new Intl.RelativeTimeFormat(language)

const isOfThisYear = (at: Date) => at.getFullYear() === new Date().getFullYear()

/** Nov 20, and with its year where that is another than now. */
export function formatDate(iso: string): string {
  const at = new Date(iso)
  return (isOfThisYear(at) ? dateOfThisYear : date).format(at)
}
/** The same with the time: Nov 20, 4:45 PM. */
export function formatDateTime(iso: string | number): string {
  const at = new Date(iso)
  return (isOfThisYear(at) ? dateTimeOfThisYear : dateTime).format(at)
}
/** The same with its year always, for paper and what is kept and read later: Nov 20, 2026, 4:45 PM. */
export const formatDateTimeOfYear = (iso: string): string => dateTime.format(new Date(iso))
/** Milliseconds since 1970. */
export const formatTime = (at: number): string => time.format(at)
/** The time of an instant of today, else with its day. */
export function formatMoment(at: string | number): string {
  const moment = new Date(at)
  return moment.toDateString() === new Date().toDateString() ? time.format(moment) : formatDateTime(at)
}
const hundredth = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })
const thousandth = new Intl.NumberFormat(language, { minimumFractionDigits: 3, maximumFractionDigits: 3 })

/** A moment of a video to a tenth of a second, where it is no full one: 3:07, 3:07.4. */
export function formatPosition(ms: number): string {
  const tenths = Math.round(ms / 100)
  const tenth = tenths % 10
  return formatClock(tenths * 100) + (tenth === 0 ? '' : `.${tenth}`)
}

/** "3:10 to 3:22 (12 s)". */
export function formatPart([start, end]: readonly [number, number]): string {
  return `${formatPosition(start)} to ${formatPosition(end)} (${formatLength(end - start)})`
}

/** Of whole seconds, the last one with its end: 0:41, or 0:38 to 0:52. */
export function formatStretch({ from, to }: { from: number; to: number }): string {
  const start = formatClock(from * 1_000)
  return to - from === 1 ? start : `${start} to ${formatClock(to * 1_000)}`
}

/** How long a part is: 0.4 s, 12 s, 2 min 5 s, 1 h 2 min 5 s. */
export function formatLength(ms: number): string {
  if (ms < 59_950) return `${ms < 100 ? hundredth.format(ms / 1_000) : oneDigit.format(ms / 1_000)} s`
  const seconds = Math.round(ms / 1_000)
  const parts = [
    [Math.floor(seconds / 3_600), /* text */ 'h'],
    [Math.floor(seconds / 60) % 60, /* text */ 'min'],
    [seconds % 60, /* text */ 's'],
  ] as const
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : `${count} ${unit}`)).join(' ')
}

/** Seconds to the millisecond, for arithmetic that must come out even: 149.500 s. */
export const formatSeconds = (ms: number): string => `${thousandth.format(ms / 1_000)} s`

const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "3 minutes ago", and the day where that is more than a week away; `now` in milliseconds. */
export function formatRelative(iso: string, now: number): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1_000)
  if (Math.abs(seconds) >= 7 * 86_400) return formatDate(iso)
  const span = spans.find(([, length]) => Math.abs(seconds) >= length)
  return span ? relative.format(Math.trunc(seconds / span[1]), span[0]) : 'just now'
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => firstSign(word ?? ''))
  return letters.join('').toUpperCase() || '?'
}

/** Between two facts in one line: no line begins with it. */
export const dot = '\u00A0· '
