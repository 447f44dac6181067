import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import type { BackupOrigin } from '#contract/backup.ts'
import { hasRow, statementsOn } from '../../platform/db/client.ts'
import { startEmbedded } from '../../platform/db/embedded/embedded.ts'
import { connectionLock } from '../../platform/db/locks.ts'
import { bringUpToDate, migrateDatabase, takeTurn } from '../../platform/db/migrate.ts'
import { migrations } from '../../platform/db/migrations.ts'
import { openClient, requireReady } from '../../platform/db/preconditions.ts'
import { addressesOf } from '../../platform/db/roles.ts'
import { sql } from '../../platform/db/sql.ts'
import { makeDataDir } from '../../platform/data-dir.ts'
import type { Env } from '../../platform/env.ts'
import { isDiskFull } from '../../platform/errors.ts'
import { installJobs } from '../../platform/jobs/queue.ts'
import { givenKeys, secretFiles, type Keys } from '../../platform/keys.ts'
import { tops } from '../../platform/storage/keys.ts'
import { s3Store } from '../../platform/storage/s3.ts'
import type { Store } from '../../platform/storage/store.ts'
import { writeOnce } from '../../platform/write-once.ts'
import { bringFiles, readFileList, type Target } from '../files.ts'
import { loadTables } from './load.ts'
import { settleFiles } from './settle.ts'
import { readManifest, type Description, type Manifest, type StoredFile } from '../manifest.ts'
import { ofVideos } from '../place.ts'
import type { ProgressListener } from '../progress.ts'
import { requireFits, sealFor, unsealWith, type Unseal } from '../seal.ts'
import { broughtKeys, isInDataDir, requireSecret } from '../secret.ts'
import { originOf, requireName, signedIn } from '../signature.ts'

/** Lies in DATA_DIR while a restore is not at its end: nothing may start there. */
const unfinished = 'restore-unfinished'

/** Refuses with a sentence to start on half of an installation. */
export function requireWhole(dataDir: string): void {
  if (existsSync(path.join(dataDir, unfinished)))
    throw new Error(`A restore into ${dataDir} was not finished. Run it once more; it begins anew.`)
}

/** What an operator answers for: that a backup has no signature, or that of another secret. */
export type Allowed = { unsigned: boolean; foreign: boolean }

type RestoreRequest = {
  /** Of the place that is filled. */
  env: Env
  /** Of the backups. */
  store: Store
  name: string
  identity?: string | undefined
  allowed: Allowed
  tell?: ProgressListener
}

/**
 * Brings a backup into an empty DATA_DIR and an empty database, and files of videos into the bucket that is set, where one is. Throws a
 * sentence, and leaves a place where nothing starts, when any byte of it is not as it was.
 */
export async function restore({ allowed, tell = () => {}, ...asked }: RestoreRequest): Promise<Restored> {
  const { env, store, name } = asked
  const read = await readBackup(asked)
  const { files, unseal } = read
  const { manifest } = read.description
  requireSecret(manifest, env, allowed.foreign)
  const isBrought = isInDataDir(env) && manifest.kind === 'whole'
  const keys = isBrought
    ? await broughtKeys(files, { store, recipient: manifest.recipient, unseal })
    : givenKeys(env)
  const origin = originIn(read, keys)
  requireAllowed({ name, origin, isBrought }, allowed)
  const target = { dataDir: env.dataDir, bucket: env.s3 && s3Store(env.s3) }
  try {
    await takePlace(target, manifest.kind)
    await bring(env, { ...read, store, name, tell, target })
  } finally {
    target.bucket?.close()
  }
  await rm(path.join(env.dataDir, unfinished))
  return { manifest, origin, isBrought }
}

type Restored = {
  manifest: Manifest
  origin: BackupOrigin
  /** The secret that its signature was compared with came along with it. */
  isBrought: boolean
}

type Trying = { env: Env; keys: Keys | undefined } & Pick<
  RestoreRequest,
  'store' | 'name' | 'identity' | 'tell'
>

/**
 * Only to see whether it can be done: into a place that is thrown away, by `env`; files are read, and not written. `keys`: of the
 * installation that looks. One that has no signature is tried all the same, and so is one of which nobody can tell.
 */
