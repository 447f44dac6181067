import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteVideo, readVideo, retryVideo } from '#contract/videos/videos.ts'
import { makeClip } from '../testing/media/clips.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { sendSignal } from '../testing/processes/signal.ts'
import { soon, until } from '../testing/until.ts'
import { uploadVideo } from '../testing/uploads.ts'
import { startMediaProcess } from './media-process.ts'
import { probeVideo, processVideo } from './process.ts'

let server: TestServer
let folder: string
let short: Buffer
let long: Buffer
beforeAll(async () => {
  server = await startTestServer({ MEDIA_WORKERS: '1' })
  folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-queue-'))
  const clip = async (seconds: number, width: number) => {
    const file = path.join(folder, `${seconds}.mp4`)
    await makeClip({ file, seconds, width, height: (width * 9) / 16, style: 'waves', title: 'Clip' })
    return readFile(file)
  }
  short = await clip(1, 160)
  long = await clip(40, 1280)
})
beforeEach(() => server.services.db.system.query('delete from pgboss.job'))
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const newAdmin = async () => server.person('admin', await server.organization())

const upload = (admin: Person, bytes: Buffer) => uploadVideo(server, admin, { bytes })

async function queued(admin: Person) {
  const key = await upload(admin, short)
  await probeVideo(server.services, key)
  return key.videoId
}

const read = async (admin: Person, videoId: string) =>
  (await admin.call(readVideo, { params: { videoId } })).body
const placeOf = async (admin: Person, id: string) => (await read(admin, id)).conversion?.place

describe('the line of videos that wait to be converted', () => {
  test('is left by a video that is removed', async () => {
    const admin = await newAdmin()
    const [first, second] = [await queued(admin), await queued(admin)]
    expect(await placeOf(admin, second)).toBe(2)
    await admin.call(deleteVideo, { params: { videoId: first } })
    expect(await placeOf(admin, second)).toBe(1)
  })
})

test('a file that was cut off is used as far as it goes when its author says so', async () => {
  const admin = await newAdmin()
  const key = await upload(admin, long.subarray(0, Math.floor(long.length / 4)))
  const params = { videoId: key.videoId }
  const { signal } = new AbortController()
  await probeVideo(server.services, key)
  expect(await read(admin, key.videoId)).toMatchObject({ state: 'failed', failure: 'cut_off' })
  expect((await admin.call(retryVideo, { params })).status).toBe(409)
  const again = await admin.call(retryVideo, { params, body: { acceptIncomplete: true } })
  expect(again.body).toMatchObject({ state: 'processing', failure: null })
  await probeVideo(server.services, key)
  await processVideo(server.services, key, signal)
  const video = await read(admin, key.videoId)
  expect(video.state).toBe('ready')
  expect(video.warnings.at(-1)?.code).toBe('cut_off')
  expect(video.durationMs).toBeLessThan(30_000)
})

describe('while a long video is converted', () => {
  test('a wrong file is refused at once; the other tells its share from the start and no time, and stops when it is removed', async () => {
    const admin = await newAdmin()
    const media = startMediaProcess(server.services)
    try {
      const { videoId } = await upload(admin, long)
      const running = await until(async () => {
        const video = await read(admin, videoId)
        return video.conversion?.place === null && video.progress > 0 ? video : false
      })
      expect(running.state).toBe('processing')
      expect(running.conversion).toEqual({ place: null })
      const wrong = await upload(admin, Buffer.from('This is a text, and no video at all.\n'.repeat(100)))
      const refused = await until(async () => {
        const video = await read(admin, wrong.videoId)
        return video.state === 'failed' ? video : false
      })
      expect(refused.failure).toBe('not_a_video')
      expect((await read(admin, videoId)).state).toBe('processing')
      await admin.call(deleteVideo, { params: { videoId } })
      await soon(async () => {
        const left = await server.services.db.system.query(
          `select 1 from pgboss.job where name = 'video.process' and state = 'active'`,
        )
        return left.rowCount === 0
      }, 400)
    } finally {
      await media.stop()
    }
  })
})

