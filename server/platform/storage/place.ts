import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import * as z from 'zod/mini'
import { requireRow, type Database, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import { startLoop, type Loop } from '../loop.ts'
import { writeOnce } from '../write-once.ts'
import { PlaceError, type Storage } from './storage.ts'
import { absent, bytesOf, storeKinds, type Store, type StoreKind } from './store.ts'

const Place = z.object({
  kind: z.enum(storeKinds),
  place: z.nullable(z.string()),
  formerKind: z.nullable(z.enum(storeKinds)),
  formerPlace: z.nullable(z.string()),
  installation: z.string(),
  hasFiles: z.boolean(),
})
export type Place = z.infer<typeof Place>

/** Reads where the files are, and holds that until the transaction ends. */
export const lockPlace = (tx: Tx): Promise<Place> => readPlace(tx, sql`for update of f`)

const readPlace = (tx: Tx, held = sql``): Promise<Place> =>
  requireRow(
    tx,
    Place,
    sql`select f.kind, f.place, f.former_kind as "formerKind", f.former_place as "formerPlace",
        (select installation::text from backup_plan) as installation,
        exists (select from video_versions where uploaded_at is not null) or exists (select from uploads) as "hasFiles"
      from file_stores f ${held}`,
  )

type Needs = { env: Pick<Env, 'dataDir' | 's3'>; db: Database; storage: Storage }

/**
 * Makes sure that this process sees the files of the installation, as every process must before it does anything; the first one writes down
 * where they are. Throws a sentence that says what to do.
 */
export async function requirePlace({ env, db, storage }: Needs): Promise<void> {
  const known = await readPlace(db.single)
  if (known.place !== null) return lookAt(known, { env, storage })
  await db.as('system', async (tx) => {
    const { kind, place, installation, hasFiles } = await lockPlace(tx)
    // An installation begins where its settings say; one that has files stays until they are moved.
    const isNew = place === null && !hasFiles && env.s3 !== undefined
    const used = isNew ? 's3' : kind
    const seen = await placeAt(used, { env, storage, installation, place, hasFiles })
    if (used !== kind || seen !== place)
      await tx.execute(sql`update file_stores set kind = ${used}, place = ${seen}`)
  })
}

/** Looks at what is known without holding it, since a store may take its time and others store files meanwhile. */
async function lookAt(
  { kind, place, formerKind, formerPlace, ...known }: Place,
  at: Pick<Needs, 'env' | 'storage'>,
): Promise<void> {
  await placeAt(kind, { ...at, ...known, place })
  if (formerKind !== null) await placeAt(formerKind, { ...at, ...known, place: formerPlace })
}

type Watch = { log: Pick<FastifyBaseLogger, 'error'>; everyMs: number; end: (why: Error) => void }

/** Ends a process that sees the files no more, because they were moved to where its settings do not lead. */
export function watchPlace(needs: Needs, { log, everyMs, end }: Watch): Loop {
  return startLoop({ log, failure: 'it could not be looked whether the files are still here' }, async () => {
    await requirePlace(needs).catch((error: unknown) => {
      if (!(error instanceof PlaceError)) throw error
      end(error)
    })
    return everyMs
  })
}

type Asked = Pick<Needs, 'env' | 'storage'> & {
  installation: string
  /** As the database has it; null where nothing has used it yet. */
  place: string | null
  hasFiles: boolean
}

/** Returns what the database is to know the place by. */
export function placeAt(kind: StoreKind, asked: Asked): Promise<string> {
  return kind === 'folder' ? folderAt(asked) : bucketAt(asked)
}

const markName = 'files-of'

/** A folder is known by a mark in it, so that two machines with a folder each do not take them for one. */
async function folderAt({ env: { dataDir }, place, hasFiles }: Asked): Promise<string> {
  const file = path.join(dataDir, markName)
  const present = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  if (present !== undefined && present === place) return present
  if (place !== null && hasFiles)
    throw new PlaceError(
      `The files of this installation lie in another folder than ${dataDir}: files of other machines cannot be seen from here. Name the folder that has them in DATA_DIR (every machine the same shared one), or move them into an S3-compatible store first, which every machine sees (npm run move -- --to s3). If they are here all the same, write this line into ${file}: ${place}`,
    )
  if (present !== undefined) return present
  writeOnce(file, `${place ?? randomUUID()}\n`, 0o600)
  return readFileSync(file, 'utf8').trim()
}

const ownerKey = 'installation'

/** A bucket is known by its address, and holds the name of the installation that it belongs to. */
async function bucketAt({ storage, place, installation }: Asked): Promise<string> {
  const store = storage.of('s3')
  if (place !== null && place !== store.place)
    throw new PlaceError(
      `The files of this installation lie in ${place}, and the settings name ${store.place}. Set S3_ENDPOINT, S3_BUCKET and S3_PREFIX to where they are.`,
    )
  const owner = await ownerOf(store)
  if (owner === undefined && place !== null)
    throw new PlaceError(
      `The files of this installation are gone from ${store.place}: it is not the bucket that it was.`,
    )
  if (owner === undefined) await store.put(ownerKey, Buffer.from(`${installation}\n`))
  else if (owner !== installation)
    throw new PlaceError(
      `${store.place} holds the files of another installation. Name another bucket in S3_BUCKET, or other names in it by S3_PREFIX.`,
    )
  return store.place
}

async function ownerOf(store: Store): Promise<string | undefined> {
  const found = await store.read(ownerKey).catch(absent(undefined))
  return found && String(await bytesOf(found)).trim()
}
