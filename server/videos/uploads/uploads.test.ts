import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createVideo, deleteVideo, readUpload, readVideo } from '#contract/videos/videos.ts'
import { startAnother } from '../../testing/processes/another.ts'
import type { Person } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'
import { sweepUploads } from './finish.ts'
import { probeVideo } from '../process.ts'

const server = await aServer()
const origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
const admin = await server.person('admin', await server.organization())
const stranger = await server.person('admin', await server.organization('Other'))

type Sent = { method?: string; offset?: number; body?: Buffer; at?: string; headers?: Record<string, string> }

/** One tus request by hand. */
async function tus(
  person: Person | undefined,
  url: string,
  { method = 'PATCH', offset, body, at, headers }: Sent,
) {
  return fetch((at ?? origin) + url, {
    method,
    headers: {
      'tus-resumable': '1.0.0',
      ...(person ? { authorization: `Bearer ${person.token}` } : {}),
      ...(offset === undefined ? {} : { 'upload-offset': String(offset) }),
      ...(method === 'PATCH' ? { 'content-type': 'application/offset+octet-stream' } : {}),
      ...headers,
    },
    ...(body ? { body: new Uint8Array(body) } : {}),
  })
}

async function offsetOf(url: string, at = origin): Promise<number> {
  const answer = await tus(admin, url, { method: 'HEAD', at })
  expect(answer.status).toBe(200)
  return Number(answer.headers.get('upload-offset'))
}

async function announce(size: number) {
  const { video, uploadUrl } = (
    await admin.call(createVideo, { body: { title: 'Clip', fileName: 'clip.mp4', size } })
  ).body
  return { id: video.id, versionId: video.versionId ?? '', uploadUrl }
}

const uploadOf = ({ versionId }: { versionId: string }) =>
  path.join(server.services.env.dataDir, 'uploads', versionId)

/** Five bytes as a server leaves them that dies before it can note them. */
async function leave(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, '12345')
}

const read = async (id: string) => (await admin.call(readVideo, { params: { videoId: id } })).body
const sourceOf = ({ id, versionId }: { id: string; versionId: string }) =>
  path.join(server.services.env.dataDir, 'sources', admin.organizationId ?? '', id, versionId)
const jobsFor = async (versionId: string) =>
  (
    await server.services.db.system.query(
      `select 1 from pgboss.job where name = 'video.probe' and data->>'versionId' = $1`,
      [versionId],
    )
  ).rowCount

/** Sends the head and the first bytes of a PATCH, and leaves the rest unsent. */
function beginPatch(url: string, part: Buffer, { offset, total }: { offset: number; total: number }) {
  const request = http.request(origin + url, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${admin.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': total,
    },
  })
  request.on('error', () => undefined)
  request.write(part)
  return request
}

describe('who may upload', () => {
  test('requires sign-in and the role', async () => {
    const { uploadUrl } = await announce(10)
    expect((await tus(undefined, uploadUrl, { method: 'HEAD' })).status).toBe(401)
    const groupadmin = await server.person('groupadmin', admin.organizationId)
    expect((await tus(groupadmin, uploadUrl, { method: 'HEAD' })).status).toBe(403)
    const refused = await tus(groupadmin, uploadUrl, { offset: 0, body: Buffer.from('0123456789') })
    expect(refused.status).toBe(403)
  })

  test("another organization's upload does not exist; a superadmin may continue it", async () => {
    const { uploadUrl } = await announce(10)
    expect((await tus(stranger, uploadUrl, { method: 'HEAD' })).status).toBe(404)
    expect((await tus(stranger, uploadUrl, { offset: 0, body: Buffer.from('0123456789') })).status).toBe(404)
    expect((await tus(admin, '/api/uploads/..%2f..%2fsecret-key', { method: 'HEAD' })).status).toBe(404)
    expect((await tus(admin, '/api/uploads/nothing', { method: 'HEAD' })).status).toBe(404)
    expect((await tus(admin, '/api/uploads', { method: 'POST' })).status).toBe(404)
    const superadmin = await server.person('superadmin')
    expect((await tus(superadmin, uploadUrl, { method: 'HEAD' })).status).toBe(200)
    expect(await offsetOf(uploadUrl)).toBe(0)
  })
})

