import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { VideoFailure } from '#contract/videos.ts'
import type { Services } from '../http/services.ts'
import { TranscodeError } from '../media/job.ts'
import { probeSource, processSource } from '../media/process.ts'
import { NotAVideoError } from '../media/refusals.ts'
import type { VersionKey } from '../storage/paths.ts'
import {
  beginProcessing,
  claimResult,
  orphanedVersions,
  showProgress,
  storeFailure,
  storeResult,
} from './process-queries.ts'

type Needs = Pick<Services, 'db' | 'jobs' | 'storage' | 'log'>

const lookEveryMs = 1_000

/**
 * Looks at a file as soon as it has arrived, whatever is being converted meanwhile: what is no video fails with the reason, and
 * everything else gets in line for its conversion.
 */
export async function probeVideo(services: Needs, key: VersionKey): Promise<void> {
  const { db, jobs, storage } = services
  const { organizationId } = key
  if (!(await db.as({ organizationId }, (tx) => beginProcessing(tx, key)))) return
  try {
    await probeSource(await storage.source(key))
  } catch (error) {
    return fail(services, key, error)
  }
  await db.as({ organizationId }, async (tx) => {
    if (await claimResult(tx, key)) await jobs.send(tx, 'video.process', key)
  })
}

/**
 * Makes one version playable. Runs again from the start after a crash and then ends the same; drops its work when the video is
 * deleted meanwhile. Failures that lie in the file are stored and told; others are thrown, so that the queue tries again.
 */
export async function processVideo(services: Needs, key: VersionKey, signal: AbortSignal): Promise<void> {
  const { db, storage, log } = services
  const { organizationId } = key
  if (!(await db.as({ organizationId }, (tx) => beginProcessing(tx, key)))) return
  log.info(key, 'processing begins')
  const watch = watchOver(services, key)
  const scratch = await storage.scratch(key.versionId)
  try {
    const made = await processSource({
      source: await storage.source(key),
      outDir: path.join(scratch, 'media'),
      onProgress: watch.tell,
      signal: AbortSignal.any([signal, watch.unwanted]),
    })
    await db.as({ organizationId }, async (tx) => {
      if (!(await claimResult(tx, key))) return
      await storage.publish(key, path.join(scratch, 'media'))
      await storeResult(tx, key, made)
    })
    log.info({ ...key, durationMs: made.durationMs, bytes: made.bytes }, 'video ready')
  } catch (error) {
    if (watch.unwanted.aborted) return
    if (signal.aborted) throw error
    await fail(services, key, error)
  } finally {
    watch.end()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Stores and tells a failure that lies in the file; throws every other one on, so that the queue tries again. */
async function fail({ db, log }: Needs, key: VersionKey, error: unknown): Promise<void> {
  const reason = failureOf(error)
  if (reason === undefined) throw error
  log.warn({ ...key, err: error, reason }, 'video failed')
  await db.as({ organizationId: key.organizationId }, (tx) => storeFailure(tx, key, reason))
}

function failureOf(error: unknown): VideoFailure | undefined {
  if (error instanceof NotAVideoError) return error.code
  return error instanceof TranscodeError ? 'processing_failed' : undefined
}

type Watch = { tell: (fraction: number) => void; unwanted: AbortSignal; end: () => void }

/** Writes the progress once a second, and learns from it when the video is gone, also from a conversion that stands still. */
function watchOver({ db, log }: Needs, key: VersionKey): Watch {
  const unwanted = new AbortController()
  let reached = 0
  const look = async () => {
    try {
      if (!(await showProgress(db, key, reached))) unwanted.abort()
    } catch (error) {
      log.warn({ err: error }, 'progress not written')
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs)
  return {
    tell: (fraction) => {
      reached = fraction
    },
    unwanted: unwanted.signal,
    end: () => clearInterval(timer),
  }
}

/** Videos whose job was lost are queued again; those whose job was tried to the end are failed, so that people can act. */
export async function healProcessing({ db, jobs }: Needs): Promise<void> {
  await db.as('system', async (tx) => {
    for (const { usedUp, ...key } of await orphanedVersions(tx)) {
      if (usedUp) await storeFailure(tx, key, 'processing_failed')
      else await jobs.send(tx, 'video.probe', key)
    }
  })
}
