import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Reply } from '#contract/endpoint.ts'
import { reasonText } from '#contract/platform/reasons.ts'
import { readUpload } from '#contract/videos/videos.ts'
import { call } from '#web/api/client.ts'
import { formatBytes } from '#web/ui/format.ts'
import type { UploadItem } from './uploadStore.ts'

type Arrived = Pick<Reply<typeof readUpload>, 'offset' | 'headBytes' | 'tailBytes'>

/** SHA-256 in hex of the beginning and of the end of what a file has of what has arrived. The browser's own works with HTTPS only. */
export async function endsOf(
  file: Blob,
  { offset, headBytes, tailBytes }: Arrived,
): Promise<{ head: string; tail: string }> {
  const hashOf = async (part: Blob) => bytesToHex(sha256(new Uint8Array(await part.arrayBuffer())))
  return {
    head: await hashOf(file.slice(0, headBytes)),
    tail: await hashOf(file.slice(offset - tailBytes, offset)),
  }
}

/** A file is known by what is in it, as far as that has arrived: whatever it is called now, and whenever it was copied. */
export async function wrongWith({ videoId, fileName, size }: UploadItem, file: File): Promise<string | null> {
  if (file.size !== size)
    return `This is another file: it has ${formatBytes(file.size)}, and “${fileName}” has ${formatBytes(size)}.`
  // A file in place of another is announced when it is chosen, so there is nothing to compare.
  if (videoId === null) return null
  const arrived = await call(readUpload, { params: { videoId } })
  const { head, tail } = await endsOf(file, arrived)
  if (head === arrived.head && tail === arrived.tail) return null
  return reasonText({ code: 'another_file', params: { chosen: file.name, begun: arrived.fileName } })
}
