import { organizationPace, trackLimits } from '#contract/tracking/track-limits.ts'
import { pacer } from '#server/tracking/ingest/pace.ts'

/** Limits one session to a batch every two and a half seconds on average, and ten in a row. */
export const sessionLimit = () =>
  // It is twice as often as the usual heartbeat, so that somebody who pauses and seeks a lot is not refused.
  pacer({ burst: 10, everyMs: trackLimits.heartbeat.usual / 2 })

/** Limits all sessions of one organization together, so that a rush on one does not take the server from the others. */
export const organizationLimit = () =>
  pacer({ burst: organizationPace.burst, everyMs: 1_000 / organizationPace.perSecond })

/** One process takes this number of batches a second at the usual heartbeat. Above it, clients are asked to report less often. */
const comfortable = 500

/** Returns the milliseconds until the next heartbeat for a load in batches per second. */
export function heartbeatFor(perSecond: number): number {
  const { usual, most } = trackLimits.heartbeat
  return Math.round(Math.min(most, usual * Math.max(1, perSecond / comfortable)))
}

/** Counts arrivals, and returns their rate over the last five to ten seconds. */
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
