import * as z from 'zod/mini'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'

/** Expression of `organizations o`: from when its mails may leave, as of now. */
const opens = sql`window_opens(o.policies->'sendWindow', o.time_zone, now())`

/** Condition on `transmissions t` and `organizations o`: it is within the hours of the organization, or somebody wants it to leave all the same. */
export const isWithinHours = sql`(t.outside_window or ${opens} <= now())`

/** Expression: when what is being sent goes on; null: it is not waiting for that. */
export const goesOnAt = sql`case when t.state in ('preparing', 'sending') and not ${isWithinHours} then ${opens} end`

const Opening = z.object({ opensAt: z.nullable(z.string()) })

/** When what is sent now begins to leave; null: at once. */
export async function openingOf(tx: Tx, organizationId: string): Promise<string | null> {
  const { opensAt } = await requireRow(
    tx,
    Opening,
    sql`select ${isoText(sql`case when ${opens} > now() then ${opens} end`)} as "opensAt" from organizations o where o.id = ${organizationId}`,
  )
  return opensAt
}
