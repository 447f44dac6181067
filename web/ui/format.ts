/** What stands for "nothing there". */
export const dash = '–'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 })
const dateTime = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
const second = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', hourCycle: 'h23' })
const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayOfYear = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

export const formatNumber = (value: number): string => whole.format(value)
/** 0 to 1. Never rounds up to 100 %. What floating point takes away (0.57 x 100) is given back before rounding down. */
export const formatShare = (share: number): string =>
  percent.format(share < 1 ? Math.min(Math.floor(share * 100 + 1e-9) / 100, 0.99) : 1)
export const formatDate = (iso: string): string => date.format(new Date(iso))
export const formatDateTime = (iso: string): string => dateTime.format(new Date(iso))
/** Milliseconds since 1970. */
export const formatTime = (at: number): string => time.format(at)
/** The time of an instant of today, else with its day. */
export function formatMoment(at: string | number): string {
  const moment = new Date(at)
  return moment.toDateString() === new Date().toDateString() ? time.format(moment) : dateTime.format(moment)
}
/** 14:03:27, with its day where that is not today. */
export function formatSecond(iso: string): string {
  const moment = new Date(iso)
  const isToday = moment.toDateString() === new Date().toDateString()
  return isToday ? second.format(moment) : `${date.format(moment)}, ${second.format(moment)}`
}
/** A UTC day such as 2026-11-20. */
export const formatDay = (isoDay: string): string => day.format(new Date(`${isoDay.slice(0, 10)}T00:00:00Z`))
/** The same with its year: Nov 20, 2026. */
export const formatDayOfYear = (isoDay: string): string => dayOfYear.format(new Date(`${isoDay}T00:00:00Z`))
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte')
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1)
  return `${oneDigit.format(bytes / 1_000 ** power)} ${byteUnits[power]}`
}

/** 3:07 or 1:02:45, the way players show it. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [hours = 0, minutes = 0, rest = 0] = parts
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(rest).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${tail}` : tail
}

const hundredth = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const thousandth = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 })

/** A moment of a video to a tenth of a second, where it is no full one: 3:07, 3:07.4. */
export function formatPosition(ms: number): string {
  const tenths = Math.round(ms / 100)
  const rest = tenths % 10
  return formatClock(tenths * 100) + (rest === 0 ? '' : `.${rest}`)
}

/** "3:10 to 3:22 (12 s)". */
export function formatPart([start, end]: readonly [number, number]): string {
  return `${formatPosition(start)} to ${formatPosition(end)} (${formatLength(end - start)})`
}

/** How long a part is: 0.4 s, 12 s, 2 min 5 s, 1 h 2 min 5 s. */
export function formatLength(ms: number): string {
  if (ms < 59_950) return `${ms < 100 ? hundredth.format(ms / 1_000) : oneDigit.format(ms / 1_000)} s`
  const seconds = Math.round(ms / 1_000)
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : `${count} ${unit}`)).join(' ')
}

/** Seconds to the millisecond, for arithmetic that must come out even: 149.500 s. */
export const formatSeconds = (ms: number): string => `${thousandth.format(ms / 1_000)} s`

/** 42 s, 3 min, 1 h 20 min. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 100) return `${formatNumber(hours)} h`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

const spans = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "3 minutes ago"; `now` in milliseconds. */
export function formatRelative(iso: string, now: number): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1_000)
  const span = spans.find(([, length]) => Math.abs(seconds) >= length)
  return span ? relative.format(Math.trunc(seconds / span[1]), span[0]) : 'just now'
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => Array.from(word ?? '')[0] ?? '',
  )
  return letters.join('').toUpperCase() || '?'
}

/** What a figure says that the organization does not let anybody see. */
export const notShown = 'Not shown'

/** A time watched; null where it may not be told. */
export function formatWatched(ms: number | null): string {
  return ms === null ? notShown : formatDuration(ms)
}
