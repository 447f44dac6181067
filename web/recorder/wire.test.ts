import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { spanFlags, trackLimits } from '#contract/tracking/track-limits.ts'
import type { Span, TrackBatch } from '#contract/tracking/tracks.ts'
import { fakeMedia } from './fake-media.ts'
import { createRecorder } from './recorder.ts'
import { backOff, createWire, replay, type Debt, type Spool } from './wire.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

type Reply = { status: number; headers?: Record<string, string>; code?: string }
type Network = (batch: TrackBatch, n: number) => Reply | 'lost'
const fine: Network = () => ({ status: 200 })

/** The real recorder and the real wire before a media element and a network of our own. */
function session(network: { answer: Network }) {
  const player = fakeMedia(600_000)
  const arrived: TrackBatch[] = []
  const beacons: TrackBatch[] = []
  const debts = new Map<string, Debt>()
  const spool = spoolOf(debts)
  vi.stubGlobal('fetch', fetchOver(network, arrived))
  vi.stubGlobal('navigator', {
    sendBeacon: (_url: string, body: Blob) => {
      void body.text().then((text) => beacons.push(JSON.parse(text) as TrackBatch))
      return true
    },
  })
  const recorder = createRecorder({
    media: player.media,
    now: player.now,
    onMoment: (moment) => (moment === 'resume' ? wire.wake() : wire.flush()),
  })
  const common = { playToken: 'token', recorder, spool, now: player.now }
  const onEnded = vi.fn<() => void>()
  const wire = createWire({ ...common, visible: () => true, onEnded })
  /** Media time, timers and answers go on together. */
  async function pass(ms: number) {
    for (let passed = 0; passed < ms; passed += 100) {
      player.pass(Math.min(100, ms - passed))
      await vi.advanceTimersByTimeAsync(100)
    }
  }
  /** How much of what was played the browser would lose if it were closed by force now. */
  const unkeptMs = () => (recorder.spans().at(-1)?.[2] ?? 0) - (debts.get('token')?.spans.at(-1)?.[2] ?? 0)
  return { player, recorder, wire, onEnded, arrived, beacons, debts, spool, pass, unkeptMs }
}

function spoolOf(debts: Map<string, Debt>): Spool {
  return {
    put: async (debt) => void debts.set(debt.playToken, debt),
    remove: async (playToken) => void debts.delete(playToken),
    all: async () => [...debts.values()],
  }
}

function fetchOver(network: { answer: Network }, arrived: TrackBatch[]) {
  let n = 0
  return async (_url: string, { body }: { body: Blob }) => {
    expect(body.type).toBe('text/plain')
    expect(body.size).toBeLessThanOrEqual(trackLimits.bytes)
    const batch = JSON.parse(await body.text()) as TrackBatch
    const answer = network.answer(batch, n++)
    if (answer === 'lost') throw new TypeError('Failed to fetch')
    if (answer.status === 200) arrived.push(batch)
    const { code, ...head } = answer
    return Response.json({ ack: { spans: 0, events: 0 }, next: 5_000, code }, head)
  }
}

/** What a server knows that keeps the longest form of every span. */
function merged(batches: TrackBatch[]): Span[] {
  const spans = new Map<number, Span>()
  for (const span of batches.flatMap((batch) => batch.spans))
    if (span[2] >= (spans.get(span[0])?.[2] ?? 0)) spans.set(span[0], span)
  return [...spans.values()].toSorted((a, b) => a[0] - b[0])
}

