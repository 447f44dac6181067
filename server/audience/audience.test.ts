import { describe, expect, it } from 'vitest'
import { listViewers, readAudience, startPreview, type VideoAudience } from '#contract/audience/audience.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import type { NewPlay } from '#server/tracking/ingest/token.ts'
import type { Person } from '#server/testing/server.ts'
import { chance, sendSomehow, sent, watchSomehow, type SentBatch } from '#server/testing/viewing/viewers.ts'
import { begin, by, aggregate, videoToWatch, watched } from '#server/testing/viewing/watching.ts'
import { aServer, anOrganization, setPolicies } from '#server/testing/worlds.ts'
import { quartileInstants } from '../tracking/curves.ts'

const day = 24 * 3_600_000
const durationMs = 60_000

const server = await aServer()
const { query } = server
const { orgId: organizationId, admin } = await anOrganization(server)
const people: Person[] = []
for (let n = 0; n < 14; n++) people.push(await server.person(null, organizationId))

async function audience(play: NewPlay, more: Record<string, string> = {}): Promise<VideoAudience> {
  const answer = await admin.call(readAudience, { params: { videoId: play.video }, query: more })
  expect(answer.status).toBe(200)
  return answer.body
}

type Session = {
  id: string
  viewer_key: string
  user_id: string | null
  flags: number
  position: number
  watch_ms: string
  wall_ms: string
  coverage: string
}

const covers = (ranges: Ranges, at: number) => ranges.some(([start, end]) => start <= at && at < end)
const lengthOf = (ranges: Ranges) => ranges.reduce((sum, [start, end]) => sum + end - start, 0)

/** Everything by looking at every session and every instant, without the arrays that the aggregation keeps. */
async function bruteForce(play: NewPlay, since: Date | null) {
  const sessions = (
    await query<Session>(
      'select * from play_sessions where video_id = $1 and version_id = $2 and started_at >= $3 and flags & $4 = 0',
      [play.video, play.version, since ?? new Date(0), sessionFlags.bot],
    )
  ).map((session) => Object.assign(session, { ranges: parseRanges(session.coverage) }))
  const played = sessions.filter(({ flags }) => (flags & sessionFlags.played) !== 0)
  const seen = sessions.filter(({ flags }) => (flags & sessionFlags.impressed) !== 0)
  const spans = await query<{ start_ms: number; end_ms: number }>(
    'select start_ms, end_ms from play_spans where session_id = any($1) and refused is null',
    [played.map(({ id }) => id)],
  )
  const viewers = await query<{ coverage: string; viewer_key: string; completed_at: Date | null }>(
    'select coverage, viewer_key, completed_at from viewer_videos where version_id = $1',
    [play.version],
  )
  const groups =
    since === null ? viewers.map(({ coverage }) => parseRanges(coverage)) : played.map(({ ranges }) => ranges)
  const instants = Array.from({ length: play.durMs / 1_000 }, (_, second) => second * 1_000 + 500)
  const covered = instants.map((at) => groups.filter((ranges) => covers(ranges, at)).length)
  const passes = instants.map(
    (at) => spans.filter(({ start_ms: start, end_ms: end }) => start <= at && at < end).length,
  )
  const last = instants.length - 1
  const exits = instants.map(
    (_at, second) =>
      played.filter(({ position }) => Math.min(last, Math.floor(position / 1_000)) === second).length,
  )
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const sum = (name: 'watch_ms' | 'wall_ms') => sessions.reduce((total, one) => total + Number(one[name]), 0)
  const keysOf = (list: Session[]) => new Set(list.map(({ viewer_key: key }) => key))
  const both = seen.filter((session) => played.includes(session))
  return {
    curves: { covered, again: passes.map((n, second) => n - (covered[second] ?? 0)), exits },
    figures: {
      impressions: seen.length,
      plays: played.length,
      playRate: both.length / seen.length,
      viewerPlayRate: keysOf(both).size / keysOf(seen).size,
      viewers: keysOf(played).size,
      named: keysOf(played.filter(({ user_id: user }) => user !== null)).size,
      watchMs: sum('watch_ms'),
      attentionMs: sum('wall_ms'),
      engagement: expect.closeTo(
        mean(played.map(({ ranges }) => lengthOf(ranges) / play.durMs)),
        9,
      ) as number,
      intensity: expect.closeTo(mean(played.map((one) => Number(one.watch_ms) / play.durMs)), 9) as number,
      completed: viewers.filter(
        ({ viewer_key: key, completed_at: at }) => at !== null && keysOf(played).has(key),
      ).length,
      quartiles: quartileInstants(play.durMs).map(
        (at) => played.filter(({ ranges }) => covers(ranges, at)).length,
      ),
    },
  }
}

