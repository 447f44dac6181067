import { existsSync, statSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { sourceKey } from '../../platform/storage/keys.ts'
import { readHolding } from '../../platform/storage/storage.ts'
import { storeKinds } from '../../platform/storage/store.ts'
import type { Target } from '../files.ts'
import type { Manifest } from '../manifest.ts'

/** Makes the tables say where files lie, and how far uploads have come that were restored. */
export async function settleFiles(
  tx: Tx,
  { dataDir, bucket }: Target,
  kind: Manifest['kind'],
): Promise<void> {
  const isWhole = kind === 'whole'
  // Where files stay as they are, so does what is known of them.
  if (isWhole) {
    await tx.execute(
      sql`update public.file_stores set kind = ${bucket ? 's3' : 'folder'}, place = null, former_kind = null, former_place = null`,
    )
    await tx.execute(sql`delete from public.moved_files`)
  }
  const holding = await readHolding(tx)
  const lost: string[] = []
  for (const upload of await openUploads(tx)) {
    if (holding.kind === 'folder') await putBack(dataDir, upload)
    const { store, arrived, versionId } = upload
    // A bucket hands out nothing of an upload before its end, so that no backup has any of it.
    const isLost =
      store === 'folder'
        ? sizeOf(path.join(dataDir, 'uploads', versionId)) < arrived
        : store !== null && isWhole
    if (isLost) lost.push(versionId)
  }
  for (const versionId of lost) {
    await tx.execute(sql`delete from public.uploads where version_id = ${versionId}`)
    await tx.execute(sql`update public.video_versions set received_bytes = 0 where id = ${versionId}`)
  }
}

const OpenUpload = z.object({
  versionId: z.string(),
  organizationId: z.string(),
  videoId: z.string(),
  /** Null: nothing has arrived yet, or a release before this one took it. */
  store: z.nullable(z.enum(storeKinds)),
  arrived: z.number(),
})
type OpenUpload = z.infer<typeof OpenUpload>

const openUploads = (tx: Tx): Promise<OpenUpload[]> =>
  rows(
    tx,
    OpenUpload,
    sql`select x.id as "versionId", x.organization_id as "organizationId", x.video_id as "videoId", u.store,
        coalesce(u.arrived, 0)::float8 as arrived
      from video_versions x left join uploads u on u.version_id = x.id where x.uploaded_at is null`,
  )

/** An upload that became whole while the backup was made is a source in its files, and still an upload in its tables. */
async function putBack(dataDir: string, upload: OpenUpload): Promise<void> {
  const uploads = path.join(dataDir, 'uploads')
  const source = path.join(dataDir, sourceKey(upload))
  const file = path.join(uploads, upload.versionId)
  if (!existsSync(source) || existsSync(file)) return
  await mkdir(uploads, { recursive: true, mode: 0o700 })
  await rename(source, file)
}

/** Less than nothing where there is no such file. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? -1
