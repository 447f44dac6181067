import type { SpanRefusal } from './track-limits.ts'
import type { JudgedPart, SourceReason, SourceState } from './certificate-format.ts'

/** How well something is founded, in the words of a certificate: on paper and on the page that verifies it. */
export const sourceStates: Record<SourceState, string> = {
  proven: 'Proven',
  likely: 'Likely',
  delivered: 'Only delivered',
  contradicted: 'Contradicted',
  none: 'Not opened',
}

export const sourceReasons: Record<SourceReason, string> = {
  handed_out: 'the server handed it out to the session that reported it',
  no_record: 'the server kept no record of handing it out',
  record_broken: 'a server was stopped abruptly meanwhile, so its record may lack parts',
  record_behind: 'its record was still being written when this was issued',
  not_handed_out: 'the server never handed it out to the session that reported it',
  beside_that: 'its session also reported parts that were never handed out to it',
  nothing_counts: 'nothing in it counts',
}

/** Milliseconds of the parts, summed up by state and reason, in the order in which they are told. */
export function sumsOf(
  parts: readonly JudgedPart[],
): (Omit<JudgedPart, 'fromMs' | 'toMs'> & { ms: number })[] {
  const sums = new Map<string, { state: SourceState; reason: SourceReason; ms: number }>()
  for (const { fromMs, toMs, state, reason } of parts) {
    const sum = sums.get(`${state} ${reason}`) ?? { state, reason, ms: 0 }
    sum.ms += toMs - fromMs
    sums.set(`${state} ${reason}`, sum)
  }
  const order = Object.keys(sourceStates)
  return [...sums.values()].toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
}

/** Why a stretch that was played does not count. */
export const refusalTexts: Record<SpanRefusal, string> = {
  range: 'outside of the video',
  rate: 'faster than allowed',
  mismatch: 'the time does not fit',
  faster: 'more than time has passed',
  hidden: 'not visible',
  concurrent: 'also in another window',
}

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
