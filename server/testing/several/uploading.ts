import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createVideo, readVideo } from '#contract/videos/videos.ts'
import { mediaPrefix, sourceKey } from '../../platform/storage/keys.ts'
import { bytesOf } from '../../platform/storage/store.ts'
import type { Person } from '../server.ts'
import { until } from '../until.ts'
import type { Scene, Work } from './work.ts'

const longestPiece = 3_000_000
const convertedWithin = 600

/** Videos are sent in pieces, each of which may break off, and each of them is converted. */
export async function uploading(scene: Scene): Promise<Work> {
  const { front, luck, clip, faults, cluster } = scene
  const { orgId, admin } = await scene.newOrganization()
  const sent: { videoId: string; versionId: string; sha256: string }[] = []
  let pieces = 0
  let broken = 0

  async function upload(n: number): Promise<void> {
    const bytes = longer(clip, luck.between(1_000_000, 9_000_000))
    const title = `Film ${n}`
    const made = await admin.call(createVideo, { body: { title, fileName: 'film.mp4', size: bytes.length } })
    if (made.status !== 201) return void faults.push(`a video was refused: ${JSON.stringify(made.problem)}`)
    const { video, uploadUrl } = made.body
    const headers = { authorization: `Bearer ${admin.token}`, 'tus-resumable': '1.0.0' }
    let arrived = 0
    while (arrived < bytes.length) {
      const end = Math.min(bytes.length, arrived + luck.between(1, longestPiece))
      pieces += 1
      const answer = await front.once(uploadUrl, {
        method: 'PATCH',
        headers: {
          ...headers,
          'upload-offset': String(arrived),
          'content-type': 'application/offset+octet-stream',
        },
        body: new Uint8Array(bytes.subarray(arrived, end)),
      })
      if (answer?.status === 204) {
        arrived = Number(answer.headers.get('upload-offset'))
        continue
      }
      broken += 1
      await pause(300)
      const head = await front.ask(uploadUrl, { method: 'HEAD', headers })
      if (head.status !== 200) {
        faults.push(`${title} cannot be gone on with: ${head.status}`)
        return
      }
      const known = Number(head.headers.get('upload-offset'))
      if (known < arrived) faults.push(`${title} had ${arrived} bytes, and has ${known}`)
      arrived = known
    }
    sent.push({
      videoId: video.id,
      versionId: video.versionId ?? '',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  }

  return {
    async run() {
      let n = 0
      const lane = async () => {
        while (!scene.isOver) {
          n += 1
          await upload(n)
          await pause(luck.between(0, 4_000))
        }
      }
      await Promise.all([lane(), lane()])
    },
    async judge() {
      for (const { videoId, versionId, sha256 } of sent) {
        const state = await converted(admin, videoId)
        if (state !== 'ready') faults.push(`video ${videoId} is ${state}`)
        const key = { organizationId: orgId, videoId, versionId }
        const { storage } = cluster.server.services
        const source = await bytesOf(await storage.read(sourceKey(key)))
        if (createHash('sha256').update(source).digest('hex') !== sha256)
          faults.push(`the source of ${videoId} is not what was sent`)
        faults.push(...(await gapsOf(scene, key)))
      }
      const all = await cluster.server.query('select 1 from videos where organization_id = $1', [orgId])
      if (all.length !== sent.length)
        faults.push(`${sent.length} videos were sent, and there are ${all.length}`)
      return {
        'videos sent and converted': sent.length,
        'pieces of them': pieces,
        'pieces that broke': broken,
      }
    },
  }
}

async function converted(admin: Person, videoId: string): Promise<string> {
  const read = async () => (await admin.call(readVideo, { params: { videoId } })).body.state
  await until(async () => ['ready', 'failed'].includes(await read()), convertedWithin).catch(() => undefined)
  return read()
}

/** Everything that its playlists name is in the bucket. */
async function gapsOf(
  { cluster }: Scene,
  key: { organizationId: string; videoId: string; versionId: string },
): Promise<string[]> {
  const { storage } = cluster.server.services
  const prefix = mediaPrefix(key)
  const there = new Set<string>()
  for await (const { key: name } of (await storage.main()).list(prefix)) there.add(name)
  const gaps: string[] = []
  for (const list of [...there].filter((name) => name.endsWith('.m3u8'))) {
    const text = (await bytesOf(await storage.read(list))).toString()
    const folder = list.slice(0, list.lastIndexOf('/') + 1)
    const named = [...text.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri)
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const name of [...named, ...lines])
      if (!there.has(folder + name)) gaps.push(`${key.videoId} has no ${folder.slice(prefix.length)}${name}`)
  }
  if (there.size === 0) gaps.push(`${key.videoId} has no media`)
  return gaps
}

/** The same film with so many bytes of nothing behind it, as the format allows; no two are alike. */
function longer(clip: Buffer, bytes: number): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(bytes + head.length)
  head.write('free', 4)
  return Buffer.concat([clip, head, randomBytes(bytes)])
}
