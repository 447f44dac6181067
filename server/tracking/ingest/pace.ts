import { refuse } from '#server/platform/errors.ts'
import { forgetOldest } from '#server/platform/oldest.ts'

type Pace = {
  /** This number may come at once. */
  burst: number
  /** After this number of milliseconds one more may come. */
  everyMs: number
}

/** Refuses somebody who has to wait, with these seconds. */
export function requireTurn(retryAfter: number): void {
  if (retryAfter > 0) throw refuse('too_many_requests', { retryAfter })
}

const mostKeys = 50_000

/**
 * Returns the seconds to wait for one more from this key, 0 when it may come. It is kept per process, because it sheds load and does
 * nothing else.
 */
export function pacer({ burst, everyMs }: Pace): (key: string, now: number) => number {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (key, now) => {
    const bucket = buckets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / everyMs)
    const isAllowed = tokens >= 1
    // The entry is taken out and put back, so that the map stays in the order of use and forgets the longest idle first.
    buckets.delete(key)
    buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    forgetOldest(buckets, mostKeys)
    return isAllowed ? 0 : Math.ceil(((1 - tokens) * everyMs) / 1000)
  }
}
