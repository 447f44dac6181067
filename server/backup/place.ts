import { hasRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { folderStore } from '../platform/storage/folder.ts'
import { tops } from '../platform/storage/keys.ts'
import { s3Store, type S3Place } from '../platform/storage/s3.ts'
import { readHolding, type Holding } from '../platform/storage/storage.ts'
import type { Store, StoreKind } from '../platform/storage/store.ts'

/** Where backups lie. */
export type BackupPlace = {
  store: Store
  /** A folder of this machine for what is not whole yet: theirs, where they lie in one, so that a rename makes it whole. */
  drafts: string
}

export const inFolder = (folder: string): BackupPlace => ({ store: folderStore(folder), drafts: folder })

type Where = Pick<Env, 'dataDir' | 'backupDir' | 'isBackupDirGiven' | 's3'>

/** Where they lie while this kind of store holds the files. */
export function placeBy(env: Where, kind: StoreKind): BackupPlace {
  if (kind === 'folder' || env.isBackupDirGiven) return inFolder(env.backupDir)
  const { prefix, ...bucket } = bucketOf(env)
  return { store: openBucket({ ...bucket, prefix: `${prefix}backups/` }), drafts: env.dataDir }
}

/** A folder, or a bucket by its address as `Store` says it, which the other settings of S3 lead to. */
export function placeNamed(env: Where, text: string): BackupPlace {
  const bucket = bucketIn(text)
  if (bucket === undefined) return inFolder(text)
  const { region = 'us-east-1', isPathStyle = false, keys } = env.s3 ?? {}
  return { store: openBucket({ region, isPathStyle, keys, ...bucket }), drafts: env.dataDir }
}

const address = /^(?:(https?:\/\/[^/]+)|s3\.([\w-]+)\.amazonaws\.com)\/([^/]+)\/?(.*?)\/?$/

/** The bucket that an address names; undefined for a folder. */
export function bucketIn(
  text: string,
): (Pick<S3Place, 'endpoint' | 'bucket' | 'prefix'> & { region?: string }) | undefined {
  const [, endpoint, region, bucket, below = ''] = address.exec(text) ?? []
  if (bucket === undefined) return undefined
  return {
    endpoint,
    bucket,
    prefix: below === '' ? '' : `${below}/`,
    ...(region !== undefined && { region }),
  }
}

function bucketOf({ s3 }: Pick<Env, 's3'>): S3Place {
  if (s3) return s3
  throw new Error('The files lie in an S3-compatible store: set S3_BUCKET and what it needs.')
}

/** Each with its connections; the page of backups asks every few seconds. */
const opened = new Map<string, Store>()

function openBucket(where: S3Place): Store {
  const name = JSON.stringify(where)
  const store = opened.get(name) ?? s3Store(where)
  opened.set(name, store)
  return store
}

/** Which store holds the files, also in tables of before that was asked. */
export async function holdingIn(tx: Tx): Promise<Holding> {
  const isKnown = await hasRow(tx, sql`select 1 where to_regclass('public.file_stores') is not null`)
  return isKnown ? readHolding(tx) : { kind: 'folder', former: null }
}

/** Files of videos that a bucket may have. */
export const ofVideos = ['sources', 'media'] as const

/** The stores of files, each with what of it belongs into a backup; what lies in two of them counts as it lies in the last. */
export function keptIn(env: Where, { kind, former }: Holding): { store: Store; names: string[] }[] {
  const kinds = former === null ? [kind] : [former, kind]
  const isInFolder = kinds.includes('folder')
  // Uploads become sources, and what is moved goes from the former store: so each is looked for before what becomes of it.
  const folder = {
    store: folderStore(env.dataDir),
    names: ['secret-key', 'secret-key.previous', ...(isInFolder ? tops : [])],
  }
  const bucket = () => ({ store: openBucket(bucketOf(env)), names: [...ofVideos] })
  return isInFolder ? kinds.map((one) => (one === 'folder' ? folder : bucket())) : [folder, bucket()]
}
