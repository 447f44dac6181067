import * as z from 'zod/mini'
import type { RowReason } from '#contract/operations.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { idsOf } from '../../platform/db/rows.ts'
import type { KindOfOperation } from '../../operations/kinds.ts'
import {
  applied,
  markRemoved,
  noteEach,
  recordsLeft,
  sortOut,
  undone,
  type Removal,
} from '../../operations/rows.ts'
import { leaveLine } from '../process-queries.ts'
import { columns, isProject, lockVideos, JudgedVideo } from './judge.ts'

/** Nobody can watch them from now on. Their files stay as long as somebody can bring them back. */
export async function removeVideos(
  tx: Tx,
  videos: readonly { id: string }[],
): Promise<ReadonlyMap<string, Removal>> {
  const removed = await markRemoved(tx, sql`videos`, sql`id = any(${idsOf(videos)})`)
  await leaveLine(
    tx,
    videos.map(({ id }) => id),
  )
  return removed
}

const RestorableVideo = z.extend(JudgedVideo, { hasProject: z.boolean() })
type RestorableVideo = z.infer<typeof RestorableVideo>

export const removal: KindOfOperation = {
  kind: 'videos.remove',

  async apply(work, pending) {
    const sorted = await lockVideos(work, { action: 'remove' }, pending)
    const removed = await removeVideos(work.tx, sorted.things)
    const note = { action: 'video.delete', entity: 'video', things: sorted.things } as const
    await noteEach(work, note, ({ id: _id, blockedReason: _none, ...before }) => ({ before }))
    return applied(sorted, 'removed', ({ id, title }) => ({ label: title, after: removed.get(id) }))
  },

  /** A project that is gone by then takes no video back; what was still being made ready is made ready again by itself. */
  async undo(work, done) {
    const { tx, actor, visibility } = work
    const found = await rows(
      tx,
      RestorableVideo,
      sql`select ${columns}, v.project_id is null or ${isProject(sql`v.project_id`)} as "hasProject",
          case when ${actor.role === 'groupadmin'} then 'not_allowed'
            when v.deleted_at is distinct from r."deletedAt" then 'changed_since'
            when v.state = 'uploading' then 'upload_gone' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, "deletedAt" timestamptz) join videos v on v.id = r.id
        where v.organization_id = ${visibility.organizationId} order by v.id for update of v`,
    )
    const { fit, things, others } = sortOut(done, found)
    await tx.execute(
      sql`update videos v set deleted_at = null, updated_at = now(),
          project_id = case when ${isProject(sql`v.project_id`)} then v.project_id end
        where v.organization_id = ${visibility.organizationId} and v.id = any(${idsOf(things)})`,
    )
    await noteEach(work, { action: 'video.restored', entity: 'video', things }, ({ title }) => ({
      after: { title },
    }))
    const reasonOf = ({ hasProject }: RestorableVideo): RowReason | null =>
      hasProject ? null : 'project_gone'
    return undone(
      fit.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      others,
    )
  },
}
