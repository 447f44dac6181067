import { prefixesOf } from '../platform/storage/keys.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVideo, deleteVideo, listVideos, readVideo, retryVideo } from '#contract/videos/videos.ts'
import { signMedia } from '../platform/http/pages/media-link.ts'
import { keysOf } from '../platform/keys.ts'
import { pickTranscoder } from '../media/engines.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { sendSignal } from '../testing/processes/signal.ts'
import { until } from '../testing/until.ts'
import { uploadVideo } from '../testing/uploads.ts'
import { sweepUploads } from './uploads/finish.ts'
import { startMediaProcess, type MediaProcess } from './media-process.ts'
import { rangeOf } from './range.ts'

let server: TestServer
let admin: Person
let media: MediaProcess
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  admin = await server.person('admin', await server.organization())
  folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-clips-'))
  media = startMediaProcess(server.services)
})
afterAll(async () => {
  await media.stop()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** A moving pattern without sound. */
async function makeClip(seconds: number, [width, height] = [640, 360]): Promise<Buffer> {
  const file = path.join(folder, `${seconds}-${width}.mp4`)
  function* frames() {
    for (let n = 0; n < seconds * 10; n += 1) {
      const frame = Buffer.alloc(width * height * 1.5, 128)
      for (let y = 0; y < height; y += 1) frame.fill((y * 3 + n * 7) % 256, y * width, (y + 1) * width)
      yield frame
    }
  }
  const transcoder = await pickTranscoder()
  await transcoder.run({
    input: { width, height, fps: 10, frames: frames() },
    video: '[0:v]format=yuv420p[v]',
    outputs: [
      {
        file,
        format: 'mp4',
        options: {},
        streams: [{ label: 'v', encoder: 'libx264', options: { preset: 'ultrafast' } }],
      },
    ],
  })
  return readFile(file)
}

const upload = async (bytes: Buffer) => (await uploadVideo(server, admin, { bytes })).videoId
const read = async (id: string) => (await admin.call(readVideo, { params: { videoId: id } })).body

const inState = (id: string, ...states: string[]) =>
  until(async () => {
    const video = await read(id)
    return states.includes(video.state) && video
  })

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  server.app.inject({ method, url, headers })

describe('a video', () => {
  let id: string
  test('becomes ready, and plays from its signed address', async () => {
    id = await upload(await makeClip(8))
    const video = await inState(id, 'ready', 'failed')
    expect(video).toMatchObject({ state: 'ready', progress: 1, width: 640, height: 360, failure: null })
    expect(video.durationMs).toBeGreaterThan(7_900)
    expect(video.durationMs).toBeLessThan(8_100)
    const master = await get(video.playback?.hls ?? '')
    expect(master.statusCode).toBe(200)
    expect(master.headers['content-type']).toBe('application/vnd.apple.mpegurl')
    expect(master.headers['cache-control']).toBe('private, max-age=0')
    const base = (video.playback?.hls ?? '').replace(/[^/]*$/, '')
    const rendition = /^[\w-]+\/index\.m3u8$/m.exec(master.body)?.[0] ?? ''
    const playlist = await get(base + rendition)
    const segment = /^\S+\.m4s$/m.exec(playlist.body)?.[0] ?? ''
    const bytes = await get(`${base}${path.dirname(rendition)}/${segment}`)
    expect(bytes.statusCode).toBe(200)
    expect(bytes.headers).toMatchObject({
      'content-type': 'video/iso.segment',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
    })
    const storyboard = await get(video.playback?.storyboard ?? '')
    expect(storyboard.body).toMatch(/^WEBVTT/)
    expect((await get(video.playback?.poster ?? '')).headers['content-type']).toBe('image/jpeg')
  })

  test('answers ranges, conditions and HEAD', async () => {
    const url = (await read(id)).playback?.poster ?? ''
    const whole = await get(url)
    const size = whole.rawPayload.length
    const head = await get(url, {}, 'HEAD')
    expect(head.headers['content-length']).toBe(String(size))
    expect(head.rawPayload).toHaveLength(0)
    const part = await get(url, { range: 'bytes=10-19' })
    expect(part.statusCode).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 10-19/${size}`)
    expect(part.rawPayload).toEqual(whole.rawPayload.subarray(10, 20))
    const beyond = await get(url, { range: `bytes=${size}-` })
    expect(beyond.statusCode).toBe(416)
    expect(beyond.headers['content-range']).toBe(`bytes */${size}`)
    const etag = String(whole.headers['etag'])
    expect((await get(url, { 'if-none-match': etag })).statusCode).toBe(304)
    expect((await get(url, { range: 'bytes=0-0', 'if-range': '"other"' })).statusCode).toBe(200)
  })

  test('opens to nobody without its own, living token', async () => {
    const video = await read(id)
    const hls = video.playback?.hls ?? ''
    const [, , token = '', , version = ''] = hls.split('/')
    const other = (await admin.call(createVideo, { body: { title: 'x', fileName: 'x', size: 1 } })).body.video
    const grant = { organizationId: video.organizationId, videoId: id, versionId: version, seconds: 1 }
    const refused = [
      hls.replace(token, `${token.slice(0, -2)}AA`),
      hls.replace(token, signMedia(keysOf('another installation, another secret'), grant)),
      hls.replace(token, signMedia(server.services.keys, grant, Date.now() - 24 * 3_600_000)),
      hls.replace(id, other.id),
      hls.replace('master.m3u8', '..%2f..%2f..%2f..%2f..%2fsecret-key'),
      hls.replace('master.m3u8', '%2e%2e%2f%2e%2e%2fmaster.m3u8'),
      hls.replace('master.m3u8', 'nothing.m3u8'),
      hls.replace('master.m3u8', ''),
    ]
    for (const url of refused)
      expect({ url, status: (await get(url)).statusCode }).toEqual({ url, status: 404 })
  })

  test('shows its picture in lists by a link that opens nothing else', async () => {
    const poster = (await admin.call(listVideos)).body.items.find((item) => item.id === id)?.poster ?? ''
    expect((await get(poster)).headers['content-type']).toBe('image/jpeg')
    expect((await get(poster.replace(/[^/]*$/, 'master.m3u8'))).statusCode).toBe(404)
  })

  test('that is deleted stops playing, and its files go when nobody can bring it back any more', async () => {
    const { playback, organizationId } = await read(id)
    const { operationId } = (await admin.call(deleteVideo, { params: { videoId: id } })).body
    expect((await get(playback?.hls ?? '')).statusCode).toBe(404)
    await sweepUploads(server.services)
    expect(await filesOf({ organizationId, videoId: id })).toContain('.m3u8')
    await server.services.db.system.query('update operations set undo_until = now() where id = $1', [
      operationId,
    ])
    await sweepUploads(server.services)
    expect(await filesOf({ organizationId, videoId: id })).toEqual([])
  })
})

test('a file that is no video fails with the reason, and another try is not offered', async () => {
  const id = await upload(Buffer.from('This is a text, and no video at all.\n'.repeat(100)))
  expect(await inState(id, 'failed')).toMatchObject({ failure: 'not_a_video', playback: null })
  expect((await admin.call(retryVideo, { params: { videoId: id } })).status).toBe(409)
})

test('a failure that does not lie in the file may be mended by another try', async () => {
  const id = await upload(await makeClip(2))
  await inState(id, 'ready')
  const { db } = server.services
  await db.system.query(
    `with version as (update video_versions set ready_at = null where video_id = $1)
      update videos set state = 'failed', failure = 'disk_full', current_version_id = null where id = $1`,
    [id],
  )
  const again = await admin.call(retryVideo, { params: { videoId: id } })
  expect(again.body).toMatchObject({ state: 'processing', failure: null })
  await inState(id, 'ready')
})

test('a media process that is killed begins anew, and the video becomes ready once', async () => {
  const id = await upload(await makeClip(30, [1280, 720]))
  await until(async () => (await read(id)).progress > 0.02 && (await read(id)).state === 'processing')
  const killed = await until(async () => media.pid())
  sendSignal(killed, 'SIGKILL')
  const successor = await until(async () => media.pid() !== killed && media.pid())
  expect(successor).not.toBe(killed)
  // Progress that falls and then rises again is the successor's.
  await until(async () => (await read(id)).progress < 0.02)
  expect(await inState(id, 'ready', 'failed')).toMatchObject({ state: 'ready', width: 1280 })
  const versions = await server.services.db.system.query(
    'select number from video_versions where video_id = $1',
    [id],
  )
  expect(versions.rows).toEqual([{ number: 1 }])
})

test('a video that is deleted while it is processed drops its work', async () => {
  const id = await upload(await makeClip(30, [1280, 720]))
  await until(async () => (await read(id)).progress > 0)
  await admin.call(deleteVideo, { params: { videoId: id } })
  const jobs = async () =>
    (
      await server.services.db.system.query(
        `select state from pgboss.job where name = 'video.process' and data->>'videoId' = $1`,
        [id],
      )
    ).rows
  await until(async () => (await jobs()).every(({ state }) => state === 'completed'), 20)
  expect(await jobs()).toEqual([{ state: 'completed' }])
})

test.each([
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-3', undefined],
  ['bytes=0-1,5-6', undefined],
  ['lines=0-1', undefined],
  ['bytes=-', undefined],
])('%s of 100 bytes', (header, expected) => {
  expect(rangeOf(header, 100)).toEqual(expected)
})

/** What kinds of files are kept of a video. */
async function filesOf(video: { organizationId: string; videoId: string }): Promise<string[]> {
  const store = await server.services.storage.main()
  const found = []
  for (const prefix of prefixesOf(video))
    for await (const { key } of store.list(prefix)) found.push(path.extname(key))
  return found
}
