import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { VideoFailure } from '#contract/videos/videos.ts'
import { eachApart } from '../platform/aside.ts'
import { isDiskFull, saidOf } from '../platform/errors.ts'
import type { Services } from '../platform/http/services.ts'
import { conversions } from '../platform/metrics/registry.ts'
import { pickEngine } from '../media/engines.ts'
import { EngineError, TranscodeError } from '../media/job.ts'
import { processSource, recogniseSource } from '../media/process.ts'
import { NotAVideoError } from '../media/refusals.ts'
import { unwanted, watchOver } from '../media/watched.ts'
import { mediaPrefix, sourceKey, type VersionKey } from '../platform/storage/keys.ts'
import { isAway } from '../platform/storage/store.ts'
import { sha256Of } from './uploads/known.ts'
import { removeOnceMore } from './uploads/queries.ts'
import {
  beginProcessing,
  claimResult,
  keepHash,
  orphanedVersions,
  showProgress,
  storeFailure,
  storeResult,
  resumeVersion,
  stalledVersions,
} from './process-queries.ts'

type Needs = Pick<Services, 'db' | 'jobs' | 'storage' | 'log'>

/**
 * Looks at a file as soon as it has arrived, whatever is being converted meanwhile: what is no video fails with the reason at once, and
 * everything else gets in line for its conversion. A large file takes minutes to be hashed, so that comes last, and once.
 */
