import type { CertificateSession } from '#contract/certificate-format.ts'
import { sourceStates } from '#contract/certificate-labels.ts'
import type { SpanRefusal } from '#contract/track-limits.ts'

/** Media time as players show it: 3:10, 1:02:03. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The same to the millisecond: 3:10.042. */
export function exactly(ms: number): string {
  return `${clock(ms)}.${String(ms % 1000).padStart(3, '0')}`
}

/** From hundredths of a percent. */
export function percent(share: number): string {
  return `${(share / 100).toFixed(2)} %`
}

const instants = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

export function instant(iso: string): string {
  return `${instants.format(new Date(iso))} UTC`
}

export const refusals: Record<SpanRefusal, string> = {
  range: 'outside of the video',
  rate: 'faster than allowed',
  mismatch: 'time does not fit',
  faster: 'more than time has passed',
  hidden: 'not visible',
  concurrent: 'also in another window',
}

/** What is to be known about a sitting beside its figures. */
export function remarksOn({
  refused,
  muted,
  capped,
  replayed,
  pictureInPicture,
  secondSource,
}: CertificateSession): string {
  const reasons = [...new Set(refused.map(({ reason }) => refusals[reason]))]
  const refusedMs = refused.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  return [
    secondSource ? sourceStates[secondSource.state].toLowerCase() : '',
    reasons.length > 0 ? `${clock(refusedMs)} not counted: ${reasons.join(', ')}` : '',
    muted ? 'muted' : '',
    pictureInPicture ? 'picture in picture' : '',
    replayed ? 'reported later' : '',
    capped ? 'too many parts' : '',
  ]
    .filter(Boolean)
    .join('; ')
}

export function rateText(rates: readonly number[]): string {
  const [slowest, fastest] = [rates[0] ?? 100, rates.at(-1) ?? 100]
  return slowest === fastest ? `${slowest / 100}×` : `${slowest / 100}–${fastest / 100}×`
}

/** What lies between the parts, within the video. */
export function gapsOf(
  parts: readonly (readonly [number, number])[],
  durationMs: number,
): [number, number][] {
  const gaps: [number, number][] = []
  let from = 0
  for (const [start, end] of parts) {
    if (start > from) gaps.push([from, Math.min(start, durationMs)])
    from = Math.max(from, end)
  }
  if (from < durationMs) gaps.push([from, durationMs])
  return gaps
}
