import { rm } from 'node:fs/promises'
import path from 'node:path'
import { videoFailures, type VideoFailure } from '#contract/videos.ts'
import type { Services } from '../http/services.ts'
import { TranscodeError } from '../media/job.ts'
import { NotAVideoError } from '../media/probe.ts'
import { processSource } from '../media/process.ts'
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

const progressMs = 1_000

/**
 * Makes one version playable. Runs again from the start after a crash and then ends the same; drops its work when the video is
 * deleted meanwhile. Failures that lie in the file are stored and told; others are thrown, so that the queue tries again.
 */
export async function processVideo(services: Needs, key: VersionKey, signal: AbortSignal): Promise<void> {
  const { db, storage, log } = services
  const { organizationId } = key
  if (!(await db.as({ organizationId }, (tx) => beginProcessing(tx, key)))) return
  log.info(key, 'processing begins')
  const unwanted = new AbortController()
  const scratch = await storage.scratch(key.versionId)
  try {
    const made = await processSource({
      source: await storage.source(key),
      outDir: path.join(scratch, 'media'),
      onProgress: progressTeller(services, { key, unwanted }),
      signal: AbortSignal.any([signal, unwanted.signal]),
    })
    await db.as({ organizationId }, async (tx) => {
      if (!(await claimResult(tx, key))) return
      await storage.publish(key, path.join(scratch, 'media'))
      await storeResult(tx, key, made)
    })
    log.info({ ...key, durationMs: made.durationMs, bytes: made.bytes }, 'video ready')
  } catch (error) {
    if (unwanted.signal.aborted) return
    const reason = failureOf(error)
    if (signal.aborted || reason === undefined) throw error
    log.warn({ ...key, err: error, reason }, 'video failed')
    await db.as({ organizationId }, (tx) => storeFailure(tx, key, reason))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Trying again would not help: the file is what it is. */
function failureOf(error: unknown): VideoFailure | undefined {
  if (error instanceof NotAVideoError) return error.code in videoFailures ? error.code : 'not_a_video'
  return error instanceof TranscodeError ? 'processing_failed' : undefined
}

type Telling = { key: VersionKey; unwanted: AbortController }

/** Writes progress at most once a second, and learns from it when the video is gone. */
function progressTeller({ db, log }: Needs, { key, unwanted }: Telling): (fraction: number) => void {
  let told = 0
  async function tell(fraction: number): Promise<void> {
    try {
      if (!(await showProgress(db, key, fraction))) unwanted.abort()
    } catch (error) {
      log.warn({ err: error }, 'progress not written')
    }
  }
  return (fraction) => {
    if (Date.now() - told < progressMs) return
    told = Date.now()
    void tell(fraction)
  }
}

/** Videos whose job was lost are queued again; those whose job was tried to the end are failed, so that people can act. */
export async function healProcessing({ db, jobs }: Needs): Promise<void> {
  await db.as('system', async (tx) => {
    for (const { usedUp, ...key } of await orphanedVersions(tx)) {
      if (usedUp) await storeFailure(tx, key, 'processing_failed')
      else await jobs.send(tx, 'video.process', key)
    }
  })
}
