import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { cut, inOneLine } from '#contract/platform/text/text.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { findState, type UploadRow, type UploadState } from './queries.ts'

const nothing = createHash('sha256').digest('hex')

/** By which what has arrived is known again: SHA-256 in hex of so many bytes at its beginning and at its end. */
const endsOf = (state: UploadState | undefined) => ({
  headBytes: state?.headBytes ?? 0,
  head: state?.headSha256 ?? nothing,
  tailBytes: state?.tailBytes ?? 0,
  tail: state?.tailSha256 ?? nothing,
})

/** SHA-256 of a whole file, in hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const Newest = z.object({
  organizationId: z.string(),
  versionId: z.string(),
  fileName: z.string(),
  isWaited: z.boolean(),
})

/** What has arrived of the newest file of a video; refused where nothing of it is waited for. */
export async function readUploadOf(tx: Tx, videoId: string) {
  const { isWaited, fileName, ...version } = await requireRow(
    tx,
    Newest,
    sql`select x.organization_id as "organizationId", x.id as "versionId", x.file_name as "fileName",
        x.uploaded_at is null and x.failure is null as "isWaited"
      from video_versions x join videos v on v.id = x.video_id and v.deleted_at is null
      where v.id = ${videoId} order by x.number desc limit 1`,
  )
  if (!isWaited) throw refuse('conflict', { reason: { code: 'upload_complete' } })
  const state = await findState(tx, version)
  return { fileName, offset: state?.arrived ?? 0, ...endsOf(state) }
}

/**
 * Whoever goes on with an upload names what their file has where the server holds something already, in three headers; another file is
 * refused before a byte of it is written. What lies before the offset never changes, so nothing has to be held meanwhile.
 */
export function requireSameFile(
  upload: UploadRow,
  state: UploadState | undefined,
  { headers }: FastifyRequest,
): void {
  const { 'upload-head': head, 'upload-tail': tail, 'upload-name': name } = headers
  if (head === undefined && tail === undefined) return
  // Where it does not go on at the end of what is there, it is refused for that.
  if (Number(headers['upload-offset']) !== (state?.arrived ?? 0)) return
  const ends = endsOf(state)
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
