import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOrganization } from '#contract/organizations.ts'
import { reportUserActivity, reportUserEngagement } from '#contract/reports.ts'
import { startPlay } from '../plays/token.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { addVideo, batchOf } from '../testing/viewing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('reports that never end hold up neither evidence nor the console', async () => {
  const organizationId = await server.organization()
  const admin = await server.person('admin', organizationId)
  const video = await addVideo(server, { organizationId })
  const { system } = server.services.db
  const holder = await system.connect()
  await holder.query('begin; lock table day_rollups in access exclusive mode')
  const stuck = Array.from({ length: 30 }, (_none, n) =>
    admin.call(n % 2 ? reportUserActivity : reportUserEngagement),
  )
  try {
    const waiting = () =>
      system.query<{ n: number }>(
        `select count(distinct pid)::int as n from pg_locks where not granted and locktype = 'relation'
          and database = (select oid from pg_database where datname = current_database())`,
      )
    await expect.poll(async () => (await waiting()).rows[0]?.n, { timeout: 20_000 }).toBe(3)
    const play = {
      org: organizationId,
      video: video.videoId,
      version: video.versionId,
      durMs: 60_000,
      kind: 'visitor' as const,
      maxRate: 2,
      theta: 0.95,
    }
    for (let n = 0; n < 20; n++) {
      const { token: playToken } = startPlay(server.services.keys, play)
      expect((await server.send('POST', '/api/tracks', { body: batchOf({ playToken }) })).status).toBe(200)
      const answer = await admin.call(readOrganization, { params: { orgId: organizationId } })
      expect(answer.status).toBe(200)
    }
    // Not one more of them has come to the database meanwhile.
    expect((await waiting()).rows[0]?.n).toBe(3)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  for (const { status } of await Promise.all(stuck)) expect(status).toBe(200)
})