export async function tryRestore({ env, keys, tell = () => {}, ...asked }: Trying): Promise<BackupOrigin> {
  const { store, name } = asked
  const read = await readBackup(asked)
  const { files, unseal } = read
  const { manifest } = read.description
  const known = keys ?? (await broughtKeys(files, { store, recipient: manifest.recipient, unseal }))
  const origin = originIn(read, known)
  if (origin === 'foreign') throw foreign(name, keys === undefined)
  await takePlace({ dataDir: env.dataDir, bucket: undefined }, manifest.kind)
  await bring(env, { ...read, store, name, tell, target: null })
  return origin
}

type Read = { description: Description; files: StoredFile[]; unseal: Unseal }

/** Everything that says what a backup is; throws where it says it wrongly. */
async function readBackup({
  store,
  name,
  identity,
}: Pick<RestoreRequest, 'store' | 'name' | 'identity'>): Promise<Read> {
  const description = await readManifest(store, name)
  const { manifest } = description
  requireKnown(manifest)
  const unseal = unsealWith(manifest.recipient, identity)
  await requireFits(sealFor(manifest.recipient ?? undefined), unseal)
  const files = await readFileList(store, name, manifest.files)
  requireName(name, manifest)
  return { description, files, unseal }
}

const originIn = ({ description }: Read, keys: Keys | undefined) => originOf(signedIn(description), keys)

const foreign = (name: string, isBrought: boolean) =>
  new Error(
    isBrought
      ? `The signature of the backup ${name} does not fit the secret that it brings along: it was changed after it was made.`
      : `The backup ${name} is not signed with this secret: another installation made it, it was changed after it was made, or the secret was changed twice since.`,
  )

const trustWarning =
  'Whoever could write to its folder may have made or changed it, and what it holds is trusted from then on.'

function requireAllowed(
  { name, origin, isBrought }: { name: string; origin: BackupOrigin; isBrought: boolean },
  allowed: Allowed,
) {
  if (origin === 'unsigned' && !allowed.unsigned)
    throw new Error(
      `The backup ${name} has no signature: an earlier release made it, or somebody took it away. ${trustWarning} If you know that it is as you made it, restore it with --unsigned.`,
    )
  if ((origin === 'foreign' || origin === 'unknown') && !allowed.foreign)
    throw new Error(
      `${foreign(name, isBrought).message} ${trustWarning} If you know whose it is and trust them, restore it with --foreign.`,
    )
}

type BringingAll = Read & {
  store: Store
  name: string
  tell: ProgressListener
  /** Null: it is a trial, in which files are only read. */
  target: Target | null
}

async function bring(env: Env, bringing: BringingAll): Promise<void> {
  const { description, files, target, ...reading } = bringing
  const { manifest } = description
  try {
    await bringFiles(files, { ...reading, recipient: manifest.recipient, target })
    await bringDatabase(env, { ...reading, manifest, target })
  } catch (error) {
    if (!(error instanceof Error) || !isDiskFull(error)) throw error
    // A disk says by which call it is full, a store says it by itself.
    const full = target?.bucket && !('syscall' in error) ? target.bucket.place : env.dataDir
    throw new Error(
      `There is no room left where ${full} lies. Nothing starts there before a restore is finished.`,
      {
        cause: error,
      },
    )
  }
}

/** The migrations of the backup must be the first of ours. */
function requireKnown({ migrations: made, release }: Manifest): void {
  const known = new Map(migrations().map(({ name, hash }) => [name, hash]))
  const newer = made.find(({ name }) => !known.has(name))
  if (newer)
    throw new Error(
      `The backup was made by release ${release}, which is newer than this program (it knows no ${newer.name}). Restore it with that release.`,
    )
  const other = made.find(({ name, hash }) => known.get(name) !== hash)
  if (other)
    throw new Error(
      `The backup was made by release ${release} with another form of the migration ${other.name}. Restore it with that release.`,
    )
}

/** What a backup of the database alone finds in its place: everything but a database. */
const isBesideDatabase = (name: string) => !['postgres', 'database-location'].includes(name)

