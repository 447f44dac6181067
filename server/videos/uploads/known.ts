import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { knownBytes } from '#contract/videos/videos.ts'
import { cut, inOneLine } from '#contract/platform/text/text.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Storage } from '../../platform/storage/local.ts'
import type { UploadRow } from './queries.ts'

/** SHA-256 in hex of the beginning and of the end of a file, `knownBytes` of each, or of all where there are fewer. */
type Ends = { head: string; tail: string }

const nothing = createHash('sha256').digest('hex')

/** Of the first `offset` bytes of an unfinished upload, of which there may be no file before the first byte. */
async function endsOf(storage: Storage, versionId: string, offset: number): Promise<Ends> {
  if (offset === 0) return { head: nothing, tail: nothing }
  const handle = await open(path.join(storage.uploads, versionId))
  try {
    const length = Math.min(offset, knownBytes)
    return { head: await hashOf(handle, 0, length), tail: await hashOf(handle, offset - length, length) }
  } finally {
    await handle.close()
  }
}

async function hashOf(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position })
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex')
}

/** SHA-256 of a whole file, in hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const Newest = z.object({ versionId: z.string(), fileName: z.string(), isWaited: z.boolean() })

/** What has arrived of the newest file of a video; refused where nothing of it is waited for. */
export async function readUploadOf(tx: Tx, storage: Storage, videoId: string) {
  const { versionId, fileName, isWaited } = await requireRow(
    tx,
    Newest,
    sql`select x.id as "versionId", x.file_name as "fileName", x.uploaded_at is null and x.failure is null as "isWaited"
      from video_versions x join videos v on v.id = x.video_id and v.deleted_at is null
      where v.id = ${videoId} order by x.number desc limit 1`,
  )
  if (!isWaited) throw refuse('conflict', { reason: { code: 'upload_complete' } })
  const offset = (await storage.uploadSize(versionId)) ?? 0
  return { fileName, offset, ...(await endsOf(storage, versionId, offset)) }
}

/**
 * Whoever goes on with an upload names what their file has where the server holds something already, in three headers; another file is
 * refused before a byte of it is written. What lies before the offset never changes, so nothing has to be held meanwhile.
 */
export async function requireSameFile(
  storage: Storage,
  upload: UploadRow,
  { headers }: FastifyRequest,
): Promise<void> {
  const { 'upload-head': head, 'upload-tail': tail, 'upload-name': name } = headers
  if (head === undefined && tail === undefined) return
  const offset = Number(headers['upload-offset'])
  const arrived = (await storage.uploadSize(upload.versionId)) ?? 0
  // Where it does not go on within what is there, it is refused for that.
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > arrived) return
  const ends = await endsOf(storage, upload.versionId, offset)
  if (ends.head === head && ends.tail === tail) return
  throw refuse('conflict', {
    reason: {
      code: 'another_file',
      params: { chosen: namedIn(name) ?? upload.fileName, begun: upload.fileName },
    },
  })
}

/** A header holds no letters but those of ASCII, so the name is encoded as in an address. */
function namedIn(header: string | string[] | undefined): string | undefined {
  try {
    return cut(inOneLine(decodeURIComponent(String(header ?? ''))), 500) || undefined
  } catch {
    return undefined
  }
}
