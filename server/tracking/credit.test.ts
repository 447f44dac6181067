import { describe, expect, it } from 'vitest'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import {
  addPlay,
  chance,
  durationMs,
  sent,
  shuffled,
  viewer,
  writeLog,
  type SentBatch,
} from '#server/testing/viewing/viewers.ts'
import { completedAt } from './credit.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'
import { aServer } from '#server/testing/worlds.ts'
import { startPlay, type NewPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'

const server = await aServer()
const { query } = server
const organizationId = await server.organization()

const newPlay = () => addPlay(server, organizationId)
const now = Date.now()
const begin = (play: NewPlay) => startPlay(server.services.keys, play, now).claims
const write = (batches: SentBatch[]) => writeLog(server, batches)

async function refusals(claims: PlayClaims) {
  const found = await query<{ refused: string | null }>(
    'select refused from play_spans where session_id = $1 order by i',
    [claims.session],
  )
  return found.map(({ refused }) => refused)
}

describe('the moment of completion', () => {
  const pieces = [
    { start: 0, end: 10_000, from: 1_000, rate: 100 },
    { start: 5_000, end: 20_000, from: 20_000, rate: 200 },
    { start: 30_000, end: 40_000, from: 30_000, rate: 100 },
  ]
  it.each([
    [4_000, 5_000],
    [10_000, 11_000],
    [12_000, 23_500],
    [20_000, 27_500],
    [20_001, 30_001],
    [30_000, 40_000],
    [30_001, null],
  ])('of %i ms is at %s', (needed, at) => {
    expect(completedAt(pieces, needed)).toBe(at)
    expect(completedAt(pieces.toReversed(), needed)).toBe(at)
  })
})

/** Real time and what clocks may be off: rounding to a tenth of a second, and 0.05 % of drift. */
const atMost = (elapsedMs: number) => elapsedMs * 1.0005 + 100

describe('attacks earn nothing beyond real time', () => {
  const whole: Span = [0, 0, durationMs, durationMs, 100, 0]

  it.each<[string, { spans: Span[]; reason: string | null; most: number }]>([
    ['the whole video after ten seconds', { spans: [whole], reason: 'faster', most: 0 }],
    ['16 times the speed', { spans: [[0, 0, durationMs, 3_750, 1_600, 0]], reason: 'rate', most: 0 }],
    ['no rate at all', { spans: [[0, 0, durationMs, 1, 0, 0]], reason: 'rate', most: 0 }],
    [
      'a wall clock that does not fit',
      { spans: [[0, 0, durationMs, 5_000, 100, 0]], reason: 'mismatch', most: 0 },
    ],
    [
      'what lies behind the end',
      { spans: [[0, durationMs + 1, durationMs + 900, 899, 100, 0]], reason: 'range', most: 0 },
    ],
    ['a span that runs backwards', { spans: [[0, 9_000, 1_000, 8_000, 100, 0]], reason: 'range', most: 0 }],
    ['a hidden window', { spans: [[0, 0, 8_000, 8_000, 100, 1]], reason: 'hidden', most: 0 }],
    [
      'a hidden page with its picture in a picture',
      { spans: [[0, 0, 8_000, 8_000, 100, 5]], reason: null, most: 8_000 },
    ],
    [
      'a tail that is longer than the video',
      { spans: [[0, 55_000, durationMs + 400, 5_400, 100, 0]], reason: null, most: 5_000 },
    ],
  ])('%s', async (_what, { spans, reason, most }) => {
    const claims = begin(await newPlay())
    await write([sent(claims, { at: 10_000, spans })])
    await aggregateOnce(server.services.db)
    expect(await refusals(claims)).toEqual([reason])
    expect(await viewer(server, claims)).toMatchObject({ coveredMs: most, completed: null })
  })

  it('a thousand tiny spans that each use the tolerance', async () => {
    const claims = begin(await newPlay())
    const spans = Array.from({ length: 1_000 }, (_, i): Span => [
      i,
      (i * 750) % 59_000,
      ((i * 750) % 59_000) + 751,
      1,
      100,
      0,
    ])
    const batches = Array.from({ length: 16 }, (_, n) =>
      sent(claims, { at: 10_000, batch: n, spans: spans.slice(n * 64, n * 64 + 64) }),
    )
    await write(batches)
    await aggregateOnce(server.services.db)
    expect((await viewer(server, claims)).coveredMs).toBeLessThanOrEqual(atMost(10_000))
  })

  it('forged spans that grow again and again', async () => {
    const claims = begin(await newPlay())
    for (let n = 1; n <= 6; n++)
      await write([
        sent(claims, { at: n * 1_000, batch: n, spans: [[0, 0, n * 10_000, n * 10_000, 100, 0]] }),
      ])
    await aggregateOnce(server.services.db)
    expect((await viewer(server, claims)).coveredMs).toBe(0)
  })

  it('ten windows at once, each with another part, whatever clock they claim', async () => {
    for (const elapsedMs of [12_000, 0, 2 ** 39]) {
      const play = await newPlay()
      const tabs = Array.from({ length: 10 }, () => begin(play))
      await write(
        tabs.map((claims, n) =>
          sent(claims, {
            at: 12_000,
            elapsedMs,
            spans: [[0, n * 6_000, n * 6_000 + 6_000, 6_000, 100, 0]],
            events: [[0, 'play', n * 100, 0, { span: 0 }]],
          }),
        ),
      )
      await aggregateOnce(server.services.db)
      const [first] = tabs
      if (!first) throw new Error('no tab')
      const { coveredMs } = await viewer(server, first)
      expect(coveredMs).toBeGreaterThanOrEqual(6_000)
      expect(coveredMs).toBeLessThanOrEqual(atMost(12_000))
    }
  })

  it('two windows with the same video: the same time counts once, and the session says so', async () => {
    const play = await newPlay()
    const [first, second] = [begin(play), begin(play)]
    await write([
      sent(first, { at: 10_000, spans: [[0, 0, 10_000, 10_000, 100, 0]] }),
      sent(second, { at: 14_000, spans: [[0, 30_000, 40_000, 10_000, 100, 0]] }),
    ])
    await aggregateOnce(server.services.db)
    expect((await viewer(server, first)).coverage).toEqual([
      [0, 10_000],
      [36_000, 40_000],
    ])
    const flags = await query<{ flags: number }>(
      'select flags from play_sessions where viewer_key = $1 and flags & $2 <> 0',
      [first.viewerKey, sessionFlags.concurrent],
    )
    expect(flags).toHaveLength(1)
  })

  it('random forgeries never gain more than real time at the fastest rate', async () => {
    const luck = chance(7)
    const plays = await Promise.all(Array.from({ length: 40 }, () => newPlay()))
    const elapsed = 9_000
    const batches = plays.flatMap((play) =>
      Array.from({ length: luck.between(1, 6) }, () => begin(play)).flatMap((claims) =>
        Array.from({ length: luck.between(1, 8) }, (_, batch) => {
          const spans = Array.from({ length: luck.between(0, 20) }, (): Span => {
            const start = luck.between(0, durationMs)
            const wall = luck.pick([luck.between(0, 5_000), luck.between(0, 90_000)])
            const rate = luck.pick([25, 100, 200, 200, 400, 9_999])
            const length = luck.pick([Math.round((wall * rate) / 100), luck.between(0, durationMs)])
            return [luck.between(0, 30), start, start + length, wall, rate, luck.pick([0, 0, 1, 4])]
          })
          const t = luck.pick([0, elapsed, luck.between(0, 2 ** 39)])
          return sent(claims, { at: luck.between(1, elapsed), elapsedMs: t, batch, spans })
        }),
      ),
    )
    await write(shuffled(luck, batches))
    await aggregateOnce(server.services.db)
    for (const play of plays) {
      const { coveredMs } = await viewer(server, begin(play))
      expect(coveredMs).toBeLessThanOrEqual(atMost(elapsed) * 2)
    }
  })
})