describe('an upload', () => {
  test('in pieces ends as the source, byte by byte, and goes to processing once', async () => {
    const bytes = randomBytes(3_000_000)
    const video = await announce(bytes.length)
    const first = await tus(admin, video.uploadUrl, { offset: 0, body: bytes.subarray(0, 1_000_000) })
    expect(first.status).toBe(204)
    expect(first.headers.get('upload-offset')).toBe('1000000')
    expect(await read(video.id)).toMatchObject({
      state: 'uploading',
      uploadedBytes: 1_000_000,
      progress: 1 / 3,
    })
    const wrong = await tus(admin, video.uploadUrl, { offset: 5, body: bytes.subarray(5) })
    expect(wrong.status).toBe(409)
    expect(await offsetOf(video.uploadUrl)).toBe(1_000_000)
    const resumed = await tus(admin, video.uploadUrl, { offset: 1_000_000, body: bytes.subarray(1_000_000) })
    expect(resumed.status).toBe(204)
    expect(await read(video.id)).toMatchObject({
      state: 'processing',
      uploadedBytes: bytes.length,
      uploadUrl: null,
    })
    expect(Buffer.compare(await readFile(sourceOf(video)), bytes)).toBe(0)
    expect(await offsetOf(video.uploadUrl)).toBe(bytes.length)
    expect((await tus(admin, video.uploadUrl, { offset: bytes.length })).status).toBe(204)
    expect((await tus(admin, video.uploadUrl, { offset: 0, body: bytes })).status).toBe(409)
    expect(await jobsFor(video.versionId)).toBe(1)
  })

  test('goes on where a lost connection left it', async () => {
    const bytes = randomBytes(2_000_000)
    const video = await announce(bytes.length)
    const request = beginPatch(video.uploadUrl, bytes.subarray(0, 700_000), {
      offset: 0,
      total: bytes.length,
    })
    await until(async () => (await offsetOf(video.uploadUrl)) === 700_000)
    request.destroy()
    await until(async () => (await read(video.id)).uploadedBytes === 700_000)
    await until(async () => {
      const offset = await offsetOf(video.uploadUrl)
      return (await tus(admin, video.uploadUrl, { offset, body: bytes.subarray(offset) })).status === 204
    })
    expect(Buffer.compare(await readFile(sourceOf(video)), bytes)).toBe(0)
  })

  test('goes on with the same file only, whatever it is called', async () => {
    const bytes = randomBytes(3_000_000)
    const sum = (data: Buffer) => createHash('sha256').update(data).digest('hex')
    const mib = 1_048_576
    const video = await announce(bytes.length)
    const known = async () => (await admin.call(readUpload, { params: { videoId: video.id } })).body
    expect(await known()).toEqual({
      fileName: 'clip.mp4',
      offset: 0,
      headBytes: 0,
      head: sum(Buffer.alloc(0)),
      tailBytes: 0,
      tail: sum(Buffer.alloc(0)),
    })
    const here = 2_500_000
    await tus(admin, video.uploadUrl, { offset: 0, body: bytes.subarray(0, here) })
    const head = sum(bytes.subarray(0, mib))
    const tail = sum(bytes.subarray(here - mib, here))
    expect(await known()).toEqual({
      fileName: 'clip.mp4',
      offset: here,
      headBytes: mib,
      head,
      tailBytes: mib,
      tail,
    })
    const goOn = (headers: Record<string, string>) =>
      tus(admin, video.uploadUrl, { offset: here, body: bytes.subarray(here), headers })
    const other = sum(Buffer.from('other'))
    for (const wrong of [
      { 'upload-head': other, 'upload-tail': tail },
      { 'upload-head': head, 'upload-tail': other },
      { 'upload-head': head },
      { 'upload-tail': '%%%' },
    ]) {
      const refused = await goOn({ ...wrong, 'upload-name': encodeURIComponent('Ø 2.mp4') })
      expect([refused.status, await refused.json()]).toMatchObject([
        409,
        { reason: { code: 'another_file', params: { chosen: 'Ø 2.mp4', begun: 'clip.mp4' } } },
      ])
    }
    const unnamed = await goOn({ 'upload-head': other, 'upload-tail': other, 'upload-name': '%E0%' })
    expect(await unnamed.json()).toMatchObject({ reason: { params: { chosen: 'clip.mp4' } } })
    for (const offset of [-5, 1.5, Number.NaN, 1e300])
      expect(
        (await tus(admin, video.uploadUrl, { offset, headers: { 'upload-head': head, 'upload-tail': tail } }))
          .status,
      ).toBeLessThan(500)
    expect(await offsetOf(video.uploadUrl)).toBe(here)
    expect((await goOn({ 'upload-head': head, 'upload-tail': tail })).status).toBe(204)
    expect(Buffer.compare(await readFile(sourceOf(video)), bytes)).toBe(0)
    expect((await admin.call(readUpload, { params: { videoId: video.id } })).status).toBe(409)
    expect((await stranger.call(readUpload, { params: { videoId: video.id } })).status).toBe(404)
    const { body } = await admin.call(readVideo, { params: { videoId: video.id } })
    expect(body.sha256).toBeNull()
    await probeVideo(server.services, {
      organizationId: admin.organizationId ?? '',
      videoId: video.id,
      versionId: video.versionId,
    })
    expect(await read(video.id)).toMatchObject({ sha256: sum(bytes), failure: 'unknown_format' })
  })

  test('has one sender at a time, and a silent one gives way', async () => {
    const bytes = randomBytes(300_000)
    const video = await announce(bytes.length)
    const request = beginPatch(video.uploadUrl, bytes.subarray(0, 100_000), {
      offset: 0,
      total: bytes.length,
    })
    await until(async () => (await offsetOf(video.uploadUrl)) === 100_000)
    const remaining = { offset: 100_000, body: bytes.subarray(100_000) }
    expect((await tus(admin, video.uploadUrl, remaining)).status).toBe(423)
    await until(async () => (await tus(admin, video.uploadUrl, remaining)).status === 204)
    request.destroy()
    expect(Buffer.compare(await readFile(sourceOf(video)), bytes)).toBe(0)
  })

  test('takes exactly the announced bytes', async () => {
    const video = await announce(1000)
    expect((await tus(admin, video.uploadUrl, { offset: 0, body: randomBytes(1001) })).status).toBe(413)
    expect(await offsetOf(video.uploadUrl)).toBe(0)
    // Without a length in its head the surplus shows only on the way.
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64)),
    })
    const answer = await fetch(origin + video.uploadUrl, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: endless,
      duplex: 'half',
    }).catch(() => undefined)
    expect([undefined, 413]).toContain(answer?.status)
    const offset = await offsetOf(video.uploadUrl)
    expect(offset).toBeLessThanOrEqual(1000)
    expect((await read(video.id)).state).toBe('uploading')
  })

  test('asks for the protocol', async () => {
    const { uploadUrl } = await announce(10)
    const options = await fetch(origin + uploadUrl, { method: 'OPTIONS' })
    expect(options.headers.get('tus-version')).toBe('1.0.0')
    expect((await tus(admin, uploadUrl, { offset: 0, headers: { 'tus-resumable': '9.9.9' } })).status).toBe(
      400,
    )
    expect((await tus(admin, uploadUrl, { headers: {} })).status).toBe(403)
    const json = { 'content-type': 'application/json' }
    expect((await tus(admin, uploadUrl, { offset: 0, headers: json, body: Buffer.from('{}') })).status).toBe(
      400,
    )
  })

  test('of a deleted video has no address any more', async () => {
    const video = await announce(10)
    await tus(admin, video.uploadUrl, { offset: 0, body: Buffer.from('01234') })
    await admin.call(deleteVideo, { params: { videoId: video.id } })
    expect((await tus(admin, video.uploadUrl, { method: 'HEAD' })).status).toBe(404)
    expect((await tus(admin, video.uploadUrl, { offset: 5, body: Buffer.from('56789') })).status).toBe(404)
  })

  test('that nobody finishes within seven days fails, and says so', async () => {
    const video = await announce(10)
    await tus(admin, video.uploadUrl, { offset: 0, body: Buffer.from('01234') })
    await server.query(`update video_versions set created_at = now() - interval '8 days' where id = $1`, [
      video.versionId,
    ])
    await sweepUploads(server.services)
    expect(await read(video.id)).toMatchObject({
      state: 'failed',
      failure: 'upload_expired',
      uploadUrl: null,
    })
    expect((await tus(admin, video.uploadUrl, { method: 'HEAD' })).status).toBe(410)
    expect(existsSync(uploadOf(video))).toBe(false)
  })
})

