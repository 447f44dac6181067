import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { spanFlags } from '#contract/tracking/track-limits.ts'
import { startPlay, type NewPlay } from '#server/tracking/ingest/token.ts'
import { startTestServer, type TestServer } from '#server/testing/server.ts'
import { addVideo } from '#server/testing/viewing/viewing.ts'
import { chance, type Chance } from '#server/testing/viewing/viewers.ts'
import { aggregateOnce } from '../server/testing/viewing/aggregate.ts'
import { fakeMedia } from '#web/recorder/fake-media.ts'
import { createRecorder, type Recorder } from '#web/recorder/recorder.ts'
import { createWire, replay, type Debt, type Spool } from '#web/recorder/wire.ts'

// Time passes here as the test wants, and the database would seem to stand still.
vi.mock('#server/platform/db/pulse.ts', async (original) => ({
  ...(await original<object>()),
  feelPulse: () => ({ isThere: () => true, stop: () => undefined }),
}))

/**
 * The page's own recorder and wire before a player with a clock of its own, and the real server behind two networks: one that
 * loses, doubles and delays, and a perfect one. What is recorded must not tell the two apart.
 */
const durationMs = 300_000
const step = 100
/**
 * So far ahead is the clock of the page, as that of a browser which rounds it: more than the way of a report takes, so that both networks
 * find the same beginning of a session, which is measured at what arrives.
 */
const roundedMs = 100
let server: TestServer
let organizationId: string

beforeAll(async () => {
  // That the database is thought to be away stands in the log alone.
  server = await startTestServer({ LOG_LEVEL: 'error' })
  organizationId = await server.organization()
})
afterAll(() => server.close())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Work that takes real time, for which the clock of the test stands still. */
const pending = new Set<Promise<unknown>>()
async function real<T>(work: Promise<T>): Promise<T> {
  pending.add(work)
  try {
    return await work
  } finally {
    pending.delete(work)
  }
}
/** Turns of the event loop that the body of an answer takes to be read, with room. */
const turns = 5
async function settled(): Promise<void> {
  do {
    await Promise.allSettled(pending)
    for (let turn = 0; turn < turns; turn++) await setImmediate()
  } while (pending.size > 0)
}
/** Lets time pass from one timer to the next: while something takes real time, the clock stands still, so arrivals are exact. */
async function advance(ms: number): Promise<void> {
  const until = Date.now() + ms
  setTimeout(() => undefined, ms)
  do {
    await settled()
    await vi.advanceTimersToNextTimerAsync()
  } while (Date.now() < until)
  await settled()
}
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

type Counts = { sent: number; lost: number; doubled: number; delayed: number; answersLost: number }
type Network = { name: string; luck: Chance | null; fine: boolean; counts: Counts }

function newNetwork(name: string, luck: Chance | null): Network {
  const counts = { sent: 0, lost: 0, doubled: 0, delayed: 0, answersLost: 0 }
  return { name, luck, fine: false, counts }
}

/** A fifth of the batches is lost, a fifth comes twice, a fifth comes late and out of order, a tenth of the answers is lost. */
async function carry({ luck, fine, counts }: Network, payload: string): Promise<Response> {
  const happens = (share: number) => luck !== null && !fine && luck.next() < share
  counts.sent += 1
  if (happens(0.2)) {
    counts.lost += 1
    await sleep(300)
    throw new TypeError('Failed to fetch')
  }
  if (happens(0.2)) {
    counts.doubled += 1
    void sleep(luck?.between(100, 30_000) ?? 0).then(() => deliver(payload))
  }
  const late = happens(0.2)
  if (late) counts.delayed += 1
  await sleep(late ? (luck?.between(500, 12_000) ?? 0) : 20)
  const answer = await deliver(payload)
  await sleep(20)
  if (happens(0.1)) {
    counts.answersLost += 1
    throw new TypeError('Failed to fetch')
  }
  return new Response(answer.body, { status: answer.statusCode })
}

/** So many times, a tenth of a second apart, a batch is delivered anew where a busy machine has no database for it. */
const tries = 100
/** What the server has refused; a page takes that for a bad network, and says nothing. */
const refused: string[] = []

function deliver(payload: string) {
  const headers = { 'content-type': 'text/plain', 'user-agent': 'Firefox/140.0' }
  const once = () => server.app.inject({ method: 'POST', url: '/api/tracks', headers, payload })
  const delivered = async () => {
    let answer = await once()
    for (let n = 1; n < tries && answer.statusCode === 503; n++) {
      await pause(100)
      answer = await once()
    }
    if (answer.statusCode !== 200) refused.push(`${answer.statusCode} ${answer.body}`)
    return answer
  }
  return real(delivered())
}

