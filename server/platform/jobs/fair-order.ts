import * as z from 'zod/mini'
import { arrayOf, asSystem, rows, type Tx } from '../db/client.ts'
import { readCount } from '../db/rows.ts'
import { sql } from '../db/sql.ts'

/**
 * Returns the round of turns to which a new job of the organization belongs: the one after its last job that is not done, and no earlier
 * than the present round. Jobs of an earlier round come first, so fifty jobs of one organization hold up another's by one at most.
 */
export async function nextTurn(tx: Tx, queue: string, organizationId: string): Promise<number> {
  return readCount(
    tx,
    sql`select greatest(max(-priority) filter (where data->>'organizationId' = ${organizationId}) + 1,
        coalesce(min(-priority) filter (where state = 'active'), min(-priority), 0))::int as n
      from pgboss.job where name = ${queue} and state <= 'active'`,
  )
}

const QueueRow = z.object({ id: z.string(), place: z.nullable(z.number()) })

/**
 * Returns the place of each job among those that wait (1 is next, null when it runs). The payloads have the `ids` under `name`. It is
 * nobody's secret who is in line before somebody, so the tenant policy is lifted for this one question.
 */
export async function queuePlaces(
  tx: Tx,
  queue: string,
  { name, ids }: { name: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, number | null>> {
  if (ids.length === 0) return new Map()
  const found = await asSystem(tx, () =>
    rows(
      tx,
      QueueRow,
      sql`select j.data->>${name} as id,
          case when j.state < 'active' then (select count(*)::int + 1 from pgboss.job b where b.name = j.name and b.state < 'active'
            and (b.priority > j.priority or (b.priority = j.priority and b.created_on < j.created_on))) end as place
        from pgboss.job j where j.name = ${queue} and j.state <= 'active' and j.data->>${name} = any(${arrayOf(ids, 'text')})`,
    ),
  )
  return new Map(found.map(({ id, place }) => [id, place]))
}
