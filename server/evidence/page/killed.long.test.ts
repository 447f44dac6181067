import { once } from 'node:events'
import { expect, test } from 'vitest'
import { readEvidence } from '#contract/evidence/evidence.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import type { PlayClaims } from '#server/tracking/ingest/token.ts'
import { startAnother } from '#server/testing/processes/another.ts'
import { addMedia, addViewer, servedTo } from '#server/testing/viewing/served.ts'
import { startTestServer } from '#server/testing/server.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'

const server = await aServer()
const { query } = server
await server.app.ready()

const runs = () =>
  query<{ id: string; endedAt: Date | null }>('select id, ended_at as "endedAt" from served_runs')

async function fetched(url: string, hls: string, indexes: number[]): Promise<void> {
  const answers = indexes.map(async (index) => {
    const answer = await fetch(url + hls.replace('master.m3u8', `360p/${String(index).padStart(5, '0')}.m4s`))
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
