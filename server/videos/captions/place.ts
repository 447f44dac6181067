import { languageTag } from '#contract/videos/captions.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { readVersion, type CaptionPlace } from './queries.ts'

export type Named = { videoId: string; language: string }

function placeIn({ language }: Named, versionId: string, kind: CaptionKind): CaptionPlace {
  const tag = languageTag(language)
  if (tag === undefined) throw refuse('validation_failed', { fields: { language: ['invalid'] } })
  return { versionId, language: tag, kind }
}

export async function heldPlace(tx: Tx, params: Named, kind: CaptionKind) {
  const { id, number } = await readVersion(tx, params.videoId)
  if (id === null || number === null) throw refuse('not_found')
  return { place: placeIn(params, id, kind), number }
}

export const placeOf = async (tx: Tx, params: Named, kind: CaptionKind) =>
  (await heldPlace(tx, params, kind)).place

/** What an entry of the audit is about. */
export const entryOf = ({ id, organizationId }: { id: string; organizationId: string }) =>
  ({ organizationId, entity: 'video', entityId: id }) as const
