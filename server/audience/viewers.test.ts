import { describe, expect, it } from 'vitest'
import { listViewers, readAudience, startPreview } from '#contract/audience/audience.ts'
import type { NewPlay } from '#server/tracking/ingest/token.ts'
import type { Person } from '#server/testing/server.ts'
import { addVideo, batchOf } from '#server/testing/viewing/viewing.ts'
import { by, aggregate, videoToWatch, watched } from '#server/testing/viewing/watching.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'

const day = 24 * 3_600_000
const durationMs = 60_000

const server = await aServer()
const { query } = server
const { orgId: organizationId, admin } = await anOrganization(server)
const people: Person[] = []
for (let n = 0; n < 14; n++) people.push(await server.person(null, organizationId))

const figuresOf = async (play: NewPlay, period = 'all') => {
  const input = { params: { videoId: play.video }, query: { period } }
  return (await admin.call(readAudience, input)).body.figures
}

describe('the viewers of a video', () => {
  it('are named, sorted, searched and paged; who has no name is counted together', async () => {
    const play = await videoToWatch(server, { organizationId })
    const at = Date.now() - 3_600_000
    await aggregate(server, [
      ...people
        .slice(0, 7)
        .map((person, n) =>
          watched(server, { play: by(play, person), at: at - n * 60_000, part: [0, (n + 1) * 8_000] }),
        ),
      watched(server, { play, at, part: [0, 60_000] }),
      watched(server, { play, at, part: [0, 5_000] }),
    ])
    const list = (more: Record<string, string | number> = {}) =>
      admin.call(listViewers, { params: { videoId: play.video }, query: more })
    const all = (await list({ sort: '-share' })).body
    expect(all.anonymous).toEqual({ viewers: 2, completed: 1, watchedMs: 65_000 })
    expect(all.total).toBe(7)
    expect(all.items[1]).toMatchObject({
      userId: people[5]?.id,
      organizationId,
      email: people[5]?.email,
      exists: true,
      share: 0.8,
      coverage: [[0, 48_000]],
      watchedMs: 48_000,
      plays: 1,
      completedAt: null,
    })
    const wanted = all.items.map(({ userId }) => userId)
    for (const sort of [
      'share',
      'name',
      '-watchedMs',
      'plays',
      '-completedAt',
      'completedAt',
      'lastAt',
    ] as const) {
      const whole = (await list({ sort })).body.items.map(({ userId }) => userId)
      expect(whole.toSorted()).toEqual(wanted.toSorted())
      const paged: string[] = []
      let page = (await list({ sort, limit: 3 })).body
      for (;;) {
        paged.push(...page.items.map(({ userId }) => userId))
        if (page.next === null) break
        const after = new URL(page.next, 'http://x').searchParams.get('after') ?? ''
        page = (await list({ sort, limit: 3, after })).body
      }
      expect(paged).toEqual(whole)
    }
    const found = (await list({ q: people[2]?.email ?? '' })).body
    expect([found.total, found.items[0]?.userId]).toEqual([1, people[2]?.id])
    await query('update users set deleted_at = now() where id = $1', [people[2]?.id])
    expect((await list({ q: people[2]?.email ?? '' })).body.items[0]?.exists).toBe(false)
    await query('update users set deleted_at = null where id = $1', [people[2]?.id])
  })

  it('in a period are those who played in it, as many as the figures say', async () => {
    const play = await videoToWatch(server, { organizationId })
    const old = Date.now() - 12 * day
    await aggregate(server, [
      ...people
        .slice(0, 5)
        .map((person) => watched(server, { play: by(play, person), at: old, part: [0, 9_000] })),
      ...people
        .slice(3, 6)
        .map((person) =>
          watched(server, { play: by(play, person), at: Date.now() - 3_600_000, part: [0, 9_000] }),
        ),
      watched(server, { play, at: old, part: [0, 9_000] }),
    ])
    for (const [period, named, visitors] of [
      ['all', 6, 1],
      ['7d', 3, 0],
    ] as const) {
      const { body } = await admin.call(listViewers, { params: { videoId: play.video }, query: { period } })
      expect([body.total, body.anonymous.viewers]).toEqual([named, visitors])
      const figures = await figuresOf(play, period)
      expect([figures.named, figures.viewers - figures.named]).toEqual([named, visitors])
    }
  })
})

describe('a preview', () => {
  it('is taken like any other viewing, and leaves nothing behind', async () => {
    const play = await videoToWatch(server, { organizationId })
    const { body } = await admin.call(startPreview, { params: { videoId: play.video } })
    expect(body).toMatchObject({ durationMs, maxRate: 2, completes: 0.95 })
    const batch = batchOf({
      playToken: body.playToken,
      elapsedMs: 5_000,
      spans: [[0, 0, 4_000, 4_000, 100, 0]],
    })
    expect(await server.send('POST', '/api/tracks', { body: batch })).toMatchObject({
      status: 200,
      body: { ack: { spans: 0 } },
    })
    await aggregate(server, [])
    const stored = await query('select 1 from track_batches where video_id = $1', [play.video])
    expect(stored).toEqual([])
    expect((await figuresOf(play)).plays).toBe(0)
  })

  it('needs a video that plays', async () => {
    const { videoId } = await addVideo(server, { organizationId, state: 'processing', ready: false })
    const answer = await admin.call(startPreview, { params: { videoId } })
    expect(answer.problem?.code).toBe('not_found')
  })
})