test('files of one organization hold up the look at a file of another by a few at most', async () => {
  const [many, one] = [await newAdmin(), await newAdmin()]
  const text = Buffer.from('This is a text, and no video at all.\n')
  const lot = []
  for (let n = 0; n < 50; n += 1) lot.push((await upload(many, text)).videoId)
  const single = (await upload(one, text)).videoId
  const media = startMediaProcess(server.services)
  try {
    await until(async () => (await read(one, single)).state === 'failed')
    const states = await Promise.all(lot.map(async (id) => (await read(many, id)).state))
    expect(states.filter((state) => state === 'failed').length).toBeLessThan(10)
  } finally {
    await media.stop()
  }
})

/** Descendants of a process that convert a file. */
function convertersOf(parent: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [
        Number(pid),
        Number(
          procfs(pid, 'stat')
            .replace(/^.*\) \w /s, '')
            .split(' ')[0],
        ),
      ]),
  )
  const isBelow = (pid: number): boolean => {
    const above = parents.get(pid) ?? 0
    return above === parent || (above > 1 && isBelow(above))
  }
  return [...parents.keys()].filter(
    (pid) => isBelow(pid) && /^[^\0]*node\0.*"kind":"convert"/.test(procfs(String(pid), 'cmdline')),
  )
}

function procfs(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

describe('another try is offered', () => {
  test('where a conversion was killed twice: the first time it begins anew by itself', async () => {
    const admin = await newAdmin()
    const media = startMediaProcess(server.services)
    try {
      const { videoId } = await upload(admin, long)
      const killed: number[] = []
      const killNext = async () => {
        const next = await until(async () => {
          const all = convertersOf(media.pid() ?? 0)
          return all.length === 1 && !killed.includes(all[0] ?? 0) && all[0]
        })
        killed.push(next)
        sendSignal(next, 'SIGKILL')
      }
      await until(async () => (await read(admin, videoId)).progress > 0)
      await killNext()
      await killNext()
      const failed = await until(async () => {
        const video = await read(admin, videoId)
        return video.state === 'failed' ? video : false
      })
      expect(failed.failure).toBe('processing_failed')
      expect((await admin.call(retryVideo, { params: { videoId } })).body.state).toBe('processing')
      await until(async () => (await read(admin, videoId)).progress > 0)
      await admin.call(deleteVideo, { params: { videoId } })
    } finally {
      await media.stop()
    }
  })

  test('not where the file is damaged: it would fail again', async () => {
    const admin = await newAdmin()
    const bytes = Buffer.from(short)
    bytes.fill(
      0xa5,
      bytes.indexOf('mdat') + 4,
      bytes.indexOf('mdat') + 4 + bytes.readUInt32BE(bytes.indexOf('mdat') - 4) - 8,
    )
    const key = await upload(admin, bytes)
    const params = { videoId: key.videoId }
    await probeVideo(server.services, key)
    await processVideo(server.services, key, new AbortController().signal)
    expect(await read(admin, key.videoId)).toMatchObject({ state: 'failed', failure: 'damaged' })
    expect((await admin.call(retryVideo, { params })).status).toBe(409)
  })
})

test('the line goes from organization to organization, and every video says its place', async () => {
  const [many, one] = [await newAdmin(), await newAdmin()]
  const lot = []
  for (let n = 0; n < 5; n += 1) lot.push(await queued(many))
  const single = await queued(one)
  expect(await placeOf(one, single)).toBe(2)
  expect(await Promise.all(lot.map((id) => placeOf(many, id)))).toEqual([1, 3, 4, 5, 6])
  const taken: string[] = []
  await server.services.jobs.work('video.process', async ({ videoId }) => void taken.push(videoId))
  await until(async () => taken.length === 6)
  expect(taken).toEqual([lot[0], single, ...lot.slice(1)])
})
