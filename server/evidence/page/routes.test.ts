import { describe, expect, it, test } from 'vitest'
import { listEvidence, readEvidence, readEvidenceSession } from '#contract/evidence/evidence.ts'
import { spanFlags } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import type { PlayClaims } from '#server/tracking/ingest/token.ts'
import { addMedia, addViewer, fetchSegment, segmentBytes, servedTo } from '#server/testing/viewing/served.ts'
import type { Person } from '#server/testing/server.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { addDelivery } from '#server/testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization, setPolicies } from '#server/testing/worlds.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server)
const video = await addMedia(server, orgId)

const recipient = () => addViewer(server, orgId, video)
async function written(session: string, parts: [number, number][]): Promise<void> {
  await expect.poll(() => servedTo(server, session), { timeout: 15_000 }).toEqual(parts)
}

/** A batch of spans that arrives when all of them can have been played. */
async function play(claims: PlayClaims, spans: Span[]): Promise<void> {
  const at = spans.reduce((sum, span) => sum + span[3], 1_000)
  await writeLog(server, [sent(claims, { at, spans, events: [[0, 'impression', 1, 0, null]] })])
  await aggregateOnce(server.services.db)
}

type Way = { rate?: number; flags?: number }
const span = (
  i: number,
  [start, end]: readonly [number, number],
  { rate = 100, flags = 0 }: Way = {},
): Span => [i, start, end, Math.round(((end - start) * 100) / rate), rate, flags]

const fetchAll = async (hls: string, indexes: number[]) => {
  for (const index of indexes) expect((await fetchSegment(server, { hls, index })).status).toBe(200)
}
const params = (userId: string, videoId = video.videoId) => ({ orgId, userId, videoId })
const read = async (userId: string, person = admin) =>
  (await person.call(readEvidence, { params: params(userId) })).body

describe('evidence', () => {
  it('requires sign-in', async () => {
    expect((await server.call(readEvidence, { params: params(admin.id) })).status).toBe(401)
  })

  it('requires role, and sight of the person', async () => {
    const { userId } = await recipient()
    const groupadmin = await server.person('groupadmin', orgId)
    const get = (person: Person, of = params(userId)) => person.call(readEvidence, { params: of })
    expect((await get(groupadmin)).status).toBe(404)
    await server.query(
      `with g as (insert into groups (organization_id, name) values ($1, 'Ours') returning id)
        insert into group_members (organization_id, group_id, user_id, groupadmin)
        select $1, g.id, u.id, u.id = $2 from g, unnest(array[$2, $3]::uuid[]) u(id)`,
      [orgId, groupadmin.id, userId],
    )
    expect((await get(groupadmin)).status).toBe(200)
    const other = await addMedia(server, orgId)
    expect((await get(groupadmin, params(userId, other.videoId))).status).toBe(404)
    expect((await get(admin, params(userId, other.videoId))).status).toBe(200)
    const foreign = await server.person('admin', await server.organization())
    expect((await get(foreign)).status).toBe(404)
    const theirs = await addMedia(server, foreign.organizationId ?? '')
    expect((await get(admin, params(userId, theirs.videoId))).status).toBe(404)
    expect((await get(admin, params(foreign.id))).status).toBe(404)
  })

  it('gives pictures of the video only to who may open content', async () => {
    const { userId, open } = await recipient()
    await play((await open()).claims, [span(0, [0, 4_000])])
    const groupadmin = await server.person('groupadmin', orgId)
    await server.query(
      `with g as (insert into groups (organization_id, name) values ($1, 'Ours too') returning id)
        insert into group_members (organization_id, group_id, user_id, groupadmin)
        select $1, g.id, u.id, u.id = $2 from g, unnest(array[$2, $3]::uuid[]) u(id)`,
      [orgId, groupadmin.id, userId],
    )
    expect((await read(userId)).versions[0]?.storyboard).toMatch(/^\/m\/.*storyboard\.vtt$/)
    expect((await read(userId, groupadmin)).versions[0]).toMatchObject({ storyboard: null, coveredMs: 4_000 })
  })
})

