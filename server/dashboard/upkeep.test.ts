import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
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

async function put(folder: string, bytes: number): Promise<void> {
  const at = path.join(server.services.env.dataDir, folder)
  await mkdir(at, { recursive: true })
  await writeFile(path.join(at, crypto.randomUUID()), Buffer.alloc(bytes))
}

test('says what takes how much, largest organization first, and what belongs to nobody last', async () => {
  const larger = await server.organization('Larger')
  await put(`sources/${organizationId}/${crypto.randomUUID()}`, 1_000)
  await put(`media/${organizationId}/${crypto.randomUUID()}/v/360p`, 500)
  await put(`media/${larger}/${crypto.randomUUID()}/v`, 2_000)
  await put(`media/${crypto.randomUUID()}/gone`, 9_000)
  await put('uploads', 70)
  const { body } = await superadmin.call(readStorage)
  expect(body).toMatchObject({ folder: server.services.env.dataDir, isWhole: true })
  expect(body.parts).toMatchObject({ sources: 1_000, videos: 11_500, uploads: 70 })
  expect(body.parts.database).toBeGreaterThan(1_000_000)
  expect(body.organizations).toEqual([
    { id: larger, name: 'Larger', bytes: 2_000 },
    { id: organizationId, name: 'Acme', bytes: 1_500 },
    { id: null, name: null, bytes: 9_000 },
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
