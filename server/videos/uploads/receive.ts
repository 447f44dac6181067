import { mkdirSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { Upload } from '@tus/server'
import { sql } from '../../platform/db/sql.ts'
import { isDiskFull } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { findUpload } from './queries.ts'

export const uploadDays = 7

/** A sender that is silent for so long has gone; whoever comes back goes on where the file ends. */
const silenceMs = 30_000
const progressMs = 1_000

/**
 * What has arrived is what lies on disk: size and owner come from the database, the offset is the length of the file, and
 * nothing is acknowledged before it is synced.
 */
export function uploadStore(services: Services, touch: (uploadId: string) => void): FileStore {
  const { db, storage } = services
  // The library would make it open to everybody.
  mkdirSync(storage.uploads, { recursive: true, mode: 0o700 })
  const store = new FileStore({
    directory: storage.uploads,
    expirationPeriodInMilliseconds: uploadDays * 86_400_000,
    configstore: {
      async get(id) {
        const found = await findUpload(db, id)
        if (!found) return undefined
        return new Upload({
          id,
          size: found.size,
          offset: 0,
          metadata: { filename: found.fileName },
          creation_date: found.createdAt,
        })
      },
      set: async () => undefined,
      delete: async () => undefined,
    },
  })
  store.extensions = ['expiration']
  store.write = (readable, id, offset) => receive(services, { readable, id, offset, touch })
  return store
}

type Incoming = { readable: Readable; id: string; offset: number; touch: (uploadId: string) => void }

/** Writes piece after piece, the next one is taken when the last is written: memory stays flat however large the file is. */
async function receive(services: Services, incoming: Incoming): Promise<number> {
  const { readable, id, offset, touch } = incoming
  const handle = await open(path.join(services.storage.uploads, id), 'r+')
  const silence = setTimeout(() => readable.destroy(new Error('the sender is silent')), silenceMs)
  let end = offset
  let reportedAt = performance.now()
  let full: unknown
  try {
    for await (const chunk of readable) {
      silence.refresh()
      // Whoever is still sending hears no answer, so the rest of this request is taken and thrown away.
      if (full !== undefined) continue
      const written = await writeAll(handle, chunk as Buffer, end).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error
        full = error
        return 0
      })
      end += written
      touch(id)
      if (performance.now() - reportedAt < progressMs) continue
      reportedAt = performance.now()
      void showReceived(services, id, end)
    }
    if (full !== undefined) throw full
    return end
  } finally {
    clearTimeout(silence)
    // Also after a broken connection: the next try asks for the length and must find what will survive a power cut.
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
    await showReceived(services, id, end)
  }
}

async function writeAll(handle: FileHandle, chunk: Buffer, position: number): Promise<number> {
  let written = 0
  while (written < chunk.length) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
  return written
}

/** For the progress that people see; what counts is the file. */
async function showReceived({ db, log }: Services, id: string, bytes: number): Promise<void> {
  await db.single
    .execute(
      sql`update video_versions set received_bytes = ${bytes} where id = ${id} and uploaded_at is null`,
    )
    .catch((error: unknown) => log.warn({ err: error }, 'progress of an upload not written'))
}
