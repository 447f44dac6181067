import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { anyLanguage, spokenOf, tagOfSpoken, type RecognitionFailure } from '#contract/videos/speech.ts'
import { EngineError } from '../../media/job.ts'
import { NotAVideoError } from '../../media/refusals.ts'
import { unwanted, watchOver } from '../../media/watched.ts'
import { bringModel, ModelFileError, readModelFile } from '../../media/speech/model-file.ts'
import { modelFile, soundFile } from '../../media/speech/places.ts'
import { ModelError, transcribe, type Transcript } from '../../media/speech/transcribe.ts'
import { eachApart } from '../../platform/aside.ts'
import { isDiskFull, Refusal } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { mediaKey, type VersionKey } from '../../platform/storage/keys.ts'
import { bytesOf, isAbsent, isAway } from '../../platform/storage/store.ts'
import { findCaption, storeCaption } from '../captions/queries.ts'
import { readCaptionFile, type CaptionText } from '../captions/read.ts'
import { lockVideo } from '../queries.ts'
import { modelKey, modelOf } from './model-store.ts'
import {
  beginRecognition,
  claimHeard,
  noteFailed,
  noteMade,
  orphans,
  showHeard,
  type Begun,
  type RecognitionKey,
} from './queries.ts'

type Needs = Pick<Services, 'db' | 'jobs' | 'storage' | 'log' | 'env'>

/** Why there are no captions, where it is no fault of the program. */
class NotRecognised extends Error {
  override name = 'NotRecognised'
  readonly failure: RecognitionFailure

  constructor(failure: RecognitionFailure) {
    super(failure)
    this.failure = failure
  }
}

/**
 * Makes captions of what is said in a version. Runs again from the start after a crash and then ends the same; stops within seconds when
 * nobody waits for it any more. Throws only what another try may mend, so that the queue tries again.
 */
