import { open, stat } from 'node:fs/promises'
import { createVideo } from '#contract/videos.ts'
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

/** A resumable upload by hand, so that a test decides when it breaks. */
export async function announce(
  where: { url: string; client: Client; organizationId: string },
  file: string,
): Promise<Upload> {
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
      const from = await offset()
      const handle = await open(file)
      const part = Buffer.alloc(Math.max(0, end - from))
      await handle.read(part, 0, part.length, from)
      await handle.close()
      return fetch(address, {
        method: 'PATCH',
        headers: {
          ...headers,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(from),
        },
        body: part,
      }).then(
        (answer) => answer.ok,
        () => false,
      )
    },
  }
}
