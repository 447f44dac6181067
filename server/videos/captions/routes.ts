import {
  captionTypes,
  chooseCaptions,
  deleteCaption,
  putCaption,
  readCaption,
  readCaptions,
  type Caption,
  type CaptionFormat,
} from '#contract/videos/captions.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import { plainName } from '#contract/platform/text/text.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { etagOf, requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import { recordOperation } from '../../operations/begin.ts'
import { lockVideo } from '../queries.ts'
import { asSrt, asVtt } from './cues.ts'
import {
  findCaption,
  listOf,
  readStored,
  readVersion,
  removeCaption,
  revisionOf,
  showFromStart,
  storeCaption,
} from './queries.ts'
import { editingRoutes } from './editing.ts'
import { entryOf, heldPlace, placeOf, type Named } from './place.ts'
import { readCaptionFile, type CaptionText } from './read.ts'

export function captionsRoutes(mount: Mount, services: Services): void {
  mount(readCaptions, ({ tx, params }) => readAll(tx, params.videoId))
  mount(readCaption, async ({ tx, params, query, reply }) => {
    const place = await placeOf(tx, params, query.kind)
    const { head, cues, former, updatedAt } = await readStored(tx, place)
    reply.header('etag', etagOf(updatedAt))
    const text = { head, cues: query.former === 'true' ? former : cues }
    const name = plainName(`${place.language}-${place.kind}`)
    const content = query.format === 'srt' ? asSrt(text) : asVtt(text)
    const type = `${captionTypes[query.format]}; charset=utf-8`
    return { name: `${name}.${query.format}`, type, content: once(content) }
  })
  writeRoutes(mount, services)
  editingRoutes(mount, services)
}

function writeRoutes(mount: Mount, { db }: Services): void {
  mount(putCaption, async ({ params, query, body, caller, scope, request, reply }) => {
    const format = formatOf(request.headers['content-type'])
    const fileName = query.fileName ?? null
    // Without a connection to the database, because a file of 5 MB takes a moment.
    const text = await readCaptionFile(body, format)
    const put = { ...params, kind: query.kind, format, fileName, text }
    const stored = await db.as(scope, (tx) => putInPlace(tx, { caller, request }, put))
    reply.header('etag', etagOf(stored.updatedAt))
    return stored
  })
  mount(deleteCaption, async ({ tx, params, query, caller, request }) => {
    const video = await lockVideo(tx, params.videoId)
    const { place } = await heldPlace(tx, params, query.kind)
    const after = await removeCaption(tx, place)
    if (!after) throw refuse('not_found')
    const before = { language: place.language, kind: query.kind }
    await audit(tx, { caller, request }, { ...entryOf(video), action: 'video.captions_removed', before })
    const { id: entityId, organizationId, title: label } = video
    const done = { organizationId, kind: 'captions.remove', entity: 'video', entityId, label } as const
    const operationId = await recordOperation(
      { tx, caller, request },
      { ...done, outcome: 'removed', before, after },
    )
    return { operationId }
  })
  mount(chooseCaptions, async ({ tx, params, body, caller, request }) => {
    const video = await lockVideo(tx, params.videoId)
    const { id: versionId, updatedAt } = await readVersion(tx, params.videoId)
    requireUnchanged(request, new Date(updatedAt))
    const { shown } = body
    const place = shown && (await placeOf(tx, { ...params, ...shown }, shown.kind))
    if (place && !(await findCaption(tx, place))) throw refuse('not_found')
    if (versionId !== null) await showFromStart(tx, versionId, place)
    const after = place ? { language: place.language, kind: place.kind } : { language: null, kind: null }
    await audit(tx, { caller, request }, { ...entryOf(video), action: 'video.captions_shown', after })
    return readAll(tx, params.videoId)
  })
}

type Put = Named & { kind: CaptionKind; format: CaptionFormat; fileName: string | null; text: CaptionText }

/** The same file once more changes nothing, and leaves no trace. */
async function putInPlace(tx: Tx, by: Requester, put: Put): Promise<Caption> {
  const { kind, format, fileName, text } = put
  const video = await lockVideo(tx, put.videoId)
  const { place, number } = await heldPlace(tx, put, kind)
  const before = await findCaption(tx, place)
  requireUnchanged(by.request, before ? new Date(before.updatedAt) : null)
  const isSame = before && !before.former && before.fileName === fileName && before.format === format
  if (isSame && revisionOf(await readStored(tx, place)) === revisionOf(text)) return before
  const { id: videoId, organizationId } = video
  await storeCaption(tx, { ...place, organizationId, videoId, format, fileName, madeFor: number }, text)
  const after = { language: place.language, kind, cues: text.cues.length, fileName }
  await audit(tx, by, { ...entryOf(video), action: 'video.captioned', after })
  const stored = await findCaption(tx, place)
  if (!stored) throw refuse('internal')
  return stored
}

async function readAll(tx: Tx, videoId: string) {
  const { id, number, updatedAt } = await readVersion(tx, videoId)
  const items = id === null ? [] : await listOf(tx, id)
  const first = items.find(({ isDefault }) => isDefault)
  const shown = first ? { language: first.language, kind: first.kind } : null
  return { items, shown, version: number, updatedAt }
}

const formatOf = (type = ''): CaptionFormat => (type.startsWith(captionTypes.srt) ? 'srt' : 'vtt')

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
