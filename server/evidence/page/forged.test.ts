import { beforeEach, describe, expect, it } from 'vitest'
import { issueCertificate, readReceipt, takeCertificate } from '#contract/evidence/certificates.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { listViewers } from '#contract/audience/audience.ts'
import { updateOrganizationSettings, readOrganization } from '#contract/directory/organizations.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import type { PlayClaims } from '#server/tracking/ingest/token.ts'
import { addMedia, addViewer, fetchSegment, servedTo } from '#server/testing/viewing/served.ts'
import type { Person } from '#server/testing/server.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { batchOf } from '#server/testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'
import { rebuild } from '../rebuild/rebuild.ts'

const server = await aServer()
const { query } = server

let orgId: string
let admin: Person
let video: { videoId: string; versionId: string }
await server.app.ready()
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  video = await addMedia(server, orgId)
})

const aggregate = () => aggregateOnce(server.services.db)

/** The page of somebody, as if it had been opened so long ago; their record begins with it. */
async function opened(agoMs = 0) {
  const viewer = await addViewer(server, orgId, video)
  const { claims: now, hls, playToken } = await viewer.open()
  const claims: PlayClaims = { ...now, iat: now.iat - agoMs }
  return { ...viewer, claims, hls, playToken }
}

/** What became of it, wherever it is told. */
async function outcome(userId: string, claims: PlayClaims) {
  const [viewing] = await query<{ evidence: string; covered_at: Date | null; completed_at: Date | null }>(
    'select evidence, covered_at, completed_at from viewer_videos where version_id = $1 and viewer_key = $2',
    [claims.version, claims.viewerKey],
  )
  const [delivery] = await query<{ evidence: string; completed_at: Date | null }>(
    'select evidence, completed_at from delivery_viewing where delivery_id = $1',
    [claims.delivery],
  )
  const { body } = await admin.call(readEvidence, { params: { orgId, userId, videoId: video.videoId } })
  const { status } = await admin.call(issueCertificate, {
    params: { orgId, userId },
    body: { videoId: video.videoId },
  })
  return {
    evidence: [viewing?.evidence, delivery?.evidence, body.state],
    completedAt: [viewing?.completed_at, delivery?.completed_at, body.versions[0]?.completedAt],
    certificate: status,
  }
}
const nothing = {
  evidence: ['contradicted', 'contradicted', 'contradicted'],
  completedAt: [null, null, null],
  certificate: 409,
}

/** Reports every five seconds, each when its time has really passed, until twenty seconds ago. */
function paced(claims: PlayClaims, durationMs = 60_000) {
  return Array.from({ length: durationMs / 5_000 }, (_, batch) => {
    const played = (batch + 1) * 5_000
    const spans: Span[] = [[0, 0, played, played, 100, 0]]
    return sent(claims, {
      at: played + 1_000,
      batch,
      spans,
      events: batch ? [] : [[0, 'impression', 5, 0, null]],
    })
  })
}

describe('a script that fetches nothing', () => {
  it('has nothing of what it reports at once', async () => {
    const { userId, playToken, claims } = await opened()
    const body = batchOf({
      playToken,
      elapsedMs: 60_000,
      spans: [[0, 0, 60_000, 30_000, 200, 0]],
      events: [[0, 'impression', 5, 0, null]],
    })
    expect((await server.send('POST', '/api/tracks', { body })).status).toBe(200)
    await aggregate()
    expect(await query('select refused from play_spans where session_id = $1', [claims.session])).toEqual([
      { refused: 'faster' },
    ])
    const { evidence, completedAt } = await outcome(userId, claims)
    expect(evidence).toEqual(['delivered', 'delivered', 'delivered'])
    expect(completedAt).toEqual([null, null, null])
  })

  it('is contradicted, and completes nothing, when it reports in real time', async () => {
    const { userId, claims, playToken } = await opened(81_000)
    await writeLog(server, paced(claims))
    await aggregate()
    expect(await outcome(userId, claims)).toEqual(nothing)
    const receipt = await server.call(readReceipt, { body: { playToken } })
    expect(receipt.body).toMatchObject({
      share: 10_000,
      completedAt: null,
      evidence: 'contradicted',
      isChecking: false,
      mayCertify: false,
    })
    expect((await server.call(takeCertificate, { body: { playToken } })).status).toBe(409)
    await rebuild(server.services.db, video.videoId)
    expect(await outcome(userId, claims)).toEqual(nothing)
  })

  it('is contradicted when it reports all of it at once, after a minute', async () => {
    const { userId, claims } = await opened(81_000)
    await writeLog(server, [sent(claims, { at: 61_000, spans: [[0, 0, 60_000, 60_000, 100, 0]] })])
    await aggregate()
    expect(await outcome(userId, claims)).toEqual(nothing)
  })

  it('gains nothing by fetching some of it', async () => {
    const { userId, claims, hls } = await opened(81_000)
    for (const index of [0, 2, 4, 6, 8]) await fetchSegment(server, { hls, index })
    await expect.poll(() => servedTo(server, claims.session), { timeout: 15_000 }).toHaveLength(5)
    await writeLog(server, paced(claims))
    await aggregate()
    expect(await outcome(userId, claims)).toEqual(nothing)
  })

  it('is found by its state among the viewers', async () => {
    const forged = await opened(81_000)
    const honest = await opened(81_000)
    const { run: _run, ...unrecorded } = honest.claims
    await writeLog(server, [...paced(forged.claims), ...paced(unrecorded)])
    await aggregate()
    const find = async (evidence?: 'contradicted' | 'likely' | 'proven') => {
      const { body } = await admin.call(listViewers, {
        params: { videoId: video.videoId },
        query: evidence ? { evidence } : {},
      })
      return body.items.map(({ userId, evidence: state }) => [userId, state])
    }
    expect(await find('contradicted')).toEqual([[forged.userId, 'contradicted']])
    expect(await find('likely')).toEqual([[honest.userId, 'likely']])
    expect(await find('proven')).toEqual([])
    expect(await find()).toHaveLength(2)
  })
})

