import { describe, expect, it } from 'vitest'
import type { Ranges } from '#server/platform/db/multirange.ts'
import { chance, type Chance } from '#server/testing/viewing/viewers.ts'
import { creditViewer, lengthOf, unionOf, type SessionFacts, type SpanFacts } from './credit.ts'

/** A stretch as it really was: its wall time at the server's clock, and the media time that was played in it. */
type Stretch = { device: number; at: number; wall: number; start: number; end: number; rate: number }

const durationMs = 120_000
/** Media milliseconds that a millisecond of the clock shows at most. */
const fastest = 2

/** Somebody plays the same video on two devices, in turns and at once, for two minutes. */
function history(luck: Chance, aheadMs: number): Stretch[] {
  return [0, 1].flatMap((device) => {
    const found: Stretch[] = []
    let at = luck.between(500, 20_000)
    while (at < 110_000) {
      const rate = luck.pick([50, 100, 100, 200])
      const wall = 2 * luck.between(100, 10_000)
      const start = luck.between(0, 90_000)
      const end = start + (wall * rate) / 100 + luck.between(0, aheadMs)
      found.push({ device, at, wall, start, end, rate })
      at += wall + luck.pick([0, luck.between(1, 9_000)])
    }
    return found
  })
}

/** What the server knows of it when each report took `delays` of its device to arrive. */
function factsOf(stretches: Stretch[], delays: readonly [number, number]): SessionFacts[] {
  return delays.map((delay, device) => ({
    id: `device ${device}`,
    startedAt: 0,
    zeroAt: delay,
    durationMs,
    maxRate: 200,
    spans: stretches
      .filter((one) => one.device === device)
      .map(({ at, wall, start, end, rate }, i): SpanFacts => {
        return { i, startMs: start, endMs: end, wallMs: wall, rate, flags: 0, beganMs: at, seenMs: 200_000 }
      }),
  }))
}

/**
 * By looking at every millisecond of media time: it counts when, at the instant at which it was shown, no other stretch was running
 * that had begun before. Shares no line with what it proves.
 */
function bruteForce(stretches: Stretch[]): Ranges {
  const seen = new Uint8Array(durationMs)
  const before = (a: Stretch, b: Stretch) => a.at < b.at || (a.at === b.at && a.device < b.device)
  for (const one of stretches) {
    const earlier = stretches.filter((other) => other !== one && before(other, one))
    for (let media = one.start; media < one.end; media++) {
      const shown = one.at + ((media - one.start) * 100) / one.rate
      if (!earlier.some(({ at, wall }) => at <= shown && shown < at + wall)) seen[media] = 1
    }
  }
  const ranges: Ranges = []
  for (const [media, is] of seen.entries()) if (is === 1) ranges.push([media, media + 1])
  return unionOf(ranges)
}

function credited(stretches: Stretch[], delays: readonly [number, number]): Ranges {
  const credits = creditViewer(factsOf(stretches, delays))
  return unionOf([...credits.values()].flatMap(({ coverage }) => coverage))
}

/** Times at which a device goes on while, or just after, the other one played. */
const turns = (stretches: Stretch[]) =>
  stretches.filter((one) =>
    stretches.some(
      ({ device, at, wall }) => device !== one.device && at <= one.at && one.at <= at + wall + 100,
    ),
  ).length

describe('two devices of one viewer at once', () => {
  it('are credited to the millisecond as brute force says, where the clocks are exact', () => {
    const luck = chance(20_261_122)
    let both = 0
    for (let n = 0; n < 60; n++) {
      const stretches = history(luck, 0)
      both += turns(stretches)
      expect(credited(stretches, [0, 0])).toEqual(bruteForce(stretches))
    }
    expect(both).toBeGreaterThan(100)
  })

  it('differ by no more than the picture ran ahead of the clock', () => {
    const luck = chance(7)
    const frame = 16
    let most = 0
    for (let n = 0; n < 60; n++) {
      const stretches = history(luck, frame)
      const ahead = stretches.reduce(
        (sum, { start, end, rate, wall }) => sum + ((end - start) * 100) / rate - wall,
        0,
      )
      const difference = lengthOf(credited(stretches, [0, 0])) - lengthOf(bruteForce(stretches))
      most = Math.max(most, Math.abs(difference))
      // A stretch uses up the time that its media needs, so that nobody gains by a clock that runs slow.
      expect(Math.abs(difference)).toBeLessThanOrEqual(fastest * ahead)
    }
    expect(most).toBeGreaterThan(0)
  })

  it('differ by no more than the ways of their reports do for each turn', () => {
    const luck = chance(9)
    for (let n = 0; n < 60; n++) {
      const stretches = history(luck, 0)
      const delays = [luck.between(5, 20), luck.between(5, 20)] as const
      const off = Math.abs(delays[0] - delays[1])
      const difference = lengthOf(credited(stretches, delays)) - lengthOf(bruteForce(stretches))
      expect(Math.abs(difference)).toBeLessThanOrEqual(fastest * off * (turns(stretches) + 1))
    }
  })
})
