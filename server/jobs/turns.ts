import { row, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'

/**
 * The round of turns to which a new job of the organization belongs: the one after its last job that is not done, and no earlier
 * than the present round. Jobs of an earlier round come first, so fifty jobs of one organization hold up another's by one at most.
 */
export async function nextTurn(tx: Tx, queue: string, organizationId: string): Promise<number> {
  const found = await row<{ turn: number }>(
    tx,
    sql`select greatest(max(-priority) filter (where data->>'organizationId' = ${organizationId}) + 1,
        coalesce(min(-priority) filter (where state = 'active'), min(-priority), 0))::int as turn
      from pgboss.job where name = ${queue} and state <= 'active'`,
  )
  return found?.turn ?? 0
}

/**
 * Where the job with this key stands, as a row: its "place" among those that wait (1 is next, null when it runs) and the
 * "startedAt" of the present run. No row without such a job.
 */
export function standing(queue: string, key: SQL): SQL {
  return sql`select j.started_on as "startedAt", case when j.state < 'active' then
      (select count(*)::int + 1 from pgboss.job b where b.name = j.name and b.state < 'active'
        and (b.priority > j.priority or (b.priority = j.priority and b.created_on < j.created_on))) end as place
    from pgboss.job j where j.name = ${queue} and j.policy = 'exclusive' and j.state <= 'active'
      and coalesce(j.singleton_key, '') = ${key}`
}
