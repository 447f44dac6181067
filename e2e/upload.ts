import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { createVideo, readVideo } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import type { Client } from './client.ts'
import { openDatabase } from './database.ts'
import type { Product } from './product.ts'

const tus = { 'tus-resumable': '1.0.0' }

export type Upload = {
  videoId: string
  size: number
  /** Bytes that the server has for certain. */
  offset(): Promise<number>
  /** Sends from the server's offset up to `end`; resolves false when the connection broke. */
  send(end: number): Promise<boolean>
}

type Where = { url: string; client: Client; organizationId: string }
type Unplayed = { organizationId: string; title?: string; seconds?: number }

/** Films, uploads and waits for a video that can be watched; gives its id. */
export async function readyVideo(
  where: Where,
  { seconds, width }: { seconds: number; width: number },
): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-clip-'))
  const file = path.join(folder, 'clip.mp4')
  await makeClip({ file, seconds, width, height: 2 * Math.round((width * 9) / 32), style: 'orbits' })
  const upload = await announce(where, file)
  await upload.send(upload.size)
  await rm(folder, { recursive: true })
  const { videoId } = upload
  const state = async () => (await where.client.call(readVideo, { params: { videoId } })).state
  await expect.poll(state, { timeout: 180_000 }).toBe('ready')
  return videoId
}

/** Writes a video into the database that can be sent and cannot be played, which takes no time; gives its id. */
export async function videoWithoutFiles(
  product: Product,
  { organizationId, title = 'A real video', seconds = 60 }: Unplayed,
): Promise<string> {
  const database = await openDatabase(product)
  const { rows } = await database.query(
    `with video as (insert into videos (organization_id, title, state) values ($1, $2, 'ready') returning id)
      insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, 'clip.mp4', 1, $3, now() from video returning id, video_id`,
    [organizationId, title, seconds * 1_000],
  )
  const [version] = rows as { id: string; video_id: string }[]
  await database.query('update videos set current_version_id = $2 where id = $1', [
    version?.video_id,
    version?.id,
  ])
  await database.close()
  return version?.video_id ?? ''
}

/** A resumable upload by hand, so that a test decides when it breaks. */
export async function announce(where: Where, file: string): Promise<Upload> {
  const { url, client, organizationId } = where
  const { size } = await stat(file)
  const { video, uploadUrl } = await client.call(createVideo, {
    body: { title: 'A real video', fileName: 'real.mp4', size, organizationId },
  })
  const address = new URL(uploadUrl, url)
  const headers = { ...tus, authorization: `Bearer ${client.token}` }
  const offset = async () => {
    const answer = await fetch(address, { method: 'HEAD', headers })
    if (!answer.ok) throw new Error(`HEAD of the upload: ${answer.status}`)
    return Number(answer.headers.get('upload-offset'))
  }
  return {
    videoId: video.id,
    size,
    offset,
    async send(end) {
      try {
        const from = await offset()
        const request: RequestInit & { duplex: 'half' } = {
          method: 'PATCH',
          headers: {
            ...headers,
            'content-type': 'application/offset+octet-stream',
            'upload-offset': String(from),
            'content-length': String(end - from),
          },
          body: trickle(file, from, end),
          duplex: 'half',
        }
        return (await fetch(address, request)).ok
      } catch {
        return false
      }
    },
  }
}

/** The bytes of a file in a dozen pieces with a pause before each, so that there is a middle to break off in. */
function trickle(file: string, from: number, end: number): ReadableStream<Uint8Array> {
  async function* pieces() {
    const highWaterMark = Math.max(1, Math.ceil((end - from) / 12))
    for await (const piece of createReadStream(file, { start: from, end: end - 1, highWaterMark })) {
      await sleep(25)
      yield piece as Uint8Array
    }
  }
  // Node's own web streams and those of fetch are the same thing under two type names.
  return Readable.toWeb(Readable.from(pieces())) as ReadableStream<Uint8Array>
}
