import { describe, expect, it } from 'vitest'
import { trackLimits } from '#contract/tracking/track-limits.ts'
import { networkOf } from '#server/platform/http/address.ts'
import { heartbeatFor, loadMeter, sessionLimit } from './limits.ts'

describe('limits', () => {
  it.each([
    ['203.0.113.77', '203.0.113'],
    ['::ffff:203.0.113.9', '203.0.113'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['::1', '0:0:0'],
    ['2001::db8:3:4:5:6:7', '2001:0:db8'],
  ])('know the network of %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })

  it('let a session report at twice the usual heartbeat for ever', () => {
    const limit = sessionLimit()
    for (let n = 0; n < 500; n++) expect(limit('session', n * (trackLimits.heartbeat.usual / 2))).toBe(0)
  })

  it('refuse what comes faster, and say how long to wait', () => {
    const limit = sessionLimit()
    const answers = Array.from({ length: 11 }, () => limit('session', 0))
    expect(answers.filter((wait) => wait === 0)).toHaveLength(10)
    expect(limit('session', (answers[10] ?? 0) * 1000)).toBe(0)
  })

  it('refuse nobody longer because a clock was set back', () => {
    const [session, load] = [sessionLimit(), loadMeter()]
    for (let n = 0; n < 5; n++) session('session', 30 * 60_000)
    for (let n = 0; n < 5_000; n++) load(30 * 60_000)
    const back = 20 * 60_000
    for (let n = 0; n < 5; n++) expect(session('session', back)).toBe(0)
    for (let s = 0; s < 20; s++) load(back + s * 1_000)
    expect(load(back + 20_000)).toBeLessThan(10)
  })

  it('ask for fewer reports under load', () => {
    expect([0, 500, 1_000, 3_000, 1e6].map(heartbeatFor)).toEqual([5_000, 5_000, 10_000, 30_000, 60_000])
    const load = loadMeter()
    let rate = 0
    for (let ms = 0; ms < 20_000; ms += 1) rate = load(ms)
    expect(rate).toBeGreaterThan(900)
    expect(rate).toBeLessThan(1_100)
    expect(load(60_000)).toBeLessThan(10)
  })
})