export async function recogniseVersion(
  services: Needs,
  key: RecognitionKey,
  signal: AbortSignal,
): Promise<void> {
  const { db, storage, log } = services
  const { organizationId, recognitionId } = key
  const begun = await db.as({ organizationId }, (tx) => beginRecognition(tx, key))
  if (!begun) return
  log.info(key, 'recognition of speech begins')
  const scratch = await storage.scratch.open(recognitionId)
  const watch = watchOver({
    log: services.log,
    scratch,
    show: (reached) => showHeard(services.db, key, reached),
  })
  try {
    const model = await db.as({ organizationId }, (tx) => modelOf(services, tx))
    if (!model) throw new NotRecognised('model_missing')
    const folder = path.join(scratch, 'in')
    await mkdir(folder, { mode: 0o700 })
    await fetchSound(storage, { ...begun, organizationId }, path.join(folder, soundFile))
    const openFolder = () => storage.scratch.open(randomUUID())
    const { file, id, sha256 } = model
    const read = () => (file === null ? storage.read(modelKey(id ?? '')) : readModelFile(file))
    await bringModel({ sha256, read }, { openFolder, target: path.join(folder, modelFile) })
    const heard = await transcribe({
      folder: scratch,
      language: begun.language === anyLanguage ? anyLanguage : (spokenOf(begun.language) ?? anyLanguage),
      threads: services.env.whisperThreads,
      durationMs: begun.durationMs,
      onProgress: watch.tell,
      signal: AbortSignal.any([signal, watch.stop]),
    })
    await putCaptions(services, key, { begun, heard, recognisedWith: model.name })
    log.info(key, 'speech recognised')
  } catch (error) {
    if (watch.stop.reason === unwanted) return await noteReplaced(services, key)
    if (signal.aborted) throw signal.reason
    await fail(services, key, error)
  } finally {
    await watch.end()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The sound that viewers hear, in one file: its times are those of the captions, and the file that was uploaded may be very large. */
async function fetchSound(storage: Needs['storage'], key: VersionKey, file: string): Promise<void> {
  const read = (name: string) => storage.read(mediaKey(key, `audio/${name}`) ?? '')
  const list = await read('index.m3u8').then(bytesOf, (error: unknown) => {
    throw isAbsent(error) ? new NotRecognised('no_sound') : error
  })
  const lines = list.toString('utf8').split('\n')
  const names = ['init.mp4', ...lines.filter((line) => /^\d+\.m4s$/.test(line))]
  await pipeline(
    async function* () {
      for (const name of names) yield* await read(name)
    },
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
}

type Heard = { begun: Begun; heard: Transcript; recognisedWith: string }

/** By the way that a file goes which somebody uploads. What came into the language meanwhile stays. */
async function putCaptions(
  services: Needs,
  key: RecognitionKey,
  { begun, heard, recognisedWith }: Heard,
): Promise<void> {
  const { db } = services
  const { organizationId } = key
  const { videoId, versionId, number, askedAt, mayReplace } = begun
  const text = await captionsIn(heard.srt)
  const language = languageOf(begun, heard)
  const isKept = await db.as({ organizationId }, async (tx) => {
    await lockVideo(tx, videoId)
    if (!(await claimHeard(tx, key))) return false
    const place = { versionId, language, kind: 'captions' as const }
    const before = await findCaption(tx, place)
    if (before && !(mayReplace && before.updatedAt <= askedAt)) throw new NotRecognised('captions_present')
    const made = { format: 'srt' as const, fileName: null, madeFor: number, recognisedWith }
    await storeCaption(tx, { ...place, ...made, organizationId, videoId }, text)
    await noteMade(tx, key, { language, cues: text.cues.length })
    const entry = { organizationId, entity: 'video', entityId: videoId, action: 'video.captioned' } as const
    const after = { language, kind: place.kind, cues: text.cues.length, fileName: null, recognisedWith }
    await audit(tx, 'system', { ...entry, after })
    return true
  })
  if (!isKept) await noteReplaced(services, key)
}

async function captionsIn(srt: Buffer): Promise<CaptionText> {
  if (srt.toString('utf8').trim() === '') throw new NotRecognised('nothing_heard')
  return readCaptionFile(srt, 'srt')
}

function languageOf({ language }: Begun, heard: Transcript): string {
  if (language !== anyLanguage) return language
  // A model for English alone finds nothing out.
  const found = tagOfSpoken(heard.language ?? 'en')
  if (found === undefined) throw new NotRecognised('nothing_heard')
  return found
}

/** Stores and tells what has failed of the file, the model or the machine; throws what another try may mend. */
async function fail({ db, log }: Needs, key: RecognitionKey, error: unknown): Promise<void> {
  const failure = failureOf(error)
  if (failure === undefined) throw error
  log.warn({ ...key, err: error, failure }, 'speech not recognised')
  await db.as({ organizationId: key.organizationId }, (tx) => noteFailed(tx, key, failure))
}

function failureOf(error: unknown): RecognitionFailure | undefined {
  if (error instanceof NotRecognised) return error.failure
  if (error instanceof ModelFileError || error instanceof ModelError) return error.code
  if (isDiskFull(error)) return 'disk_full'
  if (isAway(error)) return 'storage_away'
  if (error instanceof NotAVideoError) return 'too_costly'
  // What the library has written is no captions, and would be none again.
  if (error instanceof Refusal || error instanceof EngineError) return 'recognition_failed'
  return undefined
}

/** It was cancelled, or what it was of does not play any more. */
async function noteReplaced({ db }: Needs, key: RecognitionKey): Promise<void> {
  await db.as({ organizationId: key.organizationId }, (tx) => noteFailed(tx, key, 'video_replaced'))
}

const nameOf = ({ recognitionId, organizationId }: RecognitionKey) => ({
  item: recognitionId,
  organizationId,
})

/** What has lost its job is queued again; what was tried to the end has failed, so that people can act. */
export async function healRecognitions({ db, jobs, log }: Needs): Promise<void> {
  const lost = await db.as('system', (tx) => orphans(tx))
  await eachApart({ db, loop: 'uploads', nameOf }, lost, ({ usedUp, ...key }) =>
    db.as('system', async (tx) => {
      if (!usedUp) return jobs.send(tx, 'captions.recognise', key)
      log.warn(key, 'speech not recognised: all its tries are used up')
      return noteFailed(tx, key, 'recognition_failed')
    }),
  )
}
