import type { Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Viewed } from '../tracking/aggregate.ts'
import { hasCompleted, recordCompletions, type PersonVideo, type Viewers } from '../tracking/completion.ts'
import { countsEver, countTowardsObligations, settleCompleted, settleObligations } from './obligations.ts'

/** This condition holds when they have completed the video and no assignment asks them to do so anew. */
export function hasDone(of: PersonVideo): SQL {
  return sql`(${hasCompleted(of)} and not exists (select from obligations o where o.organization_id = ${of.organizationId}
    and o.user_id = ${of.userId} and o.video_id = ${of.videoId} and not ${countsEver('o')} and o.state in ('open', 'waived')))`
}

/** Brings what people owe of a video up to date with what was viewed of it. It runs in the transaction that counts the viewing. */
export async function followViewing(tx: Tx, { covered, ...viewing }: Viewed): Promise<void> {
  if (covered.length > 0) await settle(tx, { videoId: viewing.videoId, viewerKeys: covered })
  await countTowardsObligations(tx, viewing)
}

/** Writes down who has completed a video (`recordCompletions`), and who owes nothing more of it with that. */
export async function completeViewers(tx: Tx, viewers: Viewers): Promise<void> {
  await recordCompletions(tx, viewers)
  await settle(tx, viewers)
}

async function settle(tx: Tx, { videoId, viewerKeys }: Viewers): Promise<void> {
  const userIds = usersOf(viewerKeys)
  await settleObligations(tx, videoId, userIds)
  await settleCompleted(tx, videoId, userIds)
}

const usersOf = (viewerKeys: readonly string[]): string[] => [
  ...new Set(
    viewerKeys.flatMap((key) => {
      const [kind, id] = key.split(':')
      return id !== undefined && kind !== 'visitor' ? [id] : []
    }),
  ),
]