describe('the wire', () => {
  it('reports the first play at once, then at every heartbeat, and is silent when nothing is played', async () => {
    const { player, recorder, arrived, pass } = session({ answer: fine })
    await pass(30_000)
    expect(arrived).toHaveLength(0)
    player.play()
    await pass(1_000)
    expect(arrived).toHaveLength(1)
    await pass(20_000)
    expect(arrived).toHaveLength(5)
    player.pause()
    await pass(100)
    expect(arrived).toHaveLength(6)
    await pass(600_000)
    expect(arrived).toHaveLength(6)
    player.play()
    await pass(6_000)
    expect(arrived.length).toBeGreaterThanOrEqual(7)
    player.pause()
    await pass(2_000)
    expect(merged(arrived)).toEqual(recorder.spans())
    expect(arrived.map(({ batch }) => batch)).toEqual(arrived.map((_, n) => n))
  })

  it('says once that the personal link has ended, and sends nothing more', async () => {
    const network = { answer: fine }
    const { player, onEnded, arrived, pass } = session(network)
    player.play()
    await pass(6_000)
    expect(onEnded).not.toHaveBeenCalled()
    let refused = 0
    network.answer = () => {
      refused += 1
      return { status: 410, code: 'link_ended' }
    }
    const before = arrived.length
    await pass(60_000)
    expect([onEnded.mock.calls.length, refused, arrived.length]).toEqual([1, 1, before])
  })

  it('sends nothing twice that is acknowledged, and every event once', async () => {
    const { player, recorder, arrived, pass } = session({ answer: fine })
    player.play()
    for (let n = 0; n < 6; n++) {
      await pass(3_000)
      player.seek(20 + n * 10)
    }
    await pass(3_000)
    player.pause()
    await pass(3_000)
    expect(arrived.flatMap((batch) => batch.events.map(([n]) => n))).toEqual(
      recorder.events().map(([n]) => n),
    )
    const forms = arrived.flatMap((batch) => batch.spans.map(String))
    expect(new Set(forms).size).toBe(forms.length)
    expect(merged(arrived)).toEqual(recorder.spans())
  })

  it.each([1, 2, 3, 4, 5])(
    'brings all of it home over a network that loses batches and answers (%i)',
    async (seed) => {
      let state = seed
      const luck = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
      const network = { answer: fine }
      const { player, recorder, arrived, pass } = session(network)
      network.answer = (batch) => {
        if (luck() < 0.2) return 'lost'
        if (luck() < 0.1) return { status: 503 }
        if (luck() > 0.1) return { status: 200 }
        arrived.push(batch)
        return 'lost'
      }
      player.play()
      for (let n = 0; n < 25; n++) {
        await pass(500 + Math.floor(luck() * 9_000))
        if (luck() < 0.5) player.seek(luck() * 500)
        else player.stall(300)
      }
      player.pause()
      network.answer = fine
      await pass(900_000)
      expect(merged(arrived)).toEqual(recorder.spans())
      const events = new Set(arrived.flatMap((batch) => batch.events.map(([n]) => n)))
      expect(events.size).toBe(recorder.events().length)
    },
  )

  it('waits as long as it is told, keeps what it owes meanwhile, and forgets it afterwards', async () => {
    const network: { answer: Network } = { answer: () => ({ status: 429, headers: { 'retry-after': '90' } }) }
    const { player, recorder, arrived, debts, pass } = session(network)
    player.play()
    await pass(3_000)
    expect(debts.get('token')?.spans).toHaveLength(1)
    network.answer = fine
    await pass(80_000)
    expect(arrived).toHaveLength(0)
    await pass(10_000)
    player.pause()
    await pass(5_000)
    expect(merged(arrived)).toEqual(recorder.spans())
    expect(debts.size).toBe(0)
  })

  it('keeps what is played at every heartbeat and every pause, however long the server is left alone', async () => {
    const network: { answer: Network } = {
      answer: () => ({ status: 503, headers: { 'retry-after': '600' } }),
    }
    const { player, unkeptMs, pass } = session(network)
    player.play()
    for (let minute = 0; minute < 8; minute++) {
      await pass(60_000)
      expect(unkeptMs()).toBeLessThanOrEqual(trackLimits.heartbeat.usual)
    }
    player.pause()
    await vi.advanceTimersByTimeAsync(10)
    expect(unkeptMs()).toBe(0)
  })

  it.each<[string, Network | undefined]>([
    ['the first report', undefined],
    ['one after others', fine],
    ['one after a failure', () => 'lost'],
  ])('keeps what is played while the answer to %s does not come', async (_, before) => {
    const { player, unkeptMs, pass } = session({ answer: before ?? fine })
    if (before) {
      player.play()
      await pass(3_000)
      player.pause()
      await pass(100)
    }
    vi.stubGlobal('fetch', () => new Promise(() => undefined))
    player.play()
    for (let minute = 0; minute < 3; minute++) {
      await pass(60_000)
      expect(unkeptMs()).toBeLessThanOrEqual(trackLimits.heartbeat.usual)
    }
    player.pause()
    await vi.advanceTimersByTimeAsync(10)
    expect(unkeptMs()).toBe(0)
  })

  it('gives up on a token that the server does not know', async () => {
    const network: { answer: Network } = { answer: () => ({ status: 401 }) }
    const { player, arrived, debts, pass } = session(network)
    player.play()
    await pass(2_000)
    network.answer = fine
    await pass(60_000)
    expect(arrived).toHaveLength(0)
    expect(debts.size).toBe(0)
  })

  it('leaves with a beacon, once, and keeps a copy', async () => {
    const { player, recorder, wire, arrived, beacons, debts, pass } = session({ answer: fine })
    player.play()
    await pass(3_400)
    wire.leave()
    wire.leave()
    await vi.advanceTimersByTimeAsync(10)
    expect(beacons).toHaveLength(1)
    expect(merged([...arrived, ...beacons])).toEqual(recorder.spans())
    expect(debts.get('token')?.spans.at(-1)?.[2]).toBe(recorder.spans().at(-1)?.[2])
  })

  it('says good-bye when the page is closed for good, and not when it is only hidden', async () => {
    const { player, wire, arrived, beacons, pass } = session({ answer: fine })
    wire.leave(true)
    player.play()
    await pass(3_000)
    player.pause()
    await pass(3_000)
    wire.leave()
    await vi.advanceTimersByTimeAsync(10)
    expect(beacons).toEqual([])
    wire.leave(true)
    wire.leave(true)
    await vi.advanceTimersByTimeAsync(10)
    expect(beacons).toMatchObject([{ spans: [], events: [], ended: true, batch: arrived.length }])
    expect(arrived.map(({ ended }) => ended)).not.toContain(true)
  })

  it('says that the video is over when it has played to its end', async () => {
    const { player, arrived, pass } = session({ answer: fine })
    player.play()
    player.seek(595)
    await pass(7_000)
    expect(arrived.at(-1)).toMatchObject({ ended: true })
  })

  it('puts no more into a batch than it may carry', async () => {
    const network: { answer: Network } = { answer: () => 'lost' }
    const { player, recorder, arrived, pass } = session(network)
    player.play()
    for (let n = 0; n < 200; n++) {
      player.pass(40)
      player.seek(n)
    }
    player.pause()
    network.answer = fine
    await pass(60_000)
    expect(recorder.spans().length).toBeGreaterThan(150)
    expect(merged(arrived)).toEqual(recorder.spans())
  })
})