describe('the audience of a video', () => {
  it('equals brute force over what the aggregation made of hundreds of sessions, for all time and for a period', async () => {
    const luck = chance(4)
    const play = await videoToWatch(server, { organizationId })
    const batches: SentBatch[] = []
    const now = Date.now()
    for (let n = 0; n < 240; n++) {
      const who = luck.next() < 0.3 ? play : by(play, luck.pick(people))
      const claims = begin(
        server,
        who,
        now - luck.between(0, 20) * day - luck.between(4, 20) * 3_600_000 - n * 200_000,
      )
      const truth = watchSomehow(luck, durationMs)
      const arrivals = sendSomehow(luck, claims, truth)
      arrivals[0]?.events.push([90, 'impression', 20, 0, null])
      batches.push(...arrivals)
    }
    await aggregate(server, batches)
    for (const period of ['all', '7d'] as const) {
      const since = new Date(new Date().setUTCHours(0, 0, 0, 0) - 6 * day)
      const expected = await bruteForce(play, period === 'all' ? null : since)
      const found = await audience(play, { period })
      expect(found.figures).toEqual(expected.figures)
      expect(found.curves).toMatchObject({ binSeconds: 1, ...expected.curves })
      expect(found.curves?.base).toBe(period === 'all' ? expected.figures.viewers : expected.figures.plays)
      expect(found.figures.viewers).toBeGreaterThan(14)
      expect(found.version).toMatchObject({ id: play.version, number: 1, durationMs, isCurrent: true })
    }
  }, 120_000)

  it('counts jumps where they began and ended, and pauses, the same for a period as for all time', async () => {
    const play = await videoToWatch(server, { organizationId })
    const batches = people.slice(0, 6).map((person): SentBatch => {
      const claims = begin(server, by(play, person), Date.now() - 3_600_000)
      return sent(claims, {
        at: 9_000,
        spans: [
          [0, 0, 4_000, 4_000, 100, 0],
          [1, 30_000, 32_000, 2_000, 100, 0],
        ],
        events: [
          [0, 'impression', 10, 0, null],
          [1, 'play', 300, 0, { span: 0 }],
          [2, 'seek', 4_300, 30_000, { from: 4_000, to: 30_000 }],
          [3, 'play', 4_400, 30_000, { span: 1 }],
          [4, 'pause', 6_400, 32_000, null],
        ],
      })
    })
    await aggregate(server, batches)
    for (const period of ['all', '7d']) {
      const { curves } = await audience(play, { period })
      const where = (values: number[] | undefined) =>
        (values ?? []).flatMap((n, second) => (n === 0 ? [] : [[second, n]]))
      expect(where(curves?.seekOut)).toEqual([[4, 6]])
      expect(where(curves?.seekIn)).toEqual([[30, 6]])
      expect(where(curves?.pauses)).toEqual([[32, 6]])
      expect(where(curves?.exits)).toEqual([[32, 6]])
    }
  })

  it('draws no curve about fewer people than the smallest group, and says how many that is', async () => {
    const play = await videoToWatch(server, { organizationId })
    const at = Date.now() - 3_600_000
    await aggregate(
      server,
      people.slice(0, 4).map((person) => watched(server, { play: by(play, person), at, part: [0, 20_000] })),
    )
    const few = await audience(play)
    expect(few).toMatchObject({ curves: null, hotspots: [], relative: null, smallestGroup: 5 })
    expect(few.figures).toMatchObject({ viewers: 4, plays: 4, watchMs: 80_000 })
    await aggregate(server, [watched(server, { play: by(play, people[4] as Person), at, part: [0, 20_000] })])
    expect((await audience(play)).curves?.base).toBe(5)
    // Who watched long ago is no part of a group of this week.
    expect((await audience(play, { period: '7d' })).curves?.base).toBe(5)
    const later = await videoToWatch(server, { organizationId })
    await aggregate(
      server,
      people
        .slice(0, 5)
        .map((person, n) =>
          watched(server, { play: by(later, person), at: n === 4 ? at - 30 * day : at, part: [0, 20_000] }),
        ),
    )
    expect((await audience(later, { period: '7d' })).curves).toBeNull()
    expect((await audience(later)).curves?.base).toBe(5)
    await setPolicies(server, organizationId, { smallestGroup: 3 })
    expect((await audience(play)).smallestGroup).toBe(3)
    await query(`update organizations set policies = policies - 'smallestGroup' where id = $1`, [
      organizationId,
    ])
  })

  it('leaves programs out of every figure and every list', async () => {
    const play = await videoToWatch(server, { organizationId })
    const at = Date.now() - 3_600_000
    await aggregate(server, [
      watched(server, { play: by(play, people[0] as Person), at, part: [0, 10_000] }),
      { ...watched(server, { play, at, part: [0, 10_000] }), userAgent: 'Mozilla/5.0 HeadlessChrome/156.0' },
    ])
    expect((await audience(play)).figures).toMatchObject({ plays: 1, viewers: 1, named: 1, watchMs: 10_000 })
  })

  it('says of a version that it is another, and of a foreign one nothing', async () => {
    const [play, other] = [
      await videoToWatch(server, { organizationId }),
      await videoToWatch(server, { organizationId }),
    ]
    const [newer] = await query<{ id: string }>(
      `with n as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        values ($1, $2, 2, 'b.mp4', 1, 30000, now()) returning id, video_id),
        v as (update videos set current_version_id = n.id from n where videos.id = n.video_id)
      select id from n`,
      [organizationId, play.video],
    )
    await aggregate(server, [
      watched(server, { play: by(play, people[0] as Person), at: Date.now() - 3_600_000, part: [0, 60_000] }),
    ])
    const now = await audience(play)
    expect(now).toMatchObject({
      version: { id: newer?.id, number: 2, isCurrent: true },
      figures: { plays: 0 },
    })
    expect(now.versions.map(({ number }) => number)).toEqual([2, 1])
    const before = await audience(play, { versionId: play.version })
    expect(before).toMatchObject({
      version: { number: 1, isCurrent: false },
      figures: { plays: 1, completed: 1 },
    })
    const foreign = await admin.call(readAudience, {
      params: { videoId: play.video },
      query: { versionId: other.version },
    })
    expect(foreign.problem?.code).toBe('not_found')
  })

  it('ranks a video among those of similar length, once there are five others', async () => {
    const at = Date.now() - 3_600_000
    // So long that no other test's videos are similar.
    const long = { organizationId, durationMs: 600_000 }
    const shares = [0.1, 0.3, 0.5, 0.7, 0.9]
    const plays = []
    for (const share of shares) {
      const play = await videoToWatch(server, long)
      plays.push(play)
      await aggregate(
        server,
        people
          .slice(0, 5)
          .map((person) => watched(server, { play: by(play, person), at, part: [0, share * 600_000] })),
      )
    }
    const few = plays[0] as NewPlay
    expect((await audience(few)).relative).toEqual({ videos: 4, percentile: null })
    const sixth = await videoToWatch(server, { organizationId, durationMs: 500_000 })
    await aggregate(
      server,
      people
        .slice(0, 5)
        .map((person) => watched(server, { play: by(sixth, person), at, part: [0, 300_000] })),
    )
    expect((await audience(sixth)).relative).toEqual({ videos: 5, percentile: 0.6 })
    // Twice as long is not similar; watched by too few does not count.
    const [longer, lonely] = [
      await videoToWatch(server, { organizationId, durationMs: 1_300_000 }),
      await videoToWatch(server, long),
    ]
    await aggregate(
      server,
      people
        .slice(0, 5)
        .map((person) => watched(server, { play: by(longer, person), at, part: [0, 10_000] })),
    )
    await aggregate(server, [
      watched(server, { play: by(lonely, people[0] as Person), at, part: [0, 10_000] }),
    ])
    expect((await audience(sixth)).relative).toEqual({ videos: 5, percentile: 0.6 })
  }, 60_000)
})

it('an administrator of another organization finds nothing, a groupadmin may not look', async () => {
  const play = await videoToWatch(server, { organizationId })
  const foreign = await server.person('admin', await server.organization('Other'))
  const group = await server.person('groupadmin', organizationId)
  for (const endpoint of [readAudience, listViewers, startPreview]) {
    const input = { params: { videoId: play.video } }
    expect((await foreign.call(endpoint, input)).problem?.code).toBe('not_found')
    expect((await group.call(endpoint, input)).problem?.code).toBe('forbidden')
    expect((await server.call(endpoint, input)).problem?.code).toBe('unauthenticated')
  }
})
