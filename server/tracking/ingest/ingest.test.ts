import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { organizationPace, trackLimits } from '#contract/tracking/track-limits.ts'
import { addVideo, batchOf } from '#server/testing/viewing/viewing.ts'
import { aServer } from '#server/testing/worlds.ts'
import { startPlay, type NewPlay } from '#server/tracking/ingest/token.ts'

const server = await aServer()
const organizationId = await server.organization()
const { videoId, versionId } = await addVideo(server, { organizationId })
const play: NewPlay = {
  org: organizationId,
  video: videoId,
  version: versionId,
  durMs: 60_000,
  kind: 'visitor',
  maxRate: 2,
  theta: 0.95,
}

const start = (now?: number) => startPlay(server.services.keys, play, now)
const post = (body: object) => server.send('POST', '/api/tracks', { body })

async function logged(session: string) {
  const found = await server.query<{
    organization_id: string
    spans: unknown
    events: unknown
    dropped: number
    capped: boolean
    network: string | null
    user_agent: string | null
  }>('select * from track_batches where session_id = $1 order by batch', [session])
  return found
}

describe('POST /api/tracks', () => {
  it('acknowledges what it has committed and says when to report again', async () => {
    const { token, claims } = start()
    const answer = await post({
      ...batchOf({
        playToken: token,
        elapsedMs: 5_000,
        spans: [
          [0, 0, 1_000, 1_000, 100, 0],
          [1, 9_000, 12_000, 3_000, 100, 0],
        ],
        events: [[0, 'impression', 10, 0, null]],
      }),
    })
    expect(answer).toMatchObject({
      status: 200,
      body: { ack: { spans: 1, events: 0 }, next: trackLimits.heartbeat.usual },
      headers: { 'cache-control': 'no-store' },
    })
    expect(await logged(claims.session)).toMatchObject([
      {
        organization_id: organizationId,
        spans: [
          [0, 0, 1_000, 1_000, 100, 0],
          [1, 9_000, 12_000, 3_000, 100, 0],
        ],
      },
    ])
    const empty = await post(batchOf({ playToken: token, batch: 1 }))
    expect(empty.body).toMatchObject({ ack: { spans: -1, events: -1 } })
  })

  it('takes what sendBeacon sends: JSON as text/plain', async () => {
    const { token, claims } = start()
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/tracks',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      payload: JSON.stringify(batchOf({ playToken: token, spans: [[0, 0, 500, 500, 100, 0]] })),
    })
    expect(answer.statusCode).toBe(200)
    expect(await logged(claims.session)).toHaveLength(1)
  })

  it('believes the token alone: ids in the body are ignored', async () => {
    const { token, claims } = start()
    const foreign = '00000000-0000-7000-8000-000000000000'
    const body = { ...batchOf({ playToken: token }), organizationId: foreign, org: foreign, videoId: foreign }
    expect((await post(body)).status).toBe(200)
    expect(await logged(claims.session)).toMatchObject([
      { organization_id: organizationId, video_id: play.video, session_id: claims.session },
    ])
  })

  it('refuses tokens that are forged or over', async () => {
    const { token } = start()
    const forged = await post(batchOf({ playToken: `${token.slice(0, -3)}AAA` }))
    expect(forged).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    const old = start(Date.now() - 24 * 3_600_000)
    expect(await post(batchOf({ playToken: old.token }))).toMatchObject({
      status: 410,
      body: { code: 'link_expired' },
    })
    expect(await logged(old.claims.session)).toEqual([])
  })

  it.each<[string, object]>([
    ['no version', { version: undefined }],
    ['another version', { version: 2 }],
    ['no token', { playToken: undefined }],
    ['a span of five', { spans: [[0, 0, 1, 1, 100]] }],
    ['a negative time', { spans: [[0, -5, 1, 1, 100, 0]] }],
    ['half milliseconds', { spans: [[0, 0.5, 1, 1, 100, 0]] }],
    ['text for a number', { elapsedMs: '5' }],
    ['a number beyond measure', { elapsedMs: 2 ** 41 }],
    ['too many spans', { spans: Array.from({ length: 65 }, (_, i) => [i, 0, 1, 1, 100, 0]) }],
    ['too many events', { events: Array.from({ length: 65 }, (_, i) => [i, 'play', 0, 0, null]) }],
    ['a zero character', { events: [[0, 'cc', 0, 0, { lang: 'e\u0000n' }]] }],
    ['half a character', { events: [[0, 'cc', 0, 0, { lang: '\ud800' }]] }],
  ])('refuses %s as malformed', async (_what, change) => {
    const { token, claims } = start()
    const answer = await post({ ...batchOf({ playToken: token }), ...change })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(await logged(claims.session)).toEqual([])
  })

  it.each<[string, { type: string; payload: string; status: number }]>([
    ['no JSON', { type: 'text/plain', payload: '{"version":', status: 400 }],
    ['broken JSON', { type: 'application/json', payload: '{"version":', status: 400 }],
    ['null', { type: 'application/json', payload: 'null', status: 400 }],
    ['an array', { type: 'text/plain', payload: '[]', status: 400 }],
    ['another kind', { type: 'application/xml', payload: '<a/>', status: 415 }],
    ['more than 16 KiB', { type: 'text/plain', payload: ' '.repeat(16 * 1024 + 1), status: 413 }],
  ])('refuses %s', async (_what, { type, payload, status }) => {
    const headers = { 'content-type': type }
    const answer = await server.app.inject({ method: 'POST', url: '/api/tracks', headers, payload })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['content-type']).toContain('application/problem+json')
  })

  it('drops unknown events and counts them', async () => {
    const { token, claims } = start()
    const answer = await post(
      batchOf({
        playToken: token,
        events: [
          [0, 'play', 5, 0, { span: 0 }],
          [1, 'telepathy', 6, 0, { strength: 9 }],
        ],
      }),
    )
    expect(answer).toMatchObject({ status: 200, body: { ack: { events: 1 } } })
    expect(await logged(claims.session)).toMatchObject([
      { events: [[0, 'play', 5, 0, { span: 0 }]], dropped: 1, capped: false },
    ])
  })

  it('counts and drops fields and parameters that it does not know', async () => {
    const { token, claims } = start()
    const state = { position: 1, visible: true, mood: 'fine' }
    const body = { ...batchOf({ playToken: token }), state, newer: 1, [' ']: { a: 1 } }
    const answer = await server.send('POST', '/api/tracks?utm_source=mail', { body })
    expect(answer.status).toBe(200)
    expect(await logged(claims.session)).toMatchObject([
      { dropped: 3, state: { position: 1, visible: true } },
    ])
  })

  it('caps a session, and says so in the log', async () => {
    const { token, claims } = start()
    await post(
      batchOf({
        playToken: token,
        spans: [
          [trackLimits.spansPerSession - 1, 0, 1, 1, 100, 0],
          [trackLimits.spansPerSession, 0, 1, 1, 100, 0],
        ],
      }),
    )
    expect(await logged(claims.session)).toMatchObject([
      { spans: [[trackLimits.spansPerSession - 1, 0, 1, 1, 100, 0]], dropped: 1, capped: true },
    ])
  })

  it('slows a session down that reports too often, and no other', async () => {
    const [loud, quiet] = [start(), start()]
    const statuses = []
    for (let batch = 0; batch < 12; batch++)
      statuses.push((await post(batchOf({ playToken: loud.token, batch }))).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])
    const refused = await post(batchOf({ playToken: loud.token }))
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await post(batchOf({ playToken: quiet.token }))).status).toBe(200)
  })

  it('goes on taking reports when the clock of the server is set back by ten minutes', async () => {
    const { token } = start()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect((await post(batchOf({ playToken: token, batch: 0 }))).status).toBe(200)
      vi.setSystemTime(Date.now() - 600_000)
      for (let batch = 1; batch < 8; batch++)
        expect((await post(batchOf({ playToken: token, batch }))).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })

  it('writes no more of an address down than its network, and the browser once', async () => {
    const { token, claims } = start()
    const from = async (remoteAddress: string, batch: number, userAgent: string) =>
      server.app.inject({
        method: 'POST',
        url: '/api/tracks',
        remoteAddress,
        headers: { 'user-agent': userAgent },
        payload: batchOf({ playToken: token, batch }),
      })
    await from('203.0.113.77', 0, 'Firefox/140.0')
    await from('2001:db8:7:1::5', 1, 'Firefox/140.0')
    await from('203.0.113.77', 2, 'Mozilla/5.0 (compatible; Googlebot/2.1)')
    expect(await logged(claims.session)).toMatchObject([
      { network: '203.0.113', user_agent: 'Firefox/140.0' },
      { network: '2001:db8:7', user_agent: null },
      // A program is one in whichever report it says so.
      { network: '203.0.113', user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' },
    ])
  })

  it('takes no more than its share from one organization, and says how long to wait', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const { perSecond, burst } = organizationPace
      const rush = { ...play, org: crypto.randomUUID(), kind: 'preview' as const, userId: 'somebody' }
      const from = ({ token }: { token: string }) => post(batchOf({ playToken: token }))
      const statuses = new Map<number, number>()
      for (let n = 0; n < burst / 10 + 1; n++) {
        const one = startPlay(server.services.keys, rush)
        for (const { status } of await Promise.all(Array.from({ length: 10 }, () => from(one))))
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      expect(statuses).toEqual(
        new Map([
          [200, burst],
          [429, 10],
        ]),
      )
      const refused = await from(startPlay(server.services.keys, rush))
      expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
      expect(refused.headers['retry-after']).toBe('1')
      expect((await from(start())).status).toBe(200)
      vi.setSystemTime(Date.now() + 1_000)
      const later = await Promise.all(
        Array.from({ length: perSecond + 1 }, () => from(startPlay(server.services.keys, rush))),
      )
      expect(later.filter(({ status }) => status === 200)).toHaveLength(perSecond)
    } finally {
      vi.useRealTimers()
    }
  }, 60_000)

  it('leaves nothing behind for a preview', async () => {
    const { token, claims } = startPlay(server.services.keys, {
      ...play,
      kind: 'preview',
      userId: 'somebody',
    })
    expect((await post(batchOf({ playToken: token, spans: [[0, 0, 9, 9, 100, 0]] }))).status).toBe(200)
    expect(await logged(claims.session)).toEqual([])
  })

  it('takes many at once, each exactly once', async () => {
    const plays = Array.from({ length: 300 }, () => start())
    const answers = await Promise.all(plays.map(({ token }) => post(batchOf({ playToken: token }))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const found = await server.query('select session_id from track_batches where session_id = any($1)', [
      plays.map(({ claims }) => claims.session),
    ])
    expect(found).toHaveLength(300)
  })

  it('never acknowledges what the database has not kept', async () => {
    const { token, claims } = start()
    // The log is held by somebody else, and whoever waits to write to it loses the connection. Not the holder
    // does that: within one transaction PostgreSQL answers pg_stat_activity from its first look.
    const holder = new pg.Client({ connectionString: server.ownerUrl })
    const watcher = new pg.Client({ connectionString: server.services.db.url })
    await Promise.all([holder.connect(), watcher.connect()])
    try {
      await holder.query('begin; lock table track_batches in access exclusive mode')
      const waiting = post(batchOf({ playToken: token, spans: [[0, 0, 100, 100, 100, 0]] }))
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into track_batches%'`
      await expect
        .poll(async () => (await watcher.query(kill)).rowCount, { timeout: 20_000 })
        .toBeGreaterThan(0)
      expect(await waiting).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    } finally {
      await Promise.all([holder.end(), watcher.end()])
    }
    expect(await logged(claims.session)).toEqual([])
    const again = await post(batchOf({ playToken: token, batch: 1, spans: [[0, 0, 100, 100, 100, 0]] }))
    expect(again.status).toBe(200)
    expect(await logged(claims.session)).toHaveLength(1)
  })
})
