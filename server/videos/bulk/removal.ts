import * as z from 'zod/mini'
import type { RowReason } from '#contract/operations.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { auditMany } from '../../platform/http/audit.ts'
import type { KindOfOperation } from '../../operations/kinds.ts'
import { actingFor, left, sortOut, undone } from '../../operations/rows.ts'
import { leaveLine } from '../process-queries.ts'
import { columns, isProject, lockVideos, JudgedVideo } from './judge.ts'

export const RemovedVideo = z.object({ deletedAt: z.string() })
export type RemovedVideo = z.infer<typeof RemovedVideo>

const Gone = z.extend(RemovedVideo, { id: z.string() })

/** Nobody can watch them from now on. Their files stay as long as somebody can bring them back. */
export async function removeVideos(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RemovedVideo>> {
  const gone = await rows(
    tx,
    Gone,
    sql`update videos set deleted_at = now(), updated_at = now() where id = any(${arrayOf(ids, 'uuid')})
      returning id, ${isoText(sql`deleted_at`)} as "deletedAt"`,
  )
  await leaveLine(tx, ids)
  return new Map(gone.map(({ id, ...after }) => [id, after]))
}

const Removed = z.extend(JudgedVideo, { hasProject: z.boolean() })
type Removed = z.infer<typeof Removed>

export const removal: KindOfOperation = {
  kind: 'videos.remove',

  async apply(work, pending) {
    const { fit, others } = await lockVideos(work, { action: 'remove' }, pending)
    const gone = await removeVideos(
      work.tx,
      fit.map(({ one }) => one.id),
    )
    const entries = fit.map(({ one: { id, blockedReason: _none, ...before } }) => ({
      organizationId: work.visibility.organizationId,
      action: 'video.delete' as const,
      entity: 'video',
      entityId: id,
      before,
    }))
    await auditMany(work.tx, actingFor(work), entries)
    return [
      ...others.map(({ row, reason }) => left(row, reason)),
      ...fit.map(({ row, one }) => ({
        position: row.position,
        outcome: 'removed' as const,
        label: one.title,
        after: gone.get(one.id),
      })),
    ]
  },

  /** A project that is gone by then takes no video back; what was still being made ready is made ready again by itself. */
  async undo(work, done) {
    const { tx, actor, visibility } = work
    const asLeft = done.map(({ entityId, after }) => ({ id: entityId, ...(after as RemovedVideo) }))
    const found = await rows(
      tx,
      Removed,
      sql`select ${columns}, v.project_id is null or ${isProject(sql`v.project_id`)} as "hasProject",
          case when ${actor.role === 'groupadmin'} then 'not_allowed'
            when v.deleted_at is distinct from r."deletedAt" then 'changed_since'
            when v.state = 'uploading' then 'upload_gone' end as "blockedReason"
        from jsonb_to_recordset(${JSON.stringify(asLeft)}::jsonb) as r(id uuid, "deletedAt" timestamptz) join videos v on v.id = r.id
        where v.organization_id = ${visibility.organizationId} order by v.id for update of v`,
    )
    const { fit, others } = sortOut(done, found)
    const back = arrayOf(
      fit.map(({ one }) => one.id),
      'uuid',
    )
    await tx.execute(
      sql`update videos v set deleted_at = null, updated_at = now(),
          project_id = case when ${isProject(sql`v.project_id`)} then v.project_id end
        where v.organization_id = ${visibility.organizationId} and v.id = any(${back})`,
    )
    const entries = fit.map(({ one: { id, title } }) => ({
      organizationId: visibility.organizationId,
      action: 'video.restored' as const,
      entity: 'video',
      entityId: id,
      after: { title },
    }))
    await auditMany(tx, actingFor(work), entries)
    const reasonOf = ({ hasProject }: Removed): RowReason | null => (hasProject ? null : 'project_gone')
    return undone(
      fit.map(({ row, one }) => ({ row, reason: reasonOf(one) })),
      others,
    )
  },
}
