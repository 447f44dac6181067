import * as z from 'zod/mini'
import { rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { mediaPrefix, sourceKey, VersionKey } from '../platform/storage/keys.ts'
import { type Store, type StoredObject } from '../platform/storage/store.ts'

const Version = z.extend(VersionKey, {
  size: z.number(),
  sha256: z.nullable(z.string()),
  isUploaded: z.boolean(),
  isReady: z.boolean(),
})
export type Version = z.infer<typeof Version>

const atOnce = 200
const isFiled = sql`(x.uploaded_at is not null or x.ready_at is not null) and v.files_removed_at is null`

/** Gives the versions of videos that have files, a portion at a time, in the order of their ids. */
export async function* versionsWithFiles(tx: Tx, isWanted: SQL = sql`true`): AsyncGenerator<Version> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const found = await rows(
      tx,
      Version,
      sql`select x.organization_id as "organizationId", x.video_id as "videoId", x.id as "versionId", x.size::float8 as size, x.sha256,
          x.uploaded_at is not null as "isUploaded", x.ready_at is not null as "isReady"
        from video_versions x join videos v on v.id = x.video_id
        where ${isFiled} and x.id > ${after} and ${isWanted} order by x.id limit ${atOnce}`,
    )
    yield* found
    const last = found.at(-1)
    if (last === undefined) return
    after = last.versionId
  }
}

export const notMoved = sql`not exists (select from moved_files m where m.version_id = x.id)`

const Left = z.object({ versions: z.number(), bytes: z.number() })

/** How much is to be moved, as the database knows it. */
export async function countLeft(tx: Tx): Promise<z.infer<typeof Left>> {
  const [found] = await rows(
    tx,
    Left,
    sql`select count(*)::int as versions, coalesce(sum(x.size + coalesce((x.probe->>'bytes')::bigint, 0)), 0)::float8 as bytes
      from video_versions x join videos v on v.id = x.video_id where ${isFiled} and ${notMoved}`,
  )
  return found ?? { versions: 0, bytes: 0 }
}

/** Gives what a store has of a version. What was left by a conversion that never ended is not part of it. */
export async function filesIn(store: Store, version: Version): Promise<StoredObject[]> {
  const files: StoredObject[] = []
  const source = await store.head(sourceKey(version))
  if (source) files.push(source)
  if (version.isReady) for await (const file of store.list(mediaPrefix(version))) files.push(file)
  return files
}
