import * as z from 'zod/mini'
import type { OperationKind } from '#contract/operations.ts'
import {
  changeVideos,
  previewVideos,
  type VideoAction,
  type VideoSelection,
} from '#contract/videos/record-bulk.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { beginOperation } from '../../operations/begin.ts'
import { previewOf, requireCount, selectedBy } from '../../operations/preview.ts'
import { requireOrganization } from '../../directory/organizations/queries.ts'
import { captionRemoval } from '../captions/removal.ts'
import { matchingVideos } from '../filter.ts'
import { changes } from './change.ts'
import { taggings } from './tagging.ts'
import { spelledAlike } from '../tags.ts'
import { blockedReasonOf } from './judge.ts'
import { removal } from './removal.ts'
import { called } from '../../platform/db/search.ts'

/** What this feature knows how to do to many videos, and how to take it back. */
export const videoKinds = [removal, captionRemoval, ...changes, ...taggings]

const kindOf: Record<VideoAction['action'], OperationKind> = {
  remove: 'videos.remove',
  move: 'videos.move',
  change: 'videos.change',
  tag: 'videos.tag',
  untag: 'videos.untag',
}

const from = sql`videos v`

/** Condition on `videos v`: those of the organization, whatever organization a filter names. */
const chosenBy = (organizationId: string, selection: VideoSelection) =>
  selectedBy(selection, sql`v.id`, (filter) => matchingVideos({ ...filter, organizationId }))

export function videoBulkRoutes(mount: Mount, services: Services): void {
  mount(previewVideos, async ({ tx, params, body }) => {
    await requireTarget(tx, params.orgId, body.do)
    const chosen = chosenBy(params.orgId, body.selection)
    return previewOf(tx, { from, chosen, blockedReason: blockedReasonOf(body.do), name: sql`v.title` })
  })

  mount(changeVideos, async ({ params: { orgId }, body, ...by }) => {
    const subject = await requireTarget(by.tx, orgId, body.do)
    const chosen = chosenBy(orgId, body.selection)
    await requireCount(by.tx, { from, chosen, selection: body.selection })
    return beginOperation(services, by, {
      organizationId: orgId,
      kind: kindOf[body.do.action],
      params: { subject, do: body.do },
      rows: sql`select 'video' as entity, v.id as entity_id, null::uuid as group_id, v.title as label, null::jsonb as input
          from videos v where ${chosen} order by ${called(sql`v.title`)}, v.id`,
    })
  })
}

const Project = z.object({ name: z.string() })

/** The project into which they go, refused when there is none, for nobody could be moved there; or the tag as the others spell it. */
async function requireTarget(tx: Tx, orgId: string, asked: VideoAction): Promise<string | null> {
  await requireOrganization(tx, orgId)
  if (asked.action === 'tag' || asked.action === 'untag')
    return (await spelledAlike(tx, orgId, [asked.tag]))[0] ?? asked.tag
  if (asked.action !== 'move') return null
  if (asked.projectId === null) return 'no project'
  const project = await row(
    tx,
    Project,
    sql`select name from projects where id = ${asked.projectId} and organization_id = ${orgId} and deleted_at is null`,
  )
  if (!project) throw refuse('not_found', { fields: { projectId: ['not_found'] } })
  return project.name
}
