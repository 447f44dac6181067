import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { readOrganization } from '#contract/directory/organizations.ts'
import {
  listAccountActivity,
  listUserActivity,
  reportUserActivity,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { row } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { startPlay } from '../tracking/ingest/token.ts'
import { addVideo, batchOf } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

/** How many reports wait for a table that somebody else keeps to themselves. */
async function stuck(): Promise<number | undefined> {
  const rows = await server.query<{ n: number }>(
    `select count(distinct pid)::int as n from pg_locks where not granted and locktype = 'relation'
      and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows[0]?.n
}

/** Keeps every report from ending while `work` runs. */
async function withoutEnd(work: () => Promise<void>): Promise<void> {
  const holder = await server.services.db.system.connect()
  await holder.query('begin; lock table day_rollups in access exclusive mode')
  try {
    await work()
  } finally {
    await holder.query('rollback')
    holder.release()
  }
}

test('reports that never end hold up neither evidence nor the console', async () => {
  const { orgId: organizationId, admin } = await anOrganization(server)
  const video = await addVideo(server, { organizationId })
  const another = await server.person('admin', organizationId)
  let asked: Promise<{ status: number }>[] = []
  await withoutEnd(async () => {
    asked = Array.from({ length: 30 }, (_none, n) =>
      admin.call(n % 2 ? reportUserActivity : reportUserEngagement),
    )
    // Nobody has all places to themselves.
    await expect.poll(stuck, { timeout: 20_000 }).toBe(2)
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
    expect((await another.call(listAccountActivity)).status).toBe(200)
    asked.push(...Array.from({ length: 5 }, () => another.call(reportUserActivity)))
    await expect.poll(stuck, { timeout: 20_000 }).toBe(3)
    // Not one more of them comes to the database.
    expect((await server.call(reportUserActivity)).status).toBe(401)
    expect(await stuck()).toBe(3)
  })
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
})

test('a report that nobody waits for any more ends in the database, and makes room', async () => {
  const { admin } = await anOrganization(server)
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const address = server.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  await withoutEnd(async () => {
    const page = new AbortController()
    const asked = Array.from({ length: 4 }, () =>
      fetch(`http://127.0.0.1:${address.port}/api${reportUserActivity.path}`, {
        headers: { authorization: `Bearer ${admin.token}` },
        signal: page.signal,
      }).catch((error: unknown) => error),
    )
    await expect.poll(stuck, { timeout: 20_000 }).toBe(2)
    page.abort()
    await Promise.all(asked)
    // Neither those that were at work nor those that waited for them.
    await expect.poll(stuck, { timeout: 20_000 }).toBe(0)
    expect((await admin.call(listAccountActivity)).status).toBe(200)
  })
})

const Planned = z.object({ own: z.number(), shared: z.number() })

test('a report that is asked for again and again is planned for its own days each time', async () => {
  const admin = await server.person('admin', await server.organization())
  const works = [
    () => admin.call(reportUserActivity),
    () => admin.call(reportUserEngagement),
    () => admin.call(listUserActivity, { query: { sort: '-watchedMs' } }),
  ]
  // After five plans a database would turn to one for any days.
  for (let n = 0; n < 10; n++) for (const work of works) expect((await work()).status).toBe(200)
  const planned = await server.services.db.asReport('system', (tx) =>
    row(
      tx,
      Planned,
      sql`select sum(custom_plans)::int as own, sum(generic_plans)::int as shared from pg_prepared_statements
        where statement like '%viewer_days%'`,
    ),
  )
  expect(planned?.own).toBeGreaterThan(18)
  expect(planned?.shared).toBe(0)
})
