import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { VideoFailure } from '#contract/videos/videos.ts'
import { eachApart } from '../platform/aside.ts'
import { isDiskFull, saidOf } from '../platform/errors.ts'
import type { Services } from '../platform/http/services.ts'
import { startLoop } from '../platform/loop.ts'
import { conversions } from '../platform/metrics/registry.ts'
import { pickEngine } from '../media/engines.ts'
import { EngineError, TranscodeError } from '../media/job.ts'
import { processSource, recogniseSource } from '../media/process.ts'
import { NotAVideoError } from '../media/refusals.ts'
import { requireRoom } from '../media/room.ts'
import type { VersionKey } from '../platform/storage/paths.ts'
import { sha256Of } from './uploads/known.ts'
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

const lookEveryMs = 1_000

/**
 * Looks at a file as soon as it has arrived, whatever is being converted meanwhile: what is no video fails with the reason at once, and
 * everything else gets in line for its conversion. A large file takes minutes to be hashed, so that comes last, and once.
 */
export async function probeVideo(services: Needs, key: VersionKey): Promise<void> {
  const { db, jobs, storage } = services
  const { organizationId } = key
  const begun = await db.as({ organizationId }, (tx) => beginProcessing(tx, key))
  if (!begun) return
  const source = await storage.source(key)
  const hash = async () => {
    if (!begun.isHashed) await keepHash(db, key, await sha256Of(source).catch(machineFailed))
  }
  try {
    await recogniseSource(source, begun).catch(machineFailed)
    await hash()
  } catch (error) {
    await fail(services, key, error)
    if (error instanceof NotAVideoError) await hash()
    return
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
  if (!begun) return
  log.info(key, 'processing begins')
  const scratch = await storage.scratch(key.versionId)
  const watch = watchOver(services, { key, scratch })
  try {
    const made = await processSource({
      ...begun,
      source: await storage.source(key),
      outDir: path.join(scratch, 'media'),
      onProgress: watch.tell,
      signal: AbortSignal.any([signal, watch.stop]),
    }).catch(machineFailed)
    await db.as({ organizationId }, async (tx) => {
      if (!(await claimResult(tx, key))) return
      await storage.publish(key, path.join(scratch, 'media'))
      await storeResult(tx, key, made)
    })
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
  if (error instanceof NotAVideoError) return error.code
  if (error instanceof EngineError) return 'converter_broken'
  return error instanceof TranscodeError ? 'processing_failed' : undefined
}

/** Why a conversion is stopped of which nobody wants the result any more. */
const unwanted = 'unwanted'

type Watched = { key: VersionKey; scratch: string }
type Watch = { tell: (fraction: number) => void; stop: AbortSignal; end: () => Promise<void> }

/** Writes the progress once a second, and stops a conversion, also one that stands still, when its video is gone or the disk full. */
function watchOver({ db, log }: Needs, { key, scratch }: Watched): Watch {
  const stop = new AbortController()
  let reached = 0
  const looking = startLoop({ log, failure: 'progress not written' }, async () => {
    await requireRoom(scratch).catch((full: unknown) => stop.abort(full))
    if (!(await showProgress(db, key, reached))) stop.abort(unwanted)
    return lookEveryMs
  })
  return {
    tell: (fraction) => {
      reached = fraction
    },
    stop: stop.signal,
    end: looking.stop,
  }
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