describe('a server that dies', () => {
  test('between the last byte and the note about it: the next question puts it right', async () => {
    const video = await announce(5)
    await leave(uploadOf(video))
    expect(await offsetOf(video.uploadUrl)).toBe(5)
    expect((await read(video.id)).state).toBe('processing')
    expect(await jobsFor(video.versionId)).toBe(1)
  })

  test('between moving the file and the note about it: the next question puts it right', async () => {
    const video = await announce(5)
    await leave(sourceOf(video))
    expect(await offsetOf(video.uploadUrl)).toBe(5)
    expect((await read(video.id)).state).toBe('processing')
  })

  test('without anybody asking: the sweep puts it right', async () => {
    const video = await announce(5)
    await leave(uploadOf(video))
    await sweepUploads(server.services)
    expect((await read(video.id)).state).toBe('processing')
  })

  test('what the disk lost is asked for again', async () => {
    const bytes = randomBytes(10_000)
    const video = await announce(bytes.length)
    await tus(admin, video.uploadUrl, { offset: 0, body: bytes.subarray(0, 8000) })
    await truncate(uploadOf(video), 5000)
    const late = await tus(admin, video.uploadUrl, { offset: 8000, body: bytes.subarray(8000) })
    expect(late.status).toBe(409)
    expect(await offsetOf(video.uploadUrl)).toBe(5000)
    expect((await tus(admin, video.uploadUrl, { offset: 5000, body: bytes.subarray(5000) })).status).toBe(204)
    expect(Buffer.compare(await readFile(sourceOf(video)), bytes)).toBe(0)
  })

  // Two servers start, and the connection of the dead one is waited for.
  test(
    'killed in the middle of an upload: the next one goes on, and the bytes are the same',
    { timeout: 90_000 },
    async () => {
      const bytes = randomBytes(24_000_000)
      const video = await announce(bytes.length)
      const first = await startAnother(server)
      const sending = sendSlowly({ at: first.url, url: video.uploadUrl, bytes })
      await until(async () => (await offsetOf(video.uploadUrl)) > 6_000_000)
      first.child.kill('SIGKILL')
      await sending
      const second = await startAnother(server)
      try {
        const offset = await offsetOf(video.uploadUrl, second.url)
        expect(offset).toBeGreaterThan(6_000_000)
        expect(offset).toBeLessThan(bytes.length)
        const remaining = { offset, body: bytes.subarray(offset), at: second.url }
        // The connection that died with its server gives way like one that is silent.
        // Who is refused before all of it is sent, sees the connection end.
        await until(async () => {
          const sent = await tus(admin, video.uploadUrl, remaining).catch(() => undefined)
          return sent?.status === 204
        })
      } finally {
        second.child.kill('SIGKILL')
      }
      const sum = (data: Buffer) => createHash('sha256').update(data).digest('hex')
      expect(sum(await readFile(sourceOf(video)))).toBe(sum(bytes))
      expect(await jobsFor(video.versionId)).toBe(1)
    },
  )
})

/** Sends a body bit by bit, until the end or until the server is gone. */
async function sendSlowly({ at, url, bytes }: { at: string; url: string; bytes: Buffer }): Promise<void> {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      controller.enqueue(new Uint8Array(bytes.subarray(sent, sent + 256_000)))
      sent += 256_000
      if (sent >= bytes.length) controller.close()
    },
  })
  await fetch(at + url, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${admin.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body,
    duplex: 'half',
  }).catch(() => undefined)
}
