import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { readStorage } from '#contract/platform/upkeep.ts'
import { largestUpload } from '#contract/videos/videos.ts'
import { arrayOf, row, rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { usageOf } from '../platform/storage/usage.ts'
import { diskOf } from './installation.ts'

const patienceMs = 5_000

const NamedOrganization = z.object({ id: z.string(), name: z.string() })

const DatabaseSize = z.object({ bytes: z.number() })

/** Files are counted outside of any transaction: there may be many. */
export async function storageOf({ db, env }: Services): Promise<Reply<typeof readStorage>> {
  const [used, { freeBytes, totalBytes }] = [
    await usageOf(env.dataDir, patienceMs),
    await diskOf(env.dataDir),
  ]
  const byId = new Map<string, number>()
  for (const [id, bytes] of [...used.sources, ...used.media]) byId.set(id, (byId.get(id) ?? 0) + bytes)
  const [database, named] = await db.as('system', async (tx) => [
    await row(tx, DatabaseSize, sql`select pg_database_size(current_database())::float8 as bytes`),
    await rows(
      tx,
      NamedOrganization,
      sql`select id, name from organizations where id::text = any(${arrayOf([...byId.keys()], 'text')})`,
    ),
  ])
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return {
    folder: env.dataDir,
    hasDatabase: env.databaseUrl === undefined,
    disk: { freeBytes, totalBytes },
    parts: {
      videos: sum(used.media.values()),
      sources: sum(used.sources.values()),
      uploads: used.uploads,
      database: database?.bytes ?? 0,
    },
    isWhole: used.isWhole,
    organizations: largest(byId, names),
    largestUpload,
  }
}

const sum = (all: Iterable<number>) => [...all].reduce((total, bytes) => total + bytes, 0)

/** What no organization has any more is one line, at the end. */
function largest(byId: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>) {
  const known = [...names].map(([id, name]) => ({ id, name, bytes: byId.get(id) ?? 0 }))
  const unowned = sum(byId.values()) - sum(known.map(({ bytes }) => bytes))
  return [
    ...known.toSorted((a, b) => b.bytes - a.bytes),
    ...(unowned > 0 ? [{ id: null, name: null, bytes: unowned }] : []),
  ]
}
