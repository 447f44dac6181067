import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putLogo } from '#contract/directory/pictures.ts'
import { createVideo, readVideo, retryVideo } from '#contract/videos/videos.ts'
import { makeClip } from '../testing/media/clips.ts'
import { noise } from '../testing/media/png.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { processVideo } from './process.ts'
import { prefixesOf, sourceKey } from '../platform/storage/keys.ts'

const command = (program: 'mount' | 'umount', ...words: string[]) =>
  execFileSync(program, words, { stdio: 'ignore' })

/** A small disk of its own, which really gets full; only root may attach one. */
function attach(folder: string, size: string): boolean {
  try {
    command('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)
    return true
  } catch {
    return false
  }
}

const disk = await mkdtemp(path.join(os.tmpdir(), 'sendreel-disk-'))
const isAttached = attach(disk, '8m')
const resize = (size: string) => command('mount', '-o', `remount,size=${size}`, disk)

describe.skipIf(!isAttached)('a full disk (needs root, to attach a small one)', () => {
  let server: TestServer
  let admin: Person
  let origin: string
  beforeAll(async () => {
    await mkdir(path.join(disk, 'data'))
    server = await startTestServer({ DATA_DIR: path.join(disk, 'data') })
    origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
    admin = await server.person('admin', await server.organization())
  })
  afterAll(async () => {
    await server.close()
    command('umount', '--lazy', disk)
    await rm(disk, { recursive: true })
  })

  async function announce(size: number) {
    const body = { title: 'Clip', fileName: 'clip.mp4', size }
    const { video, uploadUrl } = (await admin.call(createVideo, { body })).body
    const { organizationId, id: videoId, versionId } = video
    return { uploadUrl, key: { organizationId, videoId, versionId: versionId ?? '' } }
  }

  const tus = (url: string, offset: number, body: Buffer) =>
    fetch(origin + url, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'tus-resumable': '1.0.0',
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(body),
    })

  const offsetOf = async (url: string) => {
    const headers = { authorization: `Bearer ${admin.token}`, 'tus-resumable': '1.0.0' }
    return Number((await fetch(origin + url, { method: 'HEAD', headers })).headers.get('upload-offset'))
  }

  test('is told of an upload as a problem, and the upload goes on when there is room', async () => {
    const bytes = randomBytes(20_000_000)
    const { uploadUrl, key } = await announce(bytes.length)
    const refused = await tus(uploadUrl, 0, bytes)
    expect(refused.status).toBe(507)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toMatchObject({ code: 'storage_full', status: 507 })
    const arrived = await offsetOf(uploadUrl)
    expect(arrived).toBeGreaterThan(1_000_000)
    expect(arrived).toBeLessThan(bytes.length)
    const again = await tus(uploadUrl, arrived, bytes.subarray(arrived))
    expect(again.status).toBe(507)
    resize('64m')
    const last = await offsetOf(uploadUrl)
    expect((await tus(uploadUrl, last, bytes.subarray(last))).status).toBe(204)
    const source = await readFile(path.join(server.services.env.dataDir, sourceKey(key)))
    expect(Buffer.compare(source, bytes)).toBe(0)
    for (const prefix of prefixesOf(key)) await server.services.storage.removeBelow(prefix)
  })

  test('fails a conversion with a reason for which another try is offered, and that one succeeds', async () => {
    const file = path.join(disk, 'clip.mp4')
    await makeClip({ file, seconds: 4, width: 640, height: 360, style: 'waves' })
    const clip = await readFile(file)
    const { uploadUrl, key } = await announce(clip.length)
    expect((await tus(uploadUrl, 0, clip)).status).toBe(204)
    const filler = path.join(disk, 'filler')
    await writeFile(filler, randomBytes(70_000_000)).catch(() => undefined)
    const { signal } = new AbortController()
    await processVideo(server.services, key, signal)
    const read = async () => (await admin.call(readVideo, { params: { videoId: key.videoId } })).body
    expect(await read()).toMatchObject({ state: 'failed', failure: 'disk_full' })
    await rm(filler)
    expect((await admin.call(retryVideo, { params: { videoId: key.videoId } })).body.state).toBe('processing')
    await processVideo(server.services, key, signal)
    expect(await read()).toMatchObject({ state: 'ready', failure: null })
  })

  test.each([
    ['as it arrives', 0],
    ['as it is drawn anew', 260_000],
  ])('is told of a picture as a problem: %s', async (_when, room) => {
    const before = process.env['TMPDIR']
    const filler = path.join(disk, 'filler')
    await writeFile(filler, randomBytes(70_000_000)).catch(() => undefined)
    if (room > 0) await truncate(filler, (await stat(filler)).size - room)
    process.env['TMPDIR'] = disk
    try {
      const answer = await admin.call(putLogo, {
        params: { orgId: admin.organizationId ?? '' },
        body: { data: noise(320, 256).toString('base64') },
      })
      expect(answer.status).toBe(507)
      expect(answer.problem).toMatchObject({ code: 'storage_full' })
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
      await rm(filler)
    }
  })
})
