import { expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import { createVideo } from '#contract/videos/videos.ts'
import { readJobs, readStorage, retryJob, type JobKind } from '#contract/platform/upkeep.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')
const { orgId: organizationId, admin } = await anOrganization(server, 'Acme')

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)

test('requires sign-in', async () => {
  expect((await server.call(readStorage)).status).toBe(401)
  expect((await server.call(readJobs)).status).toBe(401)
})

test('requires role', async () => {
  expect((await admin.call(readStorage)).status).toBe(403)
  expect((await admin.call(readJobs)).status).toBe(403)
  expect((await admin.call(retryJob, { params: { jobId: crypto.randomUUID() } })).status).toBe(403)
})

test('says what takes how much, largest organization first, and nothing of what is removed', async () => {
  const larger = await server.organization('Larger')
  const add = async (of: string, { source, made }: { source: number; made: number }) => {
    const { videoId, versionId } = await addVideo(server, {
      organizationId: of,
      title: 'Film',
      durationMs: 1_000,
    })
    await query(
      `update video_versions set uploaded_at = now(), size = $2, probe = jsonb_build_object('bytes', $3::int) where id = $1`,
      [versionId, source, made],
    )
    return videoId
  }
  await add(organizationId, { source: 1_000, made: 500 })
  await add(larger, { source: 300, made: 2_000 })
  const removed = await add(larger, { source: 9_000, made: 9_000 })
  await query('update videos set deleted_at = now(), files_removed_at = now() where id = $1', [removed])
  const { uploadUrl } = (
    await admin.call(createVideo, { body: { title: 'Half', fileName: 'half.mp4', size: 100 } })
  ).body
  const sent = await server.app.inject({
    method: 'PATCH',
    url: uploadUrl,
    headers: {
      authorization: `Bearer ${admin.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    payload: Buffer.alloc(70),
  })
  expect(sent.statusCode).toBe(204)
  const { body } = await superadmin.call(readStorage)
  expect(body.store).toEqual({ kind: 'folder', place: server.services.env.dataDir })
  expect(body.parts).toMatchObject({ sources: 1_300, videos: 2_500, uploads: 70 })
  expect(body.parts.database).toBeGreaterThan(1_000_000)
  expect(body.organizations).toEqual([
    { id: larger, name: 'Larger', bytes: 2_300 },
    { id: organizationId, name: 'Acme', bytes: 1_500 },
  ])
})

/** Queued and, as a worker does at its last try, given up. */
async function failedJob(kind: JobKind, data: object): Promise<string> {
  const inserted = await query(
    `insert into pgboss.job (name, data, state, retry_limit, retry_count, completed_on, output, singleton_key, policy)
      values ($1, $2, 'failed', 5, 5, now(), '{"message":"The clouds fell down."}', $3,
        (select policy from pgboss.queue where name = $1)) returning id`,
    [kind, JSON.stringify(data), Object.values(data).join(':') || null],
  )
  return (inserted.rows[0] as { id: string }).id
}

const again = (jobId: string, by = superadmin) => by.call(retryJob, { params: { jobId } })
const countOf = async (kind: JobKind) =>
  (await superadmin.call(readJobs)).body.kinds.find((one) => one.kind === kind)

test('tells what waits, since when, and what has failed, and about what', async () => {
  const { videoId, versionId } = await addVideo(server, { organizationId, title: 'Drill', durationMs: 1_000 })
  const data = { organizationId, videoId, versionId }
  const id = await failedJob('video.process', data)
  await server.services.jobs.wake('video.process', { ...data, versionId: crypto.randomUUID() })
  await query(`update pgboss.job set created_on = now() - interval '9 minutes', start_after = created_on - interval '9 minutes'
    where name = 'video.process' and state = 'created'`)
  const count = await countOf('video.process')
  expect(count).toMatchObject({ waiting: 1, later: 0, running: 0, failed: 1 })
  expect(count?.oldestSeconds).toBeGreaterThan(500)
  const { body } = await superadmin.call(readJobs)
  expect(body.failures[0]).toMatchObject({
    id,
    kind: 'video.process',
    message: 'The clouds fell down.',
    organizationName: 'Acme',
    video: { id: videoId, title: 'Drill' },
    transmission: null,
  })
  // Whether another try can help a video is known on its page.
  expect((await again(id)).status).toBe(409)
})

test('begins again what failed, once, and writes it down', async () => {
  const data = { organizationId, transmissionId: crypto.randomUUID() }
  const id = await failedJob('transmission.run', data)
  const { status, body } = await again(id)
  expect(status).toBe(200)
  expect(body.failures.map((one) => one.id)).not.toContain(id)
  expect((await countOf('transmission.run'))?.waiting).toBe(1)
  expect((await again(id)).status).toBe(409)
  const { items } = (await superadmin.call(listAudit, { query: { action: 'job.' } })).body
  expect(items).toHaveLength(1)
  // The same work is in line already.
  expect((await again(await failedJob('transmission.run', data))).status).toBe(409)
})
