import type { SpanRefusal } from '#contract/track-limits.ts'

/** Media time to the millisecond: 3:10.042. */
export function exactly(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  const head = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)
  return `${head}:${two(seconds % 60)}.${String(ms % 1000).padStart(3, '0')}`
}

export const percent = (share: number) => `${(share / 100).toFixed(2)} %`

const instants = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })
/** What an unknown certificate calls an instant may be anything. */
export function instant(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : instants.format(date)
}

export const refusals: Record<SpanRefusal, string> = {
  range: 'outside of the video',
  rate: 'faster than allowed',
  mismatch: 'the time does not fit',
  faster: 'more than time has passed',
  hidden: 'not visible',
  concurrent: 'also in another window',
}
