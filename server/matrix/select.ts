import { mostWaivers, type Cells } from '#contract/duty/waivers.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { matrixNow } from './current.ts'
import { peopleOf, videosOf, type MatrixScope } from './grid.ts'
import { readCount } from '../platform/db/rows.ts'

/** Selects the people `u` and the videos `v` of a selection that `requireCells` has let pass. */
export function selectedCells(
  matrixScope: MatrixScope,
  { userIds, videoIds }: Cells,
): { from: SQL; chosen: SQL } {
  return {
    from: sql`(select u.* from users u where ${peopleOf(matrixScope)} and u.id = any(${arrayOf(userIds, 'uuid')})) u
      cross join (select v.* from videos v where v.organization_id = ${matrixScope.visibility.organizationId} and v.deleted_at is null
        and v.id = any(${arrayOf(videoIds, 'uuid')})) v`,
    chosen: sql`true`,
  }
}

/** Refuses what is too much for one transaction, and a selection with somebody or something out of sight. */
export async function requireCells(tx: Tx, matrixScope: MatrixScope, wanted: Cells): Promise<void> {
  const { organizationId, groupIds } = matrixScope.visibility
  const videos = new Set(wanted.videoIds)
  const cells = new Set(wanted.userIds).size * videos.size
  if (cells > mostWaivers) throw refuse('validation_failed', { fields: { userIds: ['too_long'] } })
  const { from, chosen } = selectedCells(matrixScope, wanted)
  const counted = await readCount(tx, sql`select count(*)::int as n from ${from} where ${chosen}`)
  if (counted !== cells) throw refuse('not_found')
  if (!groupIds) return
  const matrix = await matrixNow(tx, organizationId)
  const seen = await readCount(
    tx,
    sql`select count(*)::int as n from videos v where ${videosOf(matrixScope, matrix)} and v.id = any(${arrayOf([...videos], 'uuid')})`,
  )
  if (seen !== videos.size) throw refuse('not_found')
}
