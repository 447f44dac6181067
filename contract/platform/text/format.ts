import { language } from './language.ts'

/** What stands for "nothing there". */
export const dash = '–'

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayOfYear = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })

export const formatNumber = (value: number): string => whole.format(value)
/** Whole percent, and nothing or everything only where it is exactly that. */
const percentOf = (share: number, rounded: (percent: number) => number): string =>
  percent.format(
    share <= 0 || share >= 1
      ? Math.min(Math.max(share, 0), 1)
      : Math.min(Math.max(rounded(share * 100), 1), 99) / 100,
  )
/** 0 to 1, to the nearest percent: 8 of 12 is 67%. */
export const formatShare = (share: number): string => percentOf(share, Math.round)
/**
 * 0 to 1, of what is compared with a mark, such as how much of a video was seen, or a score: rounded down, so that nothing says a mark
 * that was not reached. What floating point takes away (0.57 x 100) is given back before that.
 */
export const formatReached = (share: number): string => percentOf(share, (value) => Math.floor(value + 1e-9))
/** A UTC day such as 2026-11-20: Nov 20, and with its year where that is another than now. */
export function formatDay(isoDay: string): string {
  const at = new Date(`${isoDay.slice(0, 10)}T00:00:00Z`)
  return (at.getUTCFullYear() === new Date().getFullYear() ? day : dayOfYear).format(at)
}
/** The same with its year always, for what is kept and read later: Nov 20, 2026. */
export const formatDayOfYear = (isoDay: string): string => dayOfYear.format(new Date(`${isoDay}T00:00:00Z`))
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** 3:07 or 1:02:45, the way players show it. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [hours = 0, minutes = 0, inMinute = 0] = parts
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(inMinute).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${tail}` : tail
}

/** The length of a video as people say it: one of 11.99 s is 0:12 long. */
export const formatRuntime = (ms: number): string => formatClock(Math.round(ms / 1_000) * 1_000)

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

/** What a figure says that the organization does not let anybody see. */
export const notShown = 'Not shown'

/** A time watched; null where it may not be told. */
export function formatWatched(ms: number | null): string {
  return ms === null ? notShown : formatDuration(ms)
}

const byteUnits = ['bytes', /* text */ 'KB', /* text */ 'MB', /* text */ 'GB', /* text */ 'TB'] as const
const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte')
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1)
  return `${oneDigit.format(bytes / 1_000 ** power)} ${byteUnits[power]}`
}