/**
 * Empty, but for files where only the database is restored; or left by a restore of the same kind into the same places that was not
 * finished: then what it left is removed.
 */
async function takePlace({ dataDir, bucket }: Target, kind: Manifest['kind']): Promise<void> {
  makeDataDir(dataDir)
  const mark = path.join(dataDir, unfinished)
  const isWhole = kind === 'whole'
  const marked = isWhole && bucket ? `${kind} ${bucket.place}` : kind
  const isAgain = existsSync(mark) && readFileSync(mark, 'utf8').trim() === marked
  const present = readdirSync(dataDir).filter((name) => isWhole || !isBesideDatabase(name))
  if (present.length > 0 && !isAgain)
    throw new Error(
      isWhole
        ? `${dataDir} is not empty. A backup is restored into an empty place only: name another DATA_DIR, or move this one away.`
        : `${dataDir} has a database. Move ${present.join(' and ')} away from there first.`,
    )
  if (isWhole && bucket && !isAgain) await requireEmpty(bucket)
  writeOnce(mark, `${marked}\n`, 0o600)
  if (!isWhole) return
  const secrets = secretFiles({ dataDir, secretKeyFile: undefined })
  const folders = tops.map((top) => path.join(dataDir, top))
  for (const place of [...folders, secrets.present, secrets.previous])
    await rm(place, { recursive: true, force: true })
  for (const top of ofVideos) await bucket?.removeBelow(`${top}/`)
}

async function requireEmpty(bucket: Store): Promise<void> {
  for (const top of ofVideos)
    for await (const { key } of bucket.list(`${top}/`))
      throw new Error(
        `${bucket.place} is not empty: it has ${key}. A backup is restored into an empty place only: name another S3_BUCKET or S3_PREFIX, or remove what lies there.`,
      )
}

type Bringing = Parameters<typeof loadTables>[1] & { target: Target | null }

async function bringDatabase(env: Env, bringing: Bringing): Promise<void> {
  const { manifest, target } = bringing
  const embedded = env.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: env.dataDir, fsync: target !== null })
  try {
    if (embedded) await emptied(embedded.url)
    const addresses = addressesOf(env, embedded?.url)
    const { owner } = addresses
    if (owner === undefined)
      throw new Error(
        'A restore writes as the owner of the tables: name its address in DATABASE_OWNER_URL (docs/operating.md).',
      )
    await asOwner(owner, async (client) => {
      await makeTables(client, owner, manifest)
      await loadTables(client, bringing)
    })
    await migrateDatabase(addresses, installJobs)
    await asOwner(owner, async (client) => {
      // Whom a process served after the backup is not known here, so one that was running then may have served anybody.
      await client.query('update public.served_runs set process_id = null where ended_at is null')
      if (target) await settleFiles(statementsOn(client), target, manifest.kind)
    })
  } finally {
    await embedded?.stop()
  }
}

async function asOwner(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await openClient(connectionString)
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Our own cluster holds nothing but what an earlier try of this restore has put there. */
async function emptied(url: string): Promise<void> {
  const admin = new URL(url)
  const name = admin.pathname.slice(1)
  admin.pathname = '/postgres'
  const client = new pg.Client({ connectionString: admin.toString() })
  await client.connect()
  try {
    await client.query(`drop database ${pg.escapeIdentifier(name)} with (force)`)
    await client.query(`create database ${pg.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}

/** As the release of the backup had them. */
async function makeTables(client: pg.Client, owner: string, { migrations: made }: Manifest): Promise<void> {
  await requireReady(client)
  await takeTurn(client, (sentence) => console.log(sentence))
  const isUsed = await hasRow(
    statementsOn(client),
    sql`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`,
  )
  if (isUsed)
    throw new Error(
      'The database is not empty. A backup is restored into an empty database only: create one, and name it in DATABASE_URL.',
    )
  const names = new Set(made.map(({ name }) => name))
  await bringUpToDate(
    client,
    migrations().filter(({ name }) => names.has(name)),
  )
  await installJobs(owner)
  await client.query(connectionLock('migration').release, [''])
}
