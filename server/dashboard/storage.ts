import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { readStorage } from '#contract/platform/upkeep.ts'
import { largestUpload } from '#contract/videos/videos.ts'
import { requireRow, rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { diskOf } from './installation.ts'

const OrganizationUsage = z.object({
  id: z.string(),
  name: z.string(),
  videos: z.number(),
  sources: z.number(),
  uploads: z.number(),
})

const DatabaseSize = z.object({ bytes: z.number() })

/** Bytes of the files of each organization, as they were when they were stored: the store itself is not counted through. */
const usage = sql`select o.id, o.name, sum(coalesce((x.probe->>'bytes')::float8, 0)) as videos,
    sum(case when x.uploaded_at is null then 0 else x.size end)::float8 as sources, sum(coalesce(u.arrived, 0))::float8 as uploads
  from video_versions x join videos v on v.id = x.video_id and v.files_removed_at is null
  join organizations o on o.id = x.organization_id left join uploads u on u.version_id = x.id
  group by o.id, o.name`

export async function storageOf({ db, env, storage }: Services): Promise<Reply<typeof readStorage>> {
  const [{ kind, place }, { freeBytes, totalBytes }] = [await storage.main(), await diskOf(env.dataDir)]
  const [database, used] = await db.as('system', async (tx) => [
    await requireRow(tx, DatabaseSize, sql`select pg_database_size(current_database())::float8 as bytes`),
    await rows(tx, OrganizationUsage, usage),
  ])
  const sum = (part: 'videos' | 'sources' | 'uploads') =>
    used.reduce((total, organization) => total + organization[part], 0)
  return {
    store: { kind, place },
    hasDatabase: env.databaseUrl === undefined,
    disk: { freeBytes, totalBytes },
    parts: {
      videos: sum('videos'),
      sources: sum('sources'),
      uploads: sum('uploads'),
      database: database.bytes,
    },
    organizations: used
      .map(({ id, name, videos, sources }) => ({ id, name, bytes: videos + sources }))
      .filter(({ bytes }) => bytes > 0)
      .toSorted((a, b) => b.bytes - a.bytes),
    largestUpload,
  }
}
