import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { createVideo, readVideo } from '#contract/videos.ts'
import { makeClip } from '#server/testing/clips.ts'
import type { Client } from './client.ts'

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