/** Addresses of pages that were closed. Their timers go on here, as they would not in a browser, and must reach nobody. */
const closed = new Set<string>()
let pagesOpened = 0

/** What is sent, to be read at once: reading a true Blob takes real time, in which the clock of the test would go on. */
class Body {
  readonly content: string
  constructor(parts: readonly string[]) {
    this.content = parts.join('')
  }
}

function openNetworks(networks: Network[]): void {
  const named = (url: string) => {
    const network = networks.find(({ name }) => url.split('/')[1] === name)
    if (!network) throw new Error(`no network ${url}`)
    return network
  }
  vi.stubGlobal('Blob', Body)
  vi.stubGlobal('fetch', (url: string, { body }: { body: Body }) =>
    closed.has(url) ? new Promise(() => undefined) : carry(named(url), body.content),
  )
  vi.stubGlobal('navigator', {
    sendBeacon(url: string, { content }: Body) {
      void carry(named(url), content).catch(() => undefined)
      return true
    },
  })
}

/** What a page that was closed would still write is written no more: it is gone. */
function spoolOf(url: string, debts: Map<string, Debt>): Spool {
  return {
    put: async (debt) => void (closed.has(url) || debts.set(debt.playToken, structuredClone(debt))),
    remove: async (playToken) => void (closed.has(url) || debts.delete(playToken)),
    all: async () => [...debts.values()],
  }
}

type Visit = {
  plays: Record<'bad' | 'good', NewPlay>
  luck: Chance
  networks: Record<'bad' | 'good', Network>
}

/** One page in front of one person, recorded once and reported over both networks. */
async function visit({ plays, luck, networks }: Visit): Promise<void> {
  const player = fakeMedia(durationMs)
  const zero = player.now()
  const opened = Date.now()
  const now = () => player.now() - zero
  let hidden = false
  const recorder: Recorder = createRecorder({
    media: player.media,
    now,
    flags: () => (hidden ? spanFlags.hidden : 0),
    onMoment: (moment) => wires.forEach((wire) => (moment === 'resume' ? wire.wake() : wire.flush())),
  })
  const number = ++pagesOpened
  const pages = (['bad', 'good'] as const).map((name) => {
    const { token } = startPlay(server.services.keys, plays[name])
    const url = `/${name}/${number}`
    const debts = new Map<string, Debt>()
    return { name, token, debts, spool: spoolOf(url, debts), url }
  })
  const wires = pages.map(({ token, spool, url }) => {
    const common = { playToken: token, recorder, spool, now: () => now() + roundedMs }
    return createWire({ ...common, visible: () => !hidden, url })
  })

  /**
   * The world goes ahead, over what the player has taken for itself too: a report that leaves meanwhile never tells of more than there
   * was time for, which the server would not credit.
   */
  async function pass(ms: number, stride = step): Promise<void> {
    for (let passed = 0; passed < ms; passed += stride) {
      const behind = Math.max(0, now() - (Date.now() - opened))
      await advance(behind + stride)
      player.pass(stride)
    }
  }

  recorder.note('impression')
  wires.forEach((wire) => wire.flush())
  player.play()
  for (let n = luck.between(2, 12); n > 0; n--) {
    await pass(luck.between(300, 14_000))
    act(player, luck)
    if (luck.next() < 0.1) {
      hidden = !hidden
      recorder.refresh()
      if (hidden) wires.forEach((wire) => wire.leave())
    }
  }
  const isClosed = luck.next() < 0.4
  if (isClosed) {
    // Closed while it plays; what the beacon could not bring comes with the next visit.
    wires.forEach((wire) => wire.leave(true))
    for (const { url } of pages) closed.add(url)
    await pass(60_000, 5_000)
  } else player.pause()
  for (const network of Object.values(networks)) Object.assign(network, { fine: true })
  if (!isClosed) await pass(1_500_000, 5_000)
  for (const { name, debts } of pages) {
    const spool = spoolOf(`/${name}`, debts)
    const bringing = replay(spool, 'another', `/${name}`)
    await pass(10_000, 500)
    await bringing
    expect(await spool.all(), refused.join('\n')).toEqual([])
  }
  await pass(40_000, 5_000)
  for (const network of Object.values(networks)) network.fine = false
  recorder.stop()
}

