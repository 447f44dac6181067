import { mostWaivers, type Cells } from '#contract/waivers.ts'
import { arrayOf, row, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { refuse } from '../errors.ts'
import { peopleOf, videosOf, type Ground } from './matrix.ts'

/** The people `u` and the videos `v` of a selection, as far as the reader sees them. */
export function selectedCells(ground: Ground, { userIds, videoIds }: Cells): { from: SQL; chosen: SQL } {
  const { organizationId, groupIds } = ground.sight
  const video = groupIds
    ? videosOf(ground)
    : sql`v.organization_id = ${organizationId} and v.deleted_at is null`
  return {
    from: sql`(select u.* from users u where ${peopleOf(ground)} and u.id = any(${arrayOf(userIds, 'uuid')})) u
      cross join (select v.* from videos v where ${video} and v.id = any(${arrayOf(videoIds, 'uuid')})) v`,
    chosen: sql`true`,
  }
}

/** Refuses what is too much for one transaction, and a selection with somebody or something out of sight. */
export async function requireCells(tx: Tx, ground: Ground, wanted: Cells): Promise<void> {
  const cells = new Set(wanted.userIds).size * new Set(wanted.videoIds).size
  if (cells > mostWaivers) throw refuse('validation_failed', { fields: { userIds: ['too_long'] } })
  const { from, chosen } = selectedCells(ground, wanted)
  const counted = await row<{ n: number }>(tx, sql`select count(*)::int as n from ${from} where ${chosen}`)
  if (counted?.n !== cells) throw refuse('not_found')
}