describe('a debt of an earlier visit', () => {
  const debt = (more: Partial<Debt> = {}): Debt => ({
    playToken: 'old',
    at: Date.now(),
    batch: 7,
    elapsedMs: 9_000,
    spans: Array.from({ length: 100 }, (_, i): Span => [i, i * 10, i * 10 + 10, 10, 100, 0]),
    events: [],
    ...more,
  })

  it('is handed in, marked as replayed, and forgotten', async () => {
    const arrived: TrackBatch[] = []
    vi.stubGlobal('fetch', fetchOver({ answer: fine }, arrived))
    const debts = new Map([['old', debt()]])
    await replay(spoolOf(debts), 'new')
    expect(merged(arrived)).toHaveLength(100)
    expect(arrived[0]?.spans[0]).toEqual([0, 0, 10, 10, 100, spanFlags.replayed])
    expect(arrived.map(({ batch, elapsedMs }) => [batch, elapsedMs])).toEqual([
      [7, 9_000],
      [8, 9_000],
    ])
    expect(arrived[1]).not.toHaveProperty('state')
    expect(debts.size).toBe(0)
  })

  it('says where the player stood', async () => {
    const arrived: TrackBatch[] = []
    vi.stubGlobal('fetch', fetchOver({ answer: fine }, arrived))
    await replay(spoolOf(new Map([['old', debt({ position: 4_200 })]])), 'new')
    expect(arrived.at(-1)).toMatchObject({ state: { position: 4_200, visible: false } })
  })

  it('stays while the network is away, and goes when it is too old or this very session', async () => {
    const arrived: TrackBatch[] = []
    vi.stubGlobal('fetch', fetchOver({ answer: () => 'lost' }, arrived))
    const old = debt({ playToken: 'older', at: Date.now() - 25 * 3_600_000 })
    const debts = new Map([debt(), old, debt({ playToken: 'new' })].map((one) => [one.playToken, one]))
    await replay(spoolOf(debts), 'new')
    expect([...debts.keys()]).toEqual(['old', 'new'])
  })
})

describe('backing off', () => {
  it('starts at ten seconds and doubles its reach', () => {
    expect([1, 2, 3].map((n) => [backOff(n, 0), backOff(n, 1)])).toEqual([
      [10_000, 20_000],
      [10_000, 30_000],
      [10_000, 50_000],
    ])
    expect(backOff(30, 1)).toBe(600_000)
  })
})