function act(player: ReturnType<typeof fakeMedia>, luck: Chance): void {
  const somewhere = () => luck.between(0, durationMs - 20_000) / 1000
  luck.pick([
    () => player.seek(somewhere()),
    () => player.seek(somewhere(), luck.between(0, 200)),
    () => player.stall(luck.between(200, 3_000)),
    () => player.lateStall(luck.between(200, 900)),
    () => player.rate(luck.pick([0.75, 1, 1.25, 1.5, 2, 3])),
    () => player.rateAndSeek(luck.pick([1, 1.25]), somewhere()),
    () => player.mute(luck.next() < 0.5),
    () => {
      player.pause()
      if (luck.next() < 0.5) player.seek(somewhere())
      player.play(luck.between(0, 300))
    },
  ])()
}

/**
 * All that is recorded about a video, without ids, what was measured at its arrival (`zero_at`, `last_at`, `seen_ms`, the numbers of
 * batches), and the mark of what came with a later visit.
 */
async function recordedOf({ video }: NewPlay): Promise<Record<string, unknown[]>> {
  const texts = {
    viewer_videos: `select viewer_key, user_id, coverage::text, covered_ms, watch_ms, plays, first_at, position, covered_at, completed_at
      from viewer_videos where video_id = $1 order by viewer_key`,
    play_spans: `select s.viewer_key, s.started_at, i, start_ms, end_ms, p.wall_ms, rate, p.flags & ~${spanFlags.replayed} as flags, began_ms, refused
      from play_spans p join play_sessions s on s.id = p.session_id where s.video_id = $1 order by 1, 2, 3`,
    play_events: `select s.viewer_key, s.started_at, n, type, at_ms, position_ms, data
      from play_events e join play_sessions s on s.id = e.session_id where s.video_id = $1 order by 1, 2, 3`,
    play_sessions: `select viewer_key, started_at, impression_ms, position, coverage::text, passes, watch_ms, wall_ms
      from play_sessions where video_id = $1 order by 1, 2`,
    video_heat: `select sec, viewers_delta, passes_delta, seek_in, seek_out, pauses, exits from video_heat where video_id = $1 order by 1`,
    video_heat_days: `select day, sec, sessions_delta, passes_delta from video_heat_days where video_id = $1 order by 1, 2`,
    viewer_days: `select day, viewer_key, user_id, sessions, plays, watch_ms, wall_ms from viewer_days where video_id = $1 order by 1, 2`,
    day_rollups: `select day, watch_ms, plays, sessions, impressions, anonymous, bots, capped, refused from day_rollups where video_id = $1 order by 1`,
  }
  const found: Record<string, unknown[]> = {}
  for (const [table, text] of Object.entries(texts))
    found[table] = (await server.services.db.system.query(text, [video])).rows
  return found
}

async function newPlay(): Promise<Omit<NewPlay, 'userId'>> {
  const { videoId: video, versionId: version } = await addVideo(server, { organizationId, durationMs })
  const facts = { org: organizationId, video, version, durMs: durationMs }
  return { ...facts, kind: 'recipient', maxRate: 2, theta: 0.3 }
}

it('records the same over a network that loses, doubles and reorders a fifth of the batches as over a perfect one', async () => {
  const luck = chance(6_202_611)
  const networks = { bad: newNetwork('bad', chance(77)), good: newNetwork('good', null) }
  openNetworks(Object.values(networks))
  const videos = { bad: await newPlay(), good: await newPlay() }
  for (let person = 0; person < 20; person++) {
    const userId = crypto.randomUUID()
    const plays = { bad: { ...videos.bad, userId }, good: { ...videos.good, userId } }
    for (let n = luck.between(1, 2); n > 0; n--) await visit({ plays, luck, networks })
  }
  expect(refused).toEqual([])
  while ((await aggregateOnce(server.services.db)) > 0);
  const { sent, lost, doubled, delayed, answersLost } = networks.bad.counts
  for (const share of [lost, doubled, delayed]) expect(share / sent).toBeGreaterThan(0.05)
  expect(answersLost).toBeGreaterThan(10)
  expect(networks.good.counts.lost).toBe(0)
  const [bad, good] = [await recordedOf(videos.bad), await recordedOf(videos.good)]
  for (const table of Object.keys(good)) {
    expect(good[table]?.length, table).toBeGreaterThan(0)
    expect(bad[table], table).toEqual(good[table])
  }
})
