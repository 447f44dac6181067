import { spawnSync } from 'node:child_process'
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createVideo } from '#contract/videos/videos.ts'
import { makeClip } from '../../testing/media/clips.ts'
import { aServer } from '../../testing/worlds.ts'
import { processVideo } from '../../videos/process.ts'
import { sourceKey } from './keys.ts'

const server = await aServer()
const admin = await server.person('admin', await server.organization())
const clip = path.join(server.services.env.dataDir, 'clip.mp4')
await makeClip({ file: clip, seconds: 1, width: 320, height: 180, style: 'waves' })

const kinds = ['uploads', 'sources', 'media', 'scratch'] as const

/** Everything that is kept for videos: path below the data folder, and its mode. */
async function modes(): Promise<Map<string, number>> {
  const { dataDir } = server.services.env
  const found = new Map<string, number>()
  for (const kind of kinds) {
    const top = path.join(dataDir, kind)
    const inside = await readdir(top, { recursive: true }).catch(() => undefined)
    for (const name of inside ? ['', ...inside] : []) {
      const { mode } = await stat(path.join(top, name))
      found.set(path.join(kind, name), mode)
    }
  }
  return found
}

const openOnes = async () => [...(await modes())].filter(([, mode]) => (mode & 0o077) !== 0)

/** A half-sent upload, and a video with everything that is made of it. */
async function fill(): Promise<void> {
  const { storage } = server.services
  const announce = async (size: number) =>
    (await admin.call(createVideo, { body: { title: 'Clip', fileName: 'clip.mp4', size } })).body
  const half = await announce(10)
  const answer = await server.app.inject({
    method: 'PATCH',
    url: half.uploadUrl,
    headers: {
      authorization: `Bearer ${admin.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    payload: Buffer.from('12345'),
  })
  expect(answer.statusCode).toBe(204)
  const { video } = await announce((await stat(clip)).size)
  const key = { organizationId: video.organizationId, videoId: video.id, versionId: video.versionId ?? '' }
  await chmod(clip, 0o644)
  await (await storage.main()).putFile(sourceKey(key), clip)
  await server.services.db.system.query('update video_versions set uploaded_at = now() where id = $1', [
    key.versionId,
  ])
  await processVideo(server.services, key, new AbortController().signal)
}

test('what is kept for videos is readable by the user of the server only', { timeout: 60_000 }, async () => {
  await fill()
  const found = await modes()
  const files = [...found].filter(([, mode]) => (mode & 0o170_000) === 0o100_000)
  expect(files.map(([name]) => path.extname(name))).toEqual(
    expect.arrayContaining(['', '.m3u8', '.m4s', '.jpg', '.vtt']),
  )
  expect(await openOnes()).toEqual([])
})

test('the room where a video was made is given back', async () => {
  const { dataDir } = server.services.env
  expect(await readdir(path.join(dataDir, 'media'))).toHaveLength(1)
  expect(await readdir(path.join(dataDir, 'scratch'))).toEqual([])
})

test('what an earlier version has left open is closed at the start', async () => {
  const { env, storage } = server.services
  for (const [name, mode] of await modes())
    await chmod(path.join(env.dataDir, name), (mode & 0o170_000) === 0o040_000 ? 0o755 : 0o644)
  expect((await openOnes()).length).toBeGreaterThan(10)
  await storage.closeToOthers()
  expect(await openOnes()).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)(
  'another user reads none of it (needs root, to become one)',
  async () => {
    const { env } = server.services
    await chmod(env.dataDir, 0o755)
    const reported = path.join(env.dataDir, 'told')
    await writeFile(reported, 'x', { mode: 0o644 })
    const asNobody = (...command: [string, ...string[]]) => {
      const [program, ...words] = command
      return spawnSync(program, words, { uid: 65_534, gid: 65_534, cwd: '/' }).status
    }
    expect(asNobody('cat', reported)).toBe(0)
    for (const name of (await modes()).keys())
      expect({ name, status: asNobody('ls', path.join(env.dataDir, name)) === 0 }).toEqual({
        name,
        status: false,
      })
    await rm(reported)
  },
)
