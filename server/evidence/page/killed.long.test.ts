import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readEvidence } from '#contract/evidence/evidence.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { signPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { startAnother } from '#server/testing/processes/another.ts'
import { start } from '#server/testing/processes/process.ts'
import { addMedia, addViewer, fetchSegment, refuseRows, servedTo } from '#server/testing/viewing/served.ts'
import { secret, startTestServer } from '#server/testing/server.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { report } from '#server/testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'

const server = await aServer()
const { query } = server
await server.app.ready()

const runs = () =>
  query<{ id: string; endedAt: Date | null }>('select id, ended_at as "endedAt" from served_runs')

const segmentOf = (hls: string, index: number) =>
  hls.replace('master.m3u8', `360p/${String(index).padStart(5, '0')}.m4s`)

async function fetched(url: string, hls: string, indexes: number[]): Promise<void> {
  const answers = indexes.map(async (index) => {
    const answer = await fetch(url + segmentOf(hls, index))
    await answer.arrayBuffer()
    return answer.status
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
}

/** Watched half a minute, with nothing heard of it for a while. */
async function watched(claims: PlayClaims): Promise<void> {
  const spans: Span[] = [[0, 0, 30_000, 30_000, 100, 0]]
  await writeLog(server, [sent(claims, { at: 31_000, spans })])
  await aggregateOnce(server.services.db)
}

test('a server that is killed before it wrote down what it handed out makes nobody look like a liar', async () => {
  const { orgId, admin } = await anOrganization(server)
  const video = await addMedia(server, orgId)
  const { userId, open } = await addViewer(server, orgId, video)
  const stateNow = async () => {
    const { body } = await admin.call(readEvidence, { params: { orgId, userId, videoId: video.videoId } })
    return { state: body.state, session: body.sessions.items[0], unserved: body.versions[0]?.unserved }
  }
  const own = (await runs()).map(({ id }) => id)
  const { child, url } = await startAnother(server)
  const { claims, hls } = await open()
  await fetched(url, hls, [0])
  await expect.poll(() => servedTo(server, claims.session), { timeout: 15_000 }).toEqual([[0, 6_000]])
  await fetched(url, hls, [1, 2, 3, 4])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await servedTo(server, claims.session), 'killed before the write').toEqual([[0, 6_000]])
  await watched(claims)
  // An hour has passed since, for the session as for the server that was killed.
  const hour = `interval '1 hour'`
  await query(
    `update play_sessions set started_at = started_at - ${hour}, zero_at = zero_at - ${hour}, last_at = last_at - ${hour}`,
  )
  await query(`update served_parts set first_at = first_at - ${hour}, last_at = last_at - ${hour}`)
  await query(
    `update served_runs set recorded_to = recorded_to - ${hour}, beaten_at = beaten_at - ${hour} where id <> all($1)`,
    [own],
  )
  expect(await stateNow()).toMatchObject({
    state: 'likely',
    session: { isRecordBroken: true, state: 'likely' },
    unserved: [],
  })
  // The other server finds that it is dead, and closes its record.
  await expect
    .poll(async () => (await runs()).find(({ id }) => !own.includes(id))?.endedAt, { timeout: 15_000 })
    .toBeInstanceOf(Date)
  expect((await stateNow()).state).toBe('likely')
  // Without what the killed server said of itself it would have been an accusation.
  await query('delete from served_runs where id <> all($1)', [own])
  expect(await stateNow()).toMatchObject({ state: 'contradicted', unserved: [[6_000, 30_000]] })
})

test('a server that stops as it should leaves nothing to doubt', async () => {
  const before = (await runs()).length
  const own = await startTestServer()
  const count = async () => (await own.services.db.system.query('select 1 from served_runs')).rowCount
  expect(await count()).toBe(0)
  await own.app.ready()
  expect(await count()).toBe(1)
  await own.app.close()
  expect(await count()).toBe(0)
  await own.close()
  expect((await runs()).length).toBe(before)
})

/** Reports that all of the video was watched, as if its page had been opened a minute before it was; when it was heard of is now. */
async function reported({ claims }: { claims: PlayClaims }): Promise<void> {
  const playToken = signPlay(server.services.keys, { ...claims, iat: claims.iat - 61_000 })
  await report(server, { playToken, elapsedMs: 60_500, spans: [[0, 0, 60_000, 60_000, 100, 0]] })
}

/** The states that each of them went through until nothing is being checked. */
async function judged(viewers: readonly { claims: PlayClaims }[]): Promise<string[][]> {
  const seen = viewers.map(() => new Set<string>())
  const look = async () => {
    await aggregateOnce(server.services.db)
    const found = await query<{ key: string; evidence: string }>(
      'select viewer_key as key, evidence from viewer_videos',
    )
    const now = viewers.map(({ claims }) => found.find(({ key }) => key === claims.viewerKey)?.evidence ?? '')
    for (const [n, state] of now.entries()) seen[n]?.add(state)
    return now.every((state) => state !== 'checking')
  }
  await expect.poll(look, { timeout: 40_000, interval: 500 }).toBe(true)
  return seen.map((states) => Array.from(states))
}

const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

test('of two servers the one that is killed makes doubtful whom it served, and nobody else', async () => {
  const { orgId } = await anOrganization(server)
  const video = await addMedia(server, orgId)
  const opened = async () => (await addViewer(server, orgId, video)).open()
  const [killed, other] = await Promise.all([startAnother(server), startAnother(server)])
  const [doubtful, honest, forger, idle] = [await opened(), await opened(), await opened(), await opened()]
  await fetched(other.url, honest.hls, all)
  await fetched(other.url, forger.hls, [0])
  await fetched(killed.url, doubtful.hls, [0])
  await expect
    .poll(() => servedTo(server, doubtful.claims.session), { timeout: 15_000 })
    .toEqual([[0, 6_000]])
  await fetched(killed.url, doubtful.hls, [1, 2, 3, 4])
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  const viewers = [doubtful, honest, forger, idle]
  for (const one of viewers) await reported(one)
  const [first = [], ...others] = await judged(viewers)
  expect(first.at(-1)).toBe('likely')
  expect(first, 'while nobody knew that it was dead').not.toContain('contradicted')
  expect(others.map((states) => states.at(-1))).toEqual(['proven', 'contradicted', 'contradicted'])
  expect(others.flat()).not.toContain('likely')
  expect(others[2], 'nobody had handed anything to it').toEqual(['contradicted'])
  other.child.kill()
})

test('a server that is told to stop in the midst of viewing finishes, and makes nobody doubtful', async () => {
  const { orgId } = await anOrganization(server)
  const video = await addMedia(server, orgId)
  const { dataDir } = server.services.env
  // So large that it cannot have left before somebody reads it.
  const large = Buffer.alloc(40_000_000)
  const folder = path.join(dataDir, 'media', orgId, video.videoId, video.versionId)
  await writeFile(path.join(folder, '360p', '00004.m4s'), large)
  const opened = async () => (await addViewer(server, orgId, video)).open()
  const before = await runs()
  const { child, url, ended } = await start({
    DATABASE_URL: server.ownerUrl,
    DATA_DIR: dataDir,
    SECRET_KEY: secret,
    RUN: 'api',
  })
  expect(await runs()).toHaveLength(before.length + 1)
  const [honest, forger] = [await opened(), await opened()]
  await fetched(url, honest.hls, [0, 1, 2, 3])
  await fetched(url, forger.hls, [0])
  const agent = new Agent({ keepAlive: true })
  const [answer] = (await once(get(url + segmentOf(honest.hls, 4), { agent }), 'response')) as [
    IncomingMessage,
  ]
  child.kill('SIGTERM')
  await expect.poll(() => fetch(url).catch(() => 'refused')).toBe('refused')
  expect((await buffer(answer)).length).toBe(large.length)
  const read = Date.now()
  expect(await ended).toBe('0')
  // Whoever told it to stop would have killed it by then.
  expect(Date.now() - read).toBeLessThan(9_000)
  agent.destroy()
  expect(await runs()).toHaveLength(before.length)
  for (const index of [5, 6, 7, 8, 9]) await fetchSegment(server, { hls: honest.hls, index })
  for (const one of [honest, forger]) await reported(one)
  const [ofHonest, ofForger] = await judged([honest, forger])
  expect(ofHonest?.at(-1)).toBe('proven')
  expect(ofForger?.at(-1)).toBe('contradicted')
  expect([ofHonest, ofForger].flat()).not.toContain('likely')
})

test('while nothing can be written down, pages open that rely on no record, and play', async () => {
  const { orgId } = await anOrganization(server)
  const video = await addMedia(server, orgId)
  const opened = async () => (await addViewer(server, orgId, video)).open()
  const allow = await refuseRows(server, 'served_runs', 'served_sessions')
  const run = async () => (await opened()).claims.run
  await expect.poll(run, { timeout: 30_000, interval: 500 }).toBeUndefined()
  const { hls } = await opened()
  expect((await fetchSegment(server, { hls, index: 0 })).status).toBe(200)
  await allow()
  await expect.poll(run, { timeout: 30_000, interval: 500 }).toBeDefined()
})
