import type { Organization } from '#contract/directory/organizations.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'

/** Gives an organization that sends slowly a sending rate of its own. Without one it sends as fast as the installation does. */
export async function followSendingRate(
  tx: Tx,
  before: Organization | null,
  after: Organization,
): Promise<void> {
  const { sendPerMinute } = after.policies
  if ((before?.policies.sendPerMinute ?? null) === sendPerMinute) return
  if (sendPerMinute === null) {
    await tx.execute(sql`delete from send_lanes where id = ${after.id}`)
    return
  }
  const perSecond = sendPerMinute / 60
  await tx.execute(
    sql`insert into send_lanes (id, rate, ceiling, burst, tokens)
      values (${after.id}, ${perSecond}, ${perSecond}, ${Math.max(1, perSecond)}, 1)
      on conflict (id) do update set rate = excluded.rate, ceiling = excluded.ceiling, burst = excluded.burst,
        tokens = least(send_lanes.tokens, excluded.burst), refilled_at = now()`,
  )
}
