import { afterAll, beforeAll, expect, it } from 'vitest'
import { aggregateOnce } from '../server/testing/viewing/aggregate.ts'
import { lengthOf, unionOf } from '#server/tracking/credit.ts'
import { minus } from '#server/tracking/ranges.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'
import { startTestServer, type TestServer } from '#server/testing/server.ts'
import {
  addPlay,
  chance,
  durationMs,
  sent,
  shuffled,
  viewer,
  writeLog,
  type Chance,
  type SentBatch,
} from '#server/testing/viewing/viewers.ts'
import { fakeMedia } from '#web/recorder/fake-media.ts'
import { createRecorder } from '#web/recorder/recorder.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Player = ReturnType<typeof fakeMedia>
/** What happens on a page, one thing at a time. */
type Habit = (player: Player, luck: Chance) => void

const held: Habit = ({ hold, pass }, luck) => hold(() => pass(luck.between(1_000, 9_000)))

/** A page whose timers starve for seconds, whose news come late, and whose element says for a while where it was. */
const honest: readonly Habit[] = [
  held,
  held,
  held,
  ({ pass }, luck) => pass(luck.between(300, 4_000)),
  ({ stale }, luck) => stale(luck.between(200, 5_000), true),
  ({ stale }, luck) => stale(luck.between(700, 3_000)),
  ({ hold, pass, stall }, luck) =>
    hold(() => {
      pass(luck.between(500, 3_000))
      stall(luck.between(500, 6_000))
      pass(luck.between(500, 3_000))
    }),
  ({ pause, pass, playUnheard }, luck) => {
    pause()
    pass(luck.between(500, 20_000))
    playUnheard(luck.between(500, 5_000))
  },
  ({ freeze }, luck) => freeze(luck.between(700, 4_000)),
  ({ rate, pass }, luck) => {
    // Nobody can press anything before the page answers.
    pass(300)
    rate(luck.pick([1, 1.5, 2]))
  },
  ({ seek, media, hold, pass }, luck) => {
    hold(() => pass(luck.between(1_000, 4_000)))
    pass(300)
    if (!media.ended) seek(luck.between(0, durationMs / 1_000))
  },
]

/** Scripts that hide what they do between two late looks: seeks with and without a word, other speeds, and waiting for the clock. */
const forging: readonly Habit[] = [
  held,
  ({ pass }, luck) => pass(luck.between(300, 4_000)),
  ({ hold, pass, jump, freeze }, luck) =>
    hold(() => {
      for (let n = luck.between(1, 6); n > 0; n--) {
        pass(luck.between(50, 900))
        jump(luck.between(0, durationMs / 1_000))
      }
      freeze(luck.between(0, 60_000))
    }),
  ({ hold, pass, seek, freeze }, luck) =>
    hold(() => {
      for (let n = luck.between(1, 6); n > 0; n--) {
        pass(luck.between(50, 900))
        seek(luck.between(0, durationMs / 1_000), luck.pick([0, 200]))
      }
      freeze(luck.between(0, 60_000))
    }),
  ({ jump, freeze }, luck) => {
    freeze(luck.between(1_000, 30_000))
    jump(luck.between(0, durationMs / 1_000))
  },
]

/** Scripts that hide at which speed they play, and wait until the clock would allow it. */
const hasty: readonly Habit[] = [
  held,
  ({ pass }, luck) => pass(luck.between(300, 4_000)),
  ({ hold, pass, rate, freeze }, luck) =>
    hold(() => {
      pass(luck.between(0, 900))
      rate(16)
      pass(luck.between(50, 900))
      rate(1)
      freeze(luck.between(0, 20_000))
    }),
  ({ rate, pass, freeze }, luck) => {
    rate(4)
    pass(luck.between(500, 3_000))
    freeze(luck.between(0, 9_000))
    rate(1)
  },
]

/** Everything that the recorder makes of it, as it is reported about every five seconds. */
function record(luck: Chance, habits: readonly Habit[]) {
  const player = fakeMedia(durationMs)
  const recorder = createRecorder({ media: player.media, now: player.now })
  const known = new Map<number, string>()
  const reports: { at: number; spans: SentBatch['spans']; events: SentBatch['events'] }[] = []
  const report = () => {
    const spans = recorder.spans().filter((span) => known.get(span[0]) !== span.join())
    for (const span of spans) known.set(span[0], span.join())
    const reported = reports.reduce((sum, { events }) => sum + events.length, 0)
    reports.push({ at: player.now(), spans: [...spans], events: recorder.events().slice(reported) })
  }
  player.playUnheard(luck.between(0, 4_000))
  for (let n = 0; n < 60 && !player.media.ended; n++) {
    luck.pick(habits)(player, luck)
    report()
  }
  if (!player.media.ended) player.pause()
  report()
  const inMs = (parts: Player['played']) =>
    unionOf(parts.map(([start, end]) => [Math.floor(start * 1_000), Math.ceil(end * 1_000)]))
  return { reports, played: inMs(player.played), slowly: inMs(player.slowly) }
}

async function creditOf(recorded: readonly ReturnType<typeof record>[]) {
  const luck = chance(5)
  const organizationId = await server.organization()
  const play = await addPlay(server, organizationId)
  const claims = recorded.map(
    () =>
      startPlay(server.services.keys, { ...play, userId: crypto.randomUUID() }, Date.now() - 3_600_000)
        .claims,
  )
  const batches = recorded.flatMap(({ reports }, n) =>
    reports.flatMap(({ at, spans, events }, batch) => {
      const whose = claims[n]
      return whose
        ? [sent(whose, { at: at + luck.between(5, 900), elapsedMs: at, batch, spans, events })]
        : []
    }),
  )
  await writeLog(server, shuffled(luck, batches))
  await aggregateOnce(server.services.db)
  return Promise.all(claims.map(async (one) => (await viewer(server, one)).coverage))
}

it('an honest viewer on a page that is held up for seconds is credited with what was played', async () => {
  const luck = chance(20_261_128)
  const people = Array.from({ length: 100 }, () => record(luck, honest))
  const credited = await creditOf(people)
  let [all, lost] = [0, 0]
  for (const [n, { played }] of people.entries()) {
    const coverage = credited[n] ?? []
    expect(minus(coverage, played), `viewer ${n}`).toEqual([])
    all += lengthOf(played)
    const missing = lengthOf(minus(played, coverage))
    lost += missing
    expect(1 - missing / lengthOf(played), `viewer ${n}`).toBeGreaterThanOrEqual(0.99)
  }
  expect(lost / all).toBeLessThan(0.002)
})

it('nothing that was not played is credited, whatever is hidden between two late looks', async () => {
  const luck = chance(7)
  const scripts = Array.from({ length: 100 }, () => record(luck, forging))
  const credited = await creditOf(scripts)
  for (const [n, { played }] of scripts.entries())
    expect(minus(credited[n] ?? [], played), `script ${n}`).toEqual([])
})

it('nothing that was played too fast is credited, whenever the news of it come', async () => {
  const luck = chance(9)
  const scripts = Array.from({ length: 100 }, () => record(luck, hasty))
  const credited = await creditOf(scripts)
  for (const [n, { slowly }] of scripts.entries())
    expect(minus(credited[n] ?? [], slowly), `script ${n}`).toEqual([])
})
