import * as z from 'zod/mini'
import { rowReasons } from '#contract/operations.ts'
import { captionKinds } from '#contract/videos/shown-captions.ts'
import { rows } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { idsOf } from '../../platform/db/rows.ts'
import type { DoneRow, KindOfOperation } from '../../operations/kinds.ts'
import { left, noteEach, sortOut, undone } from '../../operations/rows.ts'
import { putBack } from './queries.ts'

const Video = z.object({ id: z.string(), title: z.string(), blockedReason: z.nullable(z.enum(rowReasons)) })
const Taken = z.object({ language: z.string(), kind: z.enum(captionKinds) })

/** Captions are removed at the request itself; what they were lies in the row of the operation until nobody can bring them back. */
export const captionRemoval: KindOfOperation = {
  kind: 'captions.remove',

  async apply(_work, pending) {
    return pending.map((row) => left(row, 'gone'))
  },

  async undo(work, done) {
    const { tx, actor, visibility } = work
    const found = await rows(
      tx,
      Video,
      sql`select v.id, v.title, case when ${actor.role === 'groupadmin'} then 'not_allowed' end as "blockedReason" from videos v
        where v.organization_id = ${visibility.organizationId} and v.id = any(${idsOf(done.map(({ entityId }) => ({ id: entityId ?? '' })))})
          and v.deleted_at is null for update of v`,
    )
    const { fit, others } = sortOut(done, found)
    const kept: { row: DoneRow }[] = []
    const changed: { row: DoneRow; reason: 'changed_since' }[] = []
    for (const { row, one } of fit) {
      if (!(await putBack(tx, one.id, row.after))) {
        changed.push({ row, reason: 'changed_since' })
        continue
      }
      kept.push({ row })
      const after = Taken.parse(row.before)
      const things = [one]
      await noteEach(work, { action: 'video.captions_restored', entity: 'video', things }, () => ({ after }))
    }
    return undone(kept, [...others, ...changed])
  },
}
