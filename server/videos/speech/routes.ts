import { languageTag } from '#contract/videos/captions.ts'
import {
  anyLanguage,
  cancelRecognition,
  readSpeech,
  recogniseSpeech,
  spokenOf,
} from '#contract/videos/speech.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { listOf, readVersion } from '../captions/queries.ts'
import { lockVideo } from '../queries.ts'
import { modelOf } from './model-store.ts'
import {
  addRecognition,
  findRecognition,
  isRunning,
  isSilent,
  lastOf,
  leaveQueue,
  stopRecognition,
} from './queries.ts'

export function speechRoutes(mount: Mount, services: Services): void {
  const { jobs } = services
  async function told(tx: Tx, videoId: string): Promise<Reply<typeof readSpeech>> {
    const { id } = await readVersion(tx, videoId)
    const used = await modelOf(services, tx)
    const model = used && { name: used.name }
    return { model, last: id === null ? null : ((await lastOf(tx, id)) ?? null) }
  }

  mount(readSpeech, ({ tx, params }) => told(tx, params.videoId))

  mount(recogniseSpeech, async ({ tx, params, body, caller, request }) => {
    const { videoId } = params
    const language = spokenTag(params.language)
    const { organizationId, state } = await lockVideo(tx, videoId)
    const { id: versionId } = await readVersion(tx, videoId)
    if (!(await modelOf(services, tx))) throw refuse('conflict', { reason: { code: 'no_speech_model' } })
    if (versionId === null || !['ready', 'processing'].includes(state)) throw refuse('not_ready')
    if (await isRunning(tx, versionId))
      throw refuse('conflict', { reason: { code: 'speech_being_recognised' } })
    if (!body.replace && (await hasCaptions(tx, versionId, language)))
      throw refuse('conflict', { reason: { code: 'captions_present' } })
    if (await isSilent(tx, versionId)) throw refuse('conflict', { reason: { code: 'video_without_sound' } })
    const askedBy = caller.userId
    const wanted = { organizationId, videoId, versionId, language, mayReplace: body.replace, askedBy }
    const recognitionId = await addRecognition(tx, wanted)
    await jobs.send(tx, 'captions.recognise', { organizationId, recognitionId })
    const entry = { organizationId, entity: 'video', entityId: videoId, action: 'video.recognise' } as const
    await audit(tx, { caller, request }, { ...entry, after: { language, replace: body.replace } })
    const added = await findRecognition(tx, recognitionId)
    if (!added) throw refuse('internal')
    return added
  })

  /** Stopping what has ended meanwhile changes nothing. */
  mount(cancelRecognition, async ({ tx, params, caller, request }) => {
    const { id: videoId, organizationId } = await lockVideo(tx, params.videoId)
    const { id: versionId } = await readVersion(tx, videoId)
    const last = versionId === null ? undefined : await lastOf(tx, versionId)
    if (versionId !== null && last && (await stopRecognition(tx, versionId))) {
      await leaveQueue(tx, last.id)
      const entry = { organizationId, entity: 'video', entityId: videoId } as const
      await audit(tx, { caller, request }, { ...entry, action: 'video.recognition_cancelled' })
    }
    return told(tx, videoId)
  })
}

function spokenTag(text: string): string {
  if (text === anyLanguage) return text
  const tag = languageTag(text)
  if (tag === undefined) throw refuse('validation_failed', { fields: { language: ['invalid'] } })
  if (spokenOf(tag) === undefined)
    throw refuse('validation_failed', { fields: { language: ['not_a_choice'] } })
  return tag
}

/** Where the language is not known before, any captions may be those that would be replaced. */
async function hasCaptions(tx: Tx, versionId: string, language: string): Promise<boolean> {
  const present = await listOf(tx, versionId)
  return present.some(
    (one) => one.kind === 'captions' && (language === anyLanguage || one.language === language),
  )
}
