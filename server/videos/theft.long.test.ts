import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createVideo, readVideo, retryVideo, type VideoDetail } from '#contract/videos/videos.ts'
import { makeClip } from '../testing/media/clips.ts'
import { availableEngines } from '../media/engines.ts'
import { playlists, type Hostile } from '../testing/media/hostile-media.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { startMediaProcess, type MediaProcess } from './media-process.ts'
import { sourceKey } from '../platform/storage/keys.ts'

const engines = await availableEngines()
let server: TestServer
let origin: string
let victim: Person
let media: MediaProcess | undefined
beforeAll(async () => {
  server = await startTestServer()
  origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
  victim = await server.person('admin', await server.organization())
})
afterEach(async () => {
  await media?.stop()
  delete process.env['SENDREEL_TRANSCODER']
})
afterAll(() => server.close())

const read = async (who: Person, videoId: string) => (await who.call(readVideo, { params: { videoId } })).body

async function upload(who: Person, bytes: Buffer): Promise<string> {
  const body = { title: 'Holiday', fileName: 'holiday.mp4', size: bytes.length }
  const { video, uploadUrl } = (await who.call(createVideo, { body })).body
  const headers = {
    authorization: `Bearer ${who.token}`,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  const answer = await fetch(origin + uploadUrl, { method: 'PATCH', headers, body: new Uint8Array(bytes) })
  expect(answer.status).toBe(204)
  return video.id
}

async function outcome(who: Person, videoId: string, seconds: number): Promise<VideoDetail> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end;) {
    const video = await read(who, videoId)
    if (['ready', 'failed'].includes(video.state)) return video
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`nothing is known of ${videoId} after ${seconds} seconds`)
}

/** What the victim keeps secret: the folder of a rendition, as the server's disk has it. */
async function secretOf(who: Person): Promise<{ folder: string; fromSource: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-theft-'))
  const file = path.join(folder, 'clip.mp4')
  await makeClip({ file, seconds: 2, width: 320, height: 180, style: 'waves', title: 'Secret' })
  const video = await outcome(who, await upload(who, await readFile(file)), 90)
  expect(video.state).toBe('ready')
  await rm(folder, { recursive: true })
  const { organizationId, id, versionId } = video
  const key = { organizationId, videoId: id, versionId: versionId ?? '' }
  const { dataDir } = server.services.env
  const rendition = path.join(dataDir, 'media', organizationId, id, key.versionId, '180p')
  expect(await readdir(rendition)).toContain('00000.m4s')
  const source = path.dirname(path.join(dataDir, sourceKey(key)))
  return { folder: path.resolve(rendition), fromSource: path.relative(source, rendition) }
}

/** Lists that pretend to be something else before they name what they want. */
function disguised(target: string): Hostile[] {
  const [list] = playlists(target)
  const text = list?.bytes ?? Buffer.alloc(0)
  const box = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1')
  const packet = Buffer.alloc(188 * 5, 0x47)
  return [
    { name: 'empty lines before it', bytes: Buffer.concat([Buffer.from('\r\n\t \n'), text]) },
    { name: 'the head of an MP4', bytes: Buffer.concat([box, text]) },
    { name: 'the head of a transport stream', bytes: Buffer.concat([packet, text]) },
    { name: 'a line of junk before it', bytes: Buffer.concat([Buffer.from('holiday.mp4\n'), text]) },
  ]
}

test.each(engines.map(({ name }) => name))(
  'a list that names a video of another organization is refused by its name within seconds, with the engine %s',
  async (engine) => {
    process.env['SENDREEL_TRANSCODER'] = engine
    media = startMediaProcess(server.services)
    const { folder, fromSource } = await secretOf(victim)
    const thief = await server.person('admin', await server.organization())
    const absolute = playlists(folder).filter(({ name }) => ['HLS', 'concat'].includes(name))
    const lists = [...playlists(fromSource), ...absolute, ...disguised(folder)]
    const failures: Record<string, string | null> = {}
    for (const { name, bytes } of lists) {
      const id = await upload(thief, bytes)
      const video = await outcome(thief, id, 15)
      expect(video, name).toMatchObject({ state: 'failed', poster: null, playback: null })
      expect((await thief.call(retryVideo, { params: { videoId: id } })).status, name).toBe(409)
      failures[name] = video.failure
    }
    const elsewhere = [
      'HLS',
      'HLS with a mark before it',
      'HLS of variants',
      'concat',
      'concat without a head',
      'DASH',
      'empty lines before it',
    ]
    for (const name of elsewhere) expect([name, failures[name]]).toEqual([name, 'refers_elsewhere'])
    const words = new Set(['refers_elsewhere', 'not_a_video', 'index_missing'])
    expect(Object.entries(failures).filter(([, failure]) => !words.has(failure ?? ''))).toEqual([])
    // Nothing was made of any of them, in no place.
    const { dataDir } = server.services.env
    const made = await readdir(path.join(dataDir, 'media'))
    expect(made).not.toContain(thief.organizationId)
    expect(await readdir(path.join(dataDir, 'scratch')).catch(() => [])).toEqual([])
  },
)
