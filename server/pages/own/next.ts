import * as z from 'zod/mini'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { hasRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isExcused } from '../../duty/obligations.ts'
import { belonging } from '../../transmissions/compose/audience.ts'
import { begun } from '../../assignments/path.ts'

type Of = { organizationId: string; userId: string }

const Candidate = z.object({ title: z.string(), after: z.string(), audience: Audience })
export type Next = Pick<z.infer<typeof Candidate>, 'title' | 'after'>

/** The number is small because the audience of each is looked at by itself. */
const most = 20

/** Finds what somebody will be asked for once they have done what they owe. It names only the next video of each path. */
export async function findNext(tx: Tx, { organizationId, userId }: Of): Promise<Next[]> {
  const waitsForId = sql`a.waits_for`
  const candidates = await rows(
    tx,
    Candidate,
    sql`select v.title, w.title as after, a.audience from obligations o
        join assignments e on e.id = o.assignment_id and e.state in ('active', 'paused')
        join assignments a on a.waits_for = e.id and a.organization_id = e.organization_id and a.state = 'active'
        join videos v on v.id = a.video_id and v.deleted_at is null join videos w on w.id = e.video_id
      where o.organization_id = ${organizationId} and o.user_id = ${userId} and o.state = 'open' and not ${isExcused}
        and not exists (select from obligations n where n.assignment_id = a.id and n.user_id = ${userId} and n.state <> 'ended')
        and not exists (select from (${begun({ id: null, organizationId, waitsForId })}) b where b.user_id = ${userId})
      order by o.due_at nulls last, a.created_at, a.id limit ${most}`,
  )
  const found: Next[] = []
  for (const { title, after, audience } of candidates) {
    const members = belonging({ organizationId, audience })
    if (await hasRow(tx, sql`select 1 from (${members}) m where m.user_id = ${userId}`))
      found.push({ title, after })
  }
  return found
}