describe('the state', () => {
  it('is proven when all that counts was handed out to the same session, with the arithmetic of the percentage', async () => {
    const { userId, open } = await recipient()
    const { claims, hls } = await open()
    await fetchAll(hls, [0, 1, 2, 3, 4])
    await play(claims, [span(0, [0, 12_000]), span(1, [20_000, 28_500])])
    await written(claims.session, [[0, 30_000]])
    const { state, versions, sessions, quality } = await read(userId)
    expect(state).toBe('proven')
    expect(versions).toMatchObject([
      {
        number: 1,
        isCurrent: true,
        durationMs: 60_000,
        threshold: 0.95,
        neededMs: 57_000,
        coveredMs: 20_500,
        missingMs: 39_500,
        share: 20_500 / 60_000,
        coveredAt: null,
        completedAt: null,
        watchedMs: 20_500,
        attentionMs: 20_500,
        plays: 1,
        state: 'proven',
        unserved: [],
        lanes: {
          watched: [
            [0, 12_000],
            [20_000, 28_500],
          ],
          missing: [
            [12_000, 20_000],
            [28_500, 60_000],
          ],
          served: [[0, 30_000]],
          rewatched: [],
          hidden: [],
          fast: [],
          uncounted: [],
        },
      },
    ])
    expect(sessions).toMatchObject({
      total: 1,
      next: null,
      items: [
        {
          id: claims.session,
          state: 'proven',
          isReported: true,
          spans: 2,
          transmission: { subject: 'Please watch' },
        },
      ],
    })
    expect(quality).toMatchObject({ sessions: 1, anonymous: 0, bots: 0, batchesSeen: 1, batchesExpected: 1 })
  })

  it('is contradicted by spans of parts that were never handed out', async () => {
    const { userId, open } = await recipient()
    const { claims, hls } = await open()
    await fetchAll(hls, [0, 1])
    await play(claims, [span(0, [0, 60_000])])
    await written(claims.session, [[0, 12_000]])
    await server.query(`update play_sessions set last_at = now() - interval '1 minute' where id = $1`, [
      claims.session,
    ])
    const { state, versions, sessions } = await read(userId)
    expect(state).toBe('contradicted')
    // It stays in what is told, and completes nothing.
    expect(versions[0]).toMatchObject({
      coveredMs: 60_000,
      unserved: [[12_000, 60_000]],
      coveredAt: null,
      completedAt: null,
    })
    expect(sessions.items[0]).toMatchObject({ state: 'contradicted', unserved: [[12_000, 60_000]] })
  })

  it('is not helped by what another session was handed out', async () => {
    const { userId, open } = await recipient()
    const [honest, forged] = [await open(), await open()]
    await fetchAll(honest.hls, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    await fetchAll(forged.hls, [0])
    await play(forged.claims, [span(0, [0, 50_000])])
    await written(honest.claims.session, [[0, 60_000]])
    await written(forged.claims.session, [[0, 6_000]])
    await server.query(`update play_sessions set last_at = now() - interval '1 minute' where id = $1`, [
      forged.claims.session,
    ])
    expect((await read(userId)).state).toBe('contradicted')
  })

  it('is likely without a record, as with a cache in front', async () => {
    const { userId, open } = await recipient()
    const { run, ...claims } = (await open()).claims
    expect(run).toBeDefined()
    await play(claims, [span(0, [0, 6_000])])
    expect((await read(userId)).state).toBe('likely')
  })

  it('is being checked until the record has caught up', async () => {
    const { userId, open } = await recipient()
    const { claims, hls } = await open()
    await fetchAll(hls, [0])
    await play(claims, [span(0, [0, 60_000])])
    const { state, versions } = await read(userId)
    expect(state).toBe('checking')
    expect(versions[0]).toMatchObject({ coveredMs: 60_000, unserved: [], completedAt: null })
  })

  it('is being checked until then also when another server was killed meanwhile', async () => {
    const { db } = server.services
    const killed = crypto.randomUUID()
    await db.system.query(
      `insert into served_runs (id, recorded_to, ended_at) values ($1, now() - interval '1 minute', now() + interval '1 minute')`,
      [killed],
    )
    try {
      const { userId, open } = await recipient()
      const { claims, hls } = await open()
      await fetchAll(hls, [0])
      await play(claims, [span(0, [0, 60_000])])
      expect((await read(userId)).state).toBe('checking')
      await fetchAll(hls, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      await written(claims.session, [[0, 60_000]])
      await expect
        .poll(
          async () => {
            await aggregateOnce(db)
            return (await read(userId)).state
          },
          { timeout: 15_000, interval: 500 },
        )
        .toBe('proven')
    } finally {
      await db.system.query('delete from served_runs where id = $1', [killed])
    }
  })

  it('is delivered when parts were handed out and no report ever came', async () => {
    const { userId, open } = await recipient()
    const { claims, hls } = await open()
    await fetchAll(hls, [3])
    await written(claims.session, [[18_000, 24_000]])
    const { state, versions, sessions } = await read(userId)
    expect(state).toBe('delivered')
    expect(versions).toMatchObject([{ coveredMs: 0, share: 0, lanes: { served: [[18_000, 24_000]] } }])
    expect(sessions.items).toMatchObject([
      { isReported: false, batchesExpected: 0, servedBytes: segmentBytes },
    ])
  })

  it('is delivered when the page was opened and nothing played, and none before that', async () => {
    const { userId, open } = await recipient()
    expect(await read(userId)).toMatchObject({ state: 'none', versions: [], lastAt: null })
    const { claims } = await open()
    await play(claims, [])
    expect((await read(userId)).state).toBe('delivered')
  })
})

describe('the parts', () => {
  it('count and were seen although they were reported later', async () => {
    const { userId, open } = await recipient()
    const { claims } = await open()
    await play(claims, [span(0, [0, 20_000], { flags: spanFlags.replayed })])
    const { versions, sessions } = await read(userId)
    expect(versions[0]).toMatchObject({ coveredMs: 20_000, lanes: { hidden: [] } })
    expect(sessions.items[0]?.marks.toSorted()).toEqual(['impressed', 'played', 'replayed'])
  })

  it('say what was rewatched, hidden and too fast, and each stretch says why it counts or not', async () => {
    const { userId, open } = await recipient()
    const { claims } = await open()
    await play(claims, [
      span(0, [0, 20_000]),
      span(1, [10_000, 15_000]),
      span(2, [20_000, 30_000], { flags: spanFlags.hidden }),
      span(3, [30_000, 40_000], { rate: 400 }),
      [4, 40_000, 50_000, 1_000, 100, 0],
    ])
    const { versions, sessions } = await read(userId)
    expect(versions[0]).toMatchObject({
      coveredMs: 20_000,
      watchedMs: 25_000,
      lanes: {
        watched: [[0, 20_000]],
        rewatched: [[10_000, 15_000]],
        missing: [[20_000, 60_000]],
        hidden: [[20_000, 30_000]],
        fast: [[30_000, 40_000]],
        uncounted: [[40_000, 50_000]],
      },
    })
    expect(sessions.items[0]?.marks).toEqual(expect.arrayContaining(['played', 'impressed', 'refused']))
    const detail = await admin.call(readEvidenceSession, {
      params: { ...params(userId), sessionId: claims.session },
    })
    expect(
      detail.body.spans.map(({ refused, credited, marks, rate }) => [refused, credited, marks, rate]),
    ).toEqual([
      [null, [0, 20_000], [], 1],
      [null, [10_000, 15_000], [], 1],
      ['hidden', null, ['hidden'], 1],
      ['rate', null, [], 4],
      ['mismatch', null, [], 1],
    ])
    await server.query(
      `insert into play_events (session_id, n, organization_id, type, at_ms, position_ms, data)
        values ($1, 99, $2, 'seek', 21000, 20000, '{"to": 10000}')`,
      [claims.session, orgId],
    )
    const again = await admin.call(readEvidenceSession, {
      params: { ...params(userId), sessionId: claims.session },
    })
    expect(again.body.events).toContainEqual(
      expect.objectContaining({ type: 'seek', positionMs: 20_000, data: { to: 10_000 } }),
    )
    const times = detail.body.spans.map(({ at }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(claims.iat)
  })

  it('belong to one session of this person alone', async () => {
    const [one, other] = [await recipient(), await recipient()]
    const { claims } = await one.open()
    await play(claims, [span(0, [0, 6_000])])
    const sessionId = claims.session
    const get = (userId: string) =>
      admin.call(readEvidenceSession, { params: { ...params(userId), sessionId } })
    expect((await get(one.userId)).status).toBe(200)
    expect((await get(other.userId)).status).toBe(404)
  })

  it('come in pages when there are many sessions', async () => {
    const { userId, open } = await recipient()
    for (let n = 0; n < 3; n += 1) await play((await open()).claims, [span(0, [0, 1_000])])
    const page = await admin.call(readEvidence, { params: params(userId), query: { limit: 2 } })
    expect(page.body.sessions).toMatchObject({ total: 3, offset: 0, limit: 2 })
    expect(page.body.sessions.items).toHaveLength(2)
    const next = await admin.send('GET', page.body.sessions.next ?? '')
    expect(next.body).toMatchObject({ sessions: { total: 3, offset: 2, next: null } })
  })
})

test('where only completions are recorded nothing else is told', async () => {
  const { userId, open } = await recipient()
  const { claims, hls } = await open()
  await fetchAll(hls, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  await written(claims.session, [[0, 60_000]])
  await play(claims, [span(0, [0, 60_000])])
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  try {
    const today = new Date().toISOString().slice(0, 10)
    expect(await read(userId)).toMatchObject({
      isDiscreet: true,
      completedOn: today,
      lastAt: null,
      versions: [],
      sessions: { items: [], total: 0 },
      state: 'none',
    })
    const { body } = await admin.call(listEvidence, { params: { orgId, userId } })
    const expected = {
      coverage: [],
      share: 0,
      state: null,
      lastAt: null,
      completedAt: `${today}T00:00:00.000Z`,
    }
    expect(body.items).toMatchObject([expected])
    const detail = { params: { ...params(userId), sessionId: claims.session } }
    expect((await admin.call(readEvidenceSession, detail)).status).toBe(404)
  } finally {
    await server.query(`update organizations set policies = policies - 'trackingMode' where id = $1`, [orgId])
  }
})

test('the list of videos of a person has each with its share and state, the last watched first', async () => {
  const other = await addMedia(server, orgId, 'Escape routes')
  const { userId, open } = await recipient()
  await addDelivery(server, { organizationId: orgId, ...other, userId })
  const { run: _run, ...claims } = (await open()).claims
  await play(claims, [span(0, [0, 15_000])])
  const { body } = await admin.call(listEvidence, { params: { orgId, userId } })
  expect(body).toMatchObject({
    total: 2,
    items: [
      { video: { id: video.videoId }, share: 0.25, state: 'likely', coverage: [[0, 15_000]] },
      { video: { id: other.videoId, title: 'Escape routes' }, share: 0, state: 'none', lastAt: null },
    ],
  })
  const first = await admin.call(listEvidence, { params: { orgId, userId }, query: { limit: 1 } })
  const next = await admin.send('GET', first.body.next ?? '')
  expect(next.body).toMatchObject({ items: [{ video: { id: other.videoId } }], next: null })
  const stranger = await server.person('groupadmin', orgId)
  expect((await stranger.call(listEvidence, { params: { orgId, userId } })).status).toBe(404)
})
