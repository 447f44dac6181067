import { isIPv6 } from 'node:net'
import { trackLimits } from '#contract/track-limits.ts'
import { untilRoom, withOneMore, type Slice } from '#server/platform/http/windows.ts'
import { pacer } from '#server/tracking/pace.ts'

/** Limits are kept per process: they shed load, the evidence itself does not rest on them. */
const most = 50_000

/** For one session: a batch every two and a half seconds on average, ten in a row. */
export const sessionLimit = () =>
  // Twice the usual heartbeat, so that somebody who pauses and seeks a lot is not refused.
  pacer({ burst: 10, everyMs: trackLimits.heartbeat.usual / 2 })

/** For all sessions of one organization together, so that a rush on one does not take the server from the others. */
export const organizationLimit = ({ perSecond, burst } = trackLimits.organization) =>
  pacer({ burst, everyMs: 1_000 / perSecond })

const windows = [
  { ms: 60_000, limit: 30 },
  { ms: 3_600_000, limit: 300 },
] as const

/** New sessions of visitors per video and network: 30 in any minute and 300 in any hour. Gives the seconds to wait, 0 when allowed. */
export function visitorLimit(): (key: { videoId: string; ip: string }, now: number) => number {
  const counts = new Map<string, Slice[]>()
  return ({ videoId, ip }, now) => {
    const place = `${videoId} ${networkOf(ip)}`
    const all = windows.map(({ ms, limit }) => {
      const key = `${place} ${ms}`
      const slices = counts.get(key) ?? []
      const wait = Math.ceil(untilRoom(slices, { length: ms, most: limit }, now) / 1000)
      return { key, ms, slices, wait }
    })
    const wait = Math.max(...all.map((one) => one.wait))
    for (const { key, ms, slices } of all) {
      counts.delete(key)
      counts.set(key, wait > 0 ? slices : withOneMore(slices, ms, now))
    }
    forget(counts)
    return wait
  }
}

/** /24 of an IPv4 address, /48 of an IPv6 address. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain.split('.').slice(0, 3).join('.')
  const [head = '', tail] = plain.split('::')
  const front = head.split(':').filter((part) => part !== '')
  const back = tail === undefined ? [] : tail.split(':').filter((part) => part !== '')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back].slice(0, 3).join(':').toLowerCase()
}

function forget(map: Map<string, unknown>): void {
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    if (map.size <= most * 0.9) return
  }
}

/** Batches a second that one process takes at the usual heartbeat; above, clients are asked to report less often. */
const comfortable = 500

/** Milliseconds until the next heartbeat for a load in batches per second. */
export function heartbeatFor(perSecond: number): number {
  const { usual, most: longest } = trackLimits.heartbeat
  return Math.round(Math.min(longest, usual * Math.max(1, perSecond / comfortable)))
}

/** Counts arrivals and tells the rate over the last five to ten seconds. */
export function loadMeter(): (now: number) => number {
  const span = 5_000
  let began = 0
  let n = 0
  let previous = 0
  return (now) => {
    const passed = now - began
    // A clock that was set back begins anew.
    if (passed >= span || passed < 0) {
      previous = passed > 0 && passed < 2 * span ? (n * 1000) / passed : 0
      began = now
      n = 0
    }
    n += 1
    return Math.max(previous, (n * 1000) / span)
  }
}