describe('a script that fetches everything', () => {
  it('at once, and waits, is taken for a viewer with one report in the end', async () => {
    const { userId, claims, hls } = await opened(81_000)
    for (let index = 0; index < 10; index += 1) await fetchSegment(server, { hls, index })
    await expect.poll(() => servedTo(server, claims.session), { timeout: 15_000 }).toEqual([[0, 60_000]])
    await writeLog(server, [sent(claims, { at: 61_000, spans: [[0, 0, 60_000, 60_000, 100, 0]] })])
    await aggregate()
    const { evidence, completedAt } = await outcome(userId, claims)
    expect(evidence).toEqual(['proven', 'proven', 'proven'])
    expect(completedAt).not.toContain(null)
  })
})

describe('an honest viewer', () => {
  const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

  it('completes once the record has caught up, for good, and never before the page was made', async () => {
    const { userId, claims, hls, playToken } = await opened(60_500)
    await fetchSegment(server, { hls, index: 0 })
    await writeLog(server, [sent(claims, { at: 60_500, spans: [[0, 0, 60_000, 60_000, 100, 0]] })])
    await aggregate()
    expect(await outcome(userId, claims)).toMatchObject({
      evidence: ['checking', 'checking', 'checking'],
      completedAt: [null, null, null],
    })
    const receipt = await server.call(readReceipt, { body: { playToken } })
    expect(receipt.body).toMatchObject({ completedAt: null, evidence: 'checking', isChecking: true })
    for (const index of all) await fetchSegment(server, { hls, index })
    await expect.poll(() => servedTo(server, claims.session), { timeout: 15_000 }).toEqual([[0, 60_000]])
    await aggregate()
    const given = await outcome(userId, claims)
    expect(given).toMatchObject({ evidence: ['proven', 'proven', 'proven'], certificate: 200 })
    const completedAt = given.completedAt[0]
    expect(completedAt).toBeInstanceOf(Date)
    expect(Number(completedAt)).toBeGreaterThanOrEqual(claims.iat)
    await query('delete from served_parts where session_id = $1', [claims.session])
    await query(`update viewer_videos set evidence = 'checking' where viewer_key = $1`, [claims.viewerKey])
    await aggregate()
    expect((await outcome(userId, claims)).completedAt).toEqual(given.completedAt)
  })

  it('is likely without a record, and counts unless their organization asks for more', async () => {
    const change = async (policies: object) => {
      const read = await admin.call(readOrganization, { params: { orgId } })
      const changed = await admin.call(updateOrganizationSettings, {
        params: { orgId },
        headers: { 'if-match': String(read.headers['etag']) },
        body: { name: read.body.name, policies },
      })
      expect(changed.status).toBe(200)
    }
    const watch = async () => {
      const one = await opened(81_000)
      const { run: _run, ...claims } = one.claims
      await writeLog(server, paced(claims))
      await aggregate()
      return () => outcome(one.userId, claims)
    }
    const before = await watch()
    expect(await before()).toMatchObject({ evidence: ['likely', 'likely', 'likely'], certificate: 200 })
    const given = (await before()).completedAt
    expect(given).not.toContain(null)
    await change({ completionEvidence: 'proven', certificateEvidence: 'proven' })
    const after = await watch()
    expect(await after()).toMatchObject({ completedAt: [null, null, null], certificate: 409 })
    expect((await before()).completedAt, 'what was given stays').toEqual(given)
    await change({ completionEvidence: 'likely' })
    await aggregate()
    expect((await after()).completedAt).not.toContain(null)
  })
})