export async function probeVideo(services: Needs, key: VersionKey): Promise<void> {
  const { db, jobs, storage } = services
  const { organizationId } = key
  const begun = await db.as({ organizationId }, (tx) => beginProcessing(tx, key))
  if (!begun) return
  const scratch = await storage.scratch.open(key.versionId)
  try {
    const source = await fetchSource(storage, key, scratch)
    const hash = async () => {
      if (begun.sha256 === null) await keepHash(db, key, await sha256Of(source).catch(machineFailed))
    }
    try {
      await recogniseSource(source, begun).catch(machineFailed)
    } catch (error) {
      await fail(services, key, error)
      if (error instanceof NotAVideoError) await hash()
      return
    }
    await hash()
  } catch (error) {
    return await fail(services, key, error)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  await db.as({ organizationId }, async (tx) => {
    if (await claimResult(tx, key)) await jobs.send(tx, 'video.process', key)
  })
}

/**
 * Makes one version playable. Runs again from the start after a crash and then ends the same; drops its work when the video is
 * deleted meanwhile. Throws only what the database refused, so that the queue tries again.
 */
export async function processVideo(services: Needs, key: VersionKey, signal: AbortSignal): Promise<void> {
  const { db, storage, log } = services
  const { organizationId } = key
  const begun = await db.as({ organizationId }, (tx) => beginProcessing(tx, key))
  if (!begun) return removeOnceMore(db.single, key)
  log.info(key, 'processing begins')
  const scratch = await storage.scratch.open(key.versionId)
  const watch = watchOver({
    log: services.log,
    scratch,
    show: (reached) => showProgress(services.db, key, reached),
  })
  try {
    const source = await fetchSource(storage, key, scratch)
    if (begun.sha256 !== null) await requireUnaltered(key, source, begun.sha256)
    const made = await processSource({
      ...begun,
      source,
      outDir: path.join(scratch, 'media'),
      onProgress: watch.tell,
      signal: AbortSignal.any([signal, watch.stop]),
    }).catch(machineFailed)
    const store = await storage.main()
    await store.putFolder(mediaPrefix(key), path.join(scratch, 'media'), isPlaylist)
    const isStored = await db.as({ organizationId }, async (tx) => {
      if (!(await claimResult(tx, key))) return false
      if (!(await storage.holds(tx, store)))
        throw new Error('the files of this installation have moved meanwhile')
      await storeResult(tx, key, made)
      return true
    })
    if (!isStored) return await removeOnceMore(db.single, key)
    conversions.inc({ result: 'ready' })
    log.info({ ...key, durationMs: made.durationMs, bytes: made.bytes }, 'video ready')
  } catch (error) {
    if (watch.stop.reason === unwanted) return
    if (signal.aborted) throw signal.reason
    await fail(services, key, error)
  } finally {
    await watch.end()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Whoever finds a playlist finds all that it names. */
const isPlaylist = (name: string) => name.endsWith('.m3u8')

/** The stored file is not the one that was uploaded. */
class AlteredError extends Error {
  override name = 'AlteredError'
}

/** Brings the source into a folder of this machine. */
async function fetchSource(storage: Services['storage'], key: VersionKey, folder: string): Promise<string> {
  const file = path.join(folder, 'source')
  await storage.copyTo(sourceKey(key), file)
  return file
}

async function requireUnaltered({ versionId }: VersionKey, file: string, sha256: string): Promise<void> {
  const found = await sha256Of(file)
  if (found !== sha256)
    throw new AlteredError(`the source of ${versionId} has the SHA-256 ${found}, and had ${sha256}`)
}

/** What the system refuses to a child or to its folder says nothing about the file. */
function machineFailed(error: unknown): never {
  if (error instanceof NotAVideoError || error instanceof TranscodeError || isDiskFull(error)) throw error
  throw new EngineError(`This machine could not do it: ${saidOf(error)}`, { cause: error })
}

/** Stores and tells what has failed of the file or the machine; throws on what the database refused, so that the queue tries again. */
async function fail({ db, log }: Needs, key: VersionKey, error: unknown): Promise<void> {
  const reason = failureOf(error)
  if (reason === undefined) throw error
  conversions.inc({ result: 'failed' })
  log.warn({ ...key, err: error, reason }, 'video failed')
  await db.as({ organizationId: key.organizationId }, (tx) => storeFailure(tx, key, reason))
}

function failureOf(error: unknown): VideoFailure | undefined {
  if (isDiskFull(error)) return 'disk_full'
  if (isAway(error)) return 'storage_away'
  if (error instanceof AlteredError) return 'source_altered'
  if (error instanceof NotAVideoError) return error.code
  if (error instanceof EngineError) return 'converter_broken'
  return error instanceof TranscodeError ? 'processing_failed' : undefined
}

const nameOf = ({ videoId, versionId, organizationId }: VersionKey) => ({
  item: `${videoId} ${versionId}`,
  organizationId,
})

/** Videos whose job was lost are queued again; those whose job was tried to the end are failed, so that people can act. */
export async function healProcessing({ db, jobs, log }: Needs): Promise<void> {
  const orphaned = await db.as('system', (tx) => orphanedVersions(tx))
  await eachApart({ db, loop: 'uploads', nameOf }, orphaned, ({ usedUp, ...key }) =>
    db.as('system', async (tx) => {
      if (!usedUp) return jobs.send(tx, 'video.probe', key)
      log.warn({ ...key, reason: 'processing_failed' }, 'video failed: all its tries are used up')
      return storeFailure(tx, key, 'processing_failed')
    }),
  )
}

/**
 * Videos that this installation could not convert go on by themselves: all of them as soon as there is an engine again (`wasBroken`), and
 * otherwise each after a pause that grows with the time it has waited. Says whether there is none now.
 */
export async function resumeStalled({ db, jobs, log }: Needs, wasBroken: boolean): Promise<boolean> {
  const stalled = await db.as('system', (tx) => stalledVersions(tx))
  if (stalled.length === 0) return wasBroken
  const fault = await pickEngine().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (fault !== undefined) {
    if (!wasBroken)
      log.error({ err: fault, videos: stalled.length }, 'this installation cannot convert videos')
    return true
  }
  const due = stalled.filter(({ isDue }) => isDue || wasBroken)
  await eachApart({ db, loop: 'uploads', nameOf }, due, ({ isDue: _isDue, ...key }) =>
    db.as('system', async (tx) => {
      if (await resumeVersion(tx, key)) await jobs.send(tx, 'video.probe', key)
    }),
  )
  return false
}
