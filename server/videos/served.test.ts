import { describe, expect, it, test } from 'vitest'
import { mediaPath, signMedia } from '../platform/http/pages/media-link.ts'
import { forgetServed } from '../tracking/served/served.ts'
import {
  addMedia,
  addViewer,
  fetchSegment,
  refuseRows,
  segmentBytes,
  servedTo,
} from '../testing/viewing/served.ts'
import { startTestServer } from '../testing/server.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aServer } from '../testing/worlds.ts'

const server = await aServer()
const orgId = await server.organization()
const video = await addMedia(server, orgId)

const recipient = () => addViewer(server, orgId, video)
async function written(session: string, parts: [number, number][]): Promise<void> {
  await expect.poll(() => servedTo(server, session), { timeout: 15_000 }).toEqual(parts)
}

describe('what was handed out', () => {
  it('is the pictures that really left: no question, no sound alone, nothing that was known', async () => {
    const { open } = await recipient()
    const { claims, hls } = await open()
    const whole = await fetchSegment(server, { hls, index: 0 })
    await written(claims.session, [[0, 6_000]])
    expect((await fetchSegment(server, { hls, index: 1 }, { method: 'HEAD' })).status).toBe(200)
    expect((await fetchSegment(server, { hls, index: 2 }, { rendition: 'audio' })).status).toBe(200)
    const headers = { 'if-none-match': String(whole.headers['etag']) }
    expect((await fetchSegment(server, { hls, index: 0 }, { headers })).status).toBe(304)
    await server.app.inject({ url: hls.replace('master.m3u8', '360p/index.m3u8') })
    const probe = await fetchSegment(server, { hls, index: 7 }, { headers: { range: 'bytes=0-1' } })
    expect(probe.status).toBe(206)
    // The second half of a segment.
    const range = { range: `bytes=${segmentBytes / 2}-` }
    expect((await fetchSegment(server, { hls, index: 5 }, { headers: range })).status).toBe(206)
    await written(claims.session, [
      [0, 6_000],
      [33_000, 36_000],
    ])
    const [row] = await server.query<object>('select * from served_parts where session_id = $1', [
      claims.session,
    ])
    expect(row).toMatchObject({
      requests: 2,
      bytes: String(segmentBytes * 1.5),
      viewer_key: claims.viewerKey,
      organization_id: orgId,
    })
  })

  it('is announced before it leaves, once for each session, and by nothing else', async () => {
    const { open } = await recipient()
    const { claims, hls } = await open()
    const announced = () =>
      server.query('select organization_id from served_sessions where session_id = $1', [claims.session])
    await fetchSegment(server, { hls, index: 0 }, { method: 'HEAD' })
    await fetchSegment(server, { hls, index: 0 }, { rendition: 'audio' })
    await server.app.inject({ url: hls.replace('master.m3u8', '360p/index.m3u8') })
    expect(await announced()).toEqual([])
    for (const index of [0, 1]) await fetchSegment(server, { hls, index })
    expect(await announced()).toEqual([{ organization_id: orgId }])
  })

  it('does not leave where it cannot be announced, and does as soon as it can', async () => {
    const { open } = await recipient()
    const [here, there] = [await open(), await open()]
    expect((await fetchSegment(server, { hls: here.hls, index: 0 })).status).toBe(200)
    const allow = await refuseRows(server, 'served_sessions')
    expect((await fetchSegment(server, { hls: there.hls, index: 0 })).status).toBe(503)
    expect((await fetchSegment(server, { hls: here.hls, index: 1 })).status, 'known already').toBe(200)
    await allow()
    expect((await fetchSegment(server, { hls: there.hls, index: 0 })).status).toBe(200)
    await written(there.claims.session, [[0, 6_000]])
  })

  it('leaves nothing of the console, and where a cache stands in front', async () => {
    const { keys, db } = server.services
    const grant = { organizationId: orgId, ...video, seconds: 60 }
    const inConsole = mediaPath(signMedia(keys, grant), video, 'master.m3u8')
    const cached = await startTestServer({ MEDIA_CACHE: '1' })
    const theirs = await cached.organization()
    const there = await addMedia(cached, theirs)
    const { data } = await openPage(cached, `/w/video/${there.videoId}`)
    expect((await fetchSegment(cached, { hls: data?.hls ?? '', index: 0 })).status).toBe(200)
    expect((await fetchSegment(server, { hls: inConsole, index: 9 })).status).toBe(200)
    await Promise.all([cached.app.close(), new Promise((resolve) => setTimeout(resolve, 1_500))])
    const ofConsole = await db.system.query('select 1 from served_parts where parts @> 55000')
    expect(ofConsole.rowCount).toBe(0)
    const all = await cached.services.db.system.query('select 1 from served_parts')
    expect(all.rowCount).toBe(0)
    await cached.close()
  })

  it('is written when the server stops', async () => {
    const own = await startTestServer()
    const org = await own.organization()
    const { videoId } = await addMedia(own, org)
    const { data } = await openPage(own, `/w/video/${videoId}`)
    await fetchSegment(own, { hls: data?.hls ?? '', index: 0 })
    await own.app.close()
    expect((await own.services.db.system.query('select 1 from served_parts')).rowCount).toBe(1)
    await own.close()
  })
})

test('a record without a session is forgotten when evidence gets too old', async () => {
  const { open } = await recipient()
  const { claims, hls } = await open()
  await fetchSegment(server, { hls, index: 0 })
  await written(claims.session, [[0, 6_000]])
  const { db } = server.services
  const announced = () =>
    server.query('select 1 from served_sessions where session_id = $1', [claims.session])
  await forgetServed(db)
  expect(await servedTo(server, claims.session)).toHaveLength(1)
  expect(await announced()).toHaveLength(1)
  // Of a run that left a gap, so that only the age of the evidence ends it.
  await server.query(`update served_runs set recorded_to = now() - interval '3 years'`)
  await server.query(
    `with parts as (update served_parts set last_at = now() - interval '26 months' where session_id = $1)
      update served_sessions set since = now() - interval '26 months' where session_id = $1`,
    [claims.session],
  )
  await forgetServed(db)
  expect(await servedTo(server, claims.session)).toHaveLength(0)
  expect(await announced()).toHaveLength(0)
})
