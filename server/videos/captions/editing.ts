import type { Caption } from '#contract/videos/captions.ts'
import { markProofRead, readCues, readProofRead, saveCues } from '#contract/videos/cues.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { etagOf, requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { lockVideo } from '../queries.ts'
import type { Cue } from './cues.ts'
import { entryOf, heldPlace, placeOf, type Named } from './place.ts'
import {
  findCaption,
  isSitting,
  readEdited,
  readStored,
  revisionOf,
  storeEdited,
  storeProofRead,
  type CaptionPlace,
} from './queries.ts'
import { readTyped } from './read.ts'

/** Captions one by one, as the editor of the console has them. */
export function editingRoutes(mount: Mount, { db }: Services): void {
  mount(readCues, async ({ tx, params, query }) => readEdited(tx, await placeOf(tx, params, query.kind)))

  mount(saveCues, async ({ params, query, body, caller, scope, request, reply }) => {
    // Without a connection to the database, because 20,000 of them take a moment.
    const cues = await readTyped(body.cues)
    const edit = { ...params, kind: query.kind, cues }
    const stored = await db.as(scope, (tx) => saveInPlace({ tx, caller, request }, edit))
    reply.header('etag', etagOf(stored.updatedAt))
    return stored
  })

  mount(readProofRead, async ({ tx, params, query }) => {
    const { proofRead, updatedAt } = await requireCaption(tx, await placeOf(tx, params, query.kind))
    return { proofRead, updatedAt }
  })

  mount(markProofRead, async ({ tx, caller, request, params, query, body: { isProofRead } }) => {
    const video = await lockVideo(tx, params.videoId)
    const { place } = await heldPlace(tx, params, query.kind)
    const before = await findCaption(tx, place)
    if (!before) throw refuse('not_found')
    requireUnchanged(request, new Date(before.updatedAt))
    if (isProofRead === (before.proofRead !== null)) return before
    await storeProofRead(tx, place, isProofRead ? { id: caller.userId } : null)
    const action = isProofRead ? 'video.captions_proof_read' : 'video.captions_reopened'
    const after = { language: place.language, kind: query.kind }
    await audit(tx, { caller, request }, { ...entryOf(video), action, after })
    return requireCaption(tx, place)
  })
}

type By = Pick<CallContext, 'tx' | 'caller' | 'request'>
type Edit = Named & { kind: CaptionKind; cues: readonly Cue[] }

/** The same once more changes nothing, and nobody has to read it again. */
async function saveInPlace({ tx, caller, request }: By, edit: Edit): Promise<Caption> {
  const video = await lockVideo(tx, edit.videoId)
  const { place, number } = await heldPlace(tx, edit, edit.kind)
  const before = await findCaption(tx, place)
  requireUnchanged(request, before ? new Date(before.updatedAt) : null)
  if (before && (await isSame(tx, { ...place, cues: edit.cues }))) return before
  const goesOn = await isSitting(tx, place, caller.userId)
  const { id: videoId, organizationId } = video
  const { cues } = edit
  await storeEdited(tx, { ...place, organizationId, videoId, madeFor: number, cues, by: caller.userId })
  const after = { language: place.language, kind: edit.kind }
  if (!goesOn)
    await audit(tx, { caller, request }, { ...entryOf(video), action: 'video.captions_edited', after })
  return requireCaption(tx, place)
}

async function requireCaption(tx: Tx, place: CaptionPlace): Promise<Caption> {
  const found = await findCaption(tx, place)
  if (!found) throw refuse('not_found')
  return found
}

async function isSame(tx: Tx, { cues, ...place }: CaptionPlace & Pick<Edit, 'cues'>): Promise<boolean> {
  const stored = await readStored(tx, place)
  return revisionOf(stored) === revisionOf({ head: stored.head, cues: [...cues] })
}
