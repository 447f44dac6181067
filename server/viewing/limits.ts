import { isIPv6 } from 'node:net'
import { trackLimits } from '#contract/track-limits.ts'
import { untilRoom } from '#server/http/windows.ts'

/** Limits are kept per process: they shed load, the evidence itself does not rest on them. */
const most = 50_000
const burst = 10
/** Twice the usual heartbeat, so that somebody who pauses and seeks a lot is not refused. */
const refillMs = trackLimits.heartbeat.usual / 2

/** Whether the next one with this key may pass, and the whole seconds to wait when it may not. */
type Limit = (key: string, now: number) => { allowed: boolean; retryAfter: number }

/** For one session: a batch every two and a half seconds on average, ten in a row. */
export function sessionLimit(): Limit {
  return steadyLimit({ burst, refillMs })
}

/** For all sessions of one organization together, so that a rush on one does not take the server from the others. */
export function organizationLimit(
  rate: { perSecond: number; burst: number } = trackLimits.organization,
): Limit {
  return steadyLimit({ burst: rate.burst, refillMs: 1_000 / rate.perSecond })
}

/** Refuses a key that comes more than `burst` times beyond the steady rate of one in `refillMs`. */
function steadyLimit({ burst, refillMs }: { burst: number; refillMs: number }): Limit {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (key, now) => {
    const bucket = buckets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
    const allowed = tokens >= 1
    // Taken out and put back, so that the map stays in the order of use and forgets the longest idle first.
    buckets.delete(key)
    buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now })
    forget(buckets)
    return { allowed, retryAfter: allowed ? 0 : Math.ceil(((1 - tokens) * refillMs) / 1000) }
  }
}

const windows = [
  { ms: 60_000, limit: 30 },
  { ms: 3_600_000, limit: 300 },
] as const

type Counted = { window: number; n: number; before: number }

/**
 * New sessions of visitors per video and network: 30 a minute and 300 an hour. Gives the seconds to wait, 0 when allowed. What the
 * window before still weighs counts as well; otherwise twice as many would fit around the moment at which a window begins.
 */
export function visitorLimit(): (key: { videoId: string; ip: string }, now: number) => number {
  const counts = new Map<string, Counted>()
  return ({ videoId, ip }, now) => {
    const place = `${videoId} ${networkOf(ip)}`
    const all = windows.map(({ ms, limit }) => {
      const key = `${place} ${ms}`
      const counted = movedTo(counts.get(key), Math.floor(now / ms))
      const wait = untilRoom({ ...counted, most: limit, length: ms, gone: now % ms })
      return { key, counted, wait: Math.max(0, Math.ceil(wait / 1000)) }
    })
    const wait = Math.max(...all.map((one) => one.wait))
    for (const { key, counted } of all) {
      counts.delete(key)
      counts.set(key, wait > 0 ? counted : { ...counted, n: counted.n + 1 })
    }
    forget(counts)
    return wait
  }
}

function movedTo(known: Counted | undefined, window: number): Counted {
  if (known?.window === window) return known
  return { window, n: 0, before: known?.window === window - 1 ? known.n : 0 }
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
    if (now - began >= span) {
      previous = now - began < 2 * span ? (n * 1000) / (now - began) : 0
      began = now
      n = 0
    }
    n += 1
    return Math.max(previous, (n * 1000) / span)
  }
}
