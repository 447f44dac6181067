import { once } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { buildApp } from '#server/app.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { mediaPath, signMedia } from '#server/platform/http/pages/media-link.ts'
import { startPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { startAnother } from '#server/testing/processes/another.ts'
import { addMedia } from '#server/testing/viewing/served.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer } from '#server/testing/worlds.ts'

const people = 1_000

const server = await aServer()
const { query } = server

let organizationId: string
let video: { videoId: string; versionId: string }
await server.app.ready()
beforeEach(async () => {
  organizationId = await server.organization()
  video = await addMedia(server, organizationId)
})

const runs = async () => (await query<{ id: string }>('select id from served_runs')).map(({ id }) => id)

type Viewer = { claims: PlayClaims; hls: string }

/** Somebody who opened the page a minute ago, while this run kept its record (none: before there were such records). */
function viewer(run: string | undefined): Viewer {
  const { keys } = server.services
  const ids = { org: organizationId, video: video.videoId, version: video.versionId }
  const { claims } = startPlay(
    keys,
    {
      ...ids,
      durMs: 60_000,
      kind: 'recipient',
      userId: crypto.randomUUID(),
      maxRate: 2,
      theta: 0.95,
      ...(run === undefined ? {} : { run }),
    },
    Date.now() - 61_000,
  )
  const grant = { organizationId, ...video, seconds: 60 }
  const play = { session: claims.session, viewerKey: claims.viewerKey }
  return { claims, hls: mediaPath(signMedia(keys, { ...grant, play }), grant, 'master.m3u8') }
}

type Fetch = (url: string) => Promise<number>

/** Everybody fetches these segments; twenty requests at once. */
async function fetchAll(viewers: Viewer[], indexes: number[], fetch: Fetch): Promise<void> {
  const urls = viewers.flatMap(({ hls }) =>
    indexes.map((index) => hls.replace('master.m3u8', `360p/${String(index).padStart(5, '0')}.m4s`)),
  )
  const next = urls.values()
  const work = async () => {
    for (const url of next) expect(await fetch(url)).toBe(200)
  }
  await Promise.all(Array.from({ length: 20 }, work))
}

/** All of them report that they watched it whole, which is true; gives how many are in which state once nothing is being checked. */
async function states(viewers: Viewer[]): Promise<Record<string, number>> {
  const now = Date.now()
  const spans: Span[] = [[0, 0, 60_000, 60_000, 100, 0]]
  await writeLog(
    server,
    viewers.map(({ claims }) => sent(claims, { at: now - claims.iat, spans })),
  )
  const count = async () => {
    await aggregateOnce(server.services.db)
    const found = await query<{ evidence: string; n: number; completed: number }>(
      `select evidence, count(*)::int as n, count(completed_at)::int as completed from viewer_videos where video_id = $1 group by 1`,
      [video.videoId],
    )
    // While one is being checked, so may be others who have watched the same.
    const checked = found.filter(({ evidence }) => evidence !== 'checking')
    for (const { evidence, n, completed } of checked) expect(completed, evidence).toBe(n)
    return Object.fromEntries(found.map(({ evidence, n }) => [evidence, n]))
  }
  await expect.poll(count, { timeout: 60_000, interval: 1_000 }).not.toHaveProperty('checking')
  return count()
}

const inProcess: Fetch = async (url) => (await server.app.inject({ url })).statusCode
const first = [0, 1, 2, 3, 4]
const second = [5, 6, 7, 8, 9]

test('a server that is killed while a thousand people watch makes none of them look like a liar', async () => {
  const own = await runs()
  const { child, url: other } = await startAnother(server)
  const run = (await runs()).find((id) => !own.includes(id))
  const viewers = Array.from({ length: people }, () => viewer(run))
  let handed = 0
  await fetchAll(viewers, first, async (url) => {
    const answer = await fetch(other + url)
    await answer.arrayBuffer()
    handed += 1
    return answer.status
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(handed).toBe(people * first.length)
  await fetchAll(viewers, second, inProcess)
  const found = await states(viewers)
  expect(found).not.toHaveProperty('contradicted')
  expect((found['likely'] ?? 0) + (found['proven'] ?? 0)).toBe(people)
})

test('a rolling update in the midst of a thousand viewings accuses nobody', async () => {
  const own = await runs()
  const old = await buildApp(server.services, server.services.log)
  await old.ready()
  const run = (await runs()).find((id) => !own.includes(id))
  const viewers = Array.from({ length: people }, () => viewer(run))
  const fromOld: Fetch = async (url) => (await old.inject({ url })).statusCode
  await Promise.all([fetchAll(viewers, first, fromOld), fetchAll(viewers, second.slice(0, 2), inProcess)])
  await old.close()
  await fetchAll(viewers, second.slice(2), inProcess)
  expect(await states(viewers)).toEqual({ proven: people })
})

test('an upgrade accuses nobody whose page is from before', async () => {
  const viewers = Array.from({ length: people }, () => viewer(undefined))
  await fetchAll(viewers.slice(0, people / 2), [4], inProcess)
  expect(await states(viewers)).toEqual({ likely: people })
  // As the migration leaves everybody who watched before it.
  await query(`update viewer_videos set evidence = 'checking' where video_id = $1`, [video.videoId])
  while (
    (
      await query(`select 1 from viewer_videos where evidence = 'checking' and video_id = $1`, [
        video.videoId,
      ])
    ).length > 0
  )
    await aggregateOnce(server.services.db)
  expect(await states([])).toEqual({ likely: people })
})
