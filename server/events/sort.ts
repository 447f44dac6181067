import { arrayOf, hasRow, rows, type Database, type Tx } from '../platform/db/client.ts'
import { Id as Fresh, readCount } from '../platform/db/rows.ts'
import { tryLock } from '../platform/db/locks.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

const most = 1_000
const isFresh = sql`e.sorted_at is null and e.due_at <= now()`

/**
 * Puts posts into the queues of their addresses and tells how many: `found` selects (organization_id, address_id, event_id, subject, type,
 * is_replay, place), whose last column is their order.
 */
export function queued(tx: Tx, found: SQL): Promise<number> {
  return readCount(
    tx,
    sql`with posts as (insert into event_posts (organization_id, address_id, event_id, subject, type, is_replay)
        select f.organization_id, f.address_id, f.event_id, f.subject, f.type, f.is_replay
        from (${found}) f (organization_id, address_id, event_id, subject, type, is_replay, place) order by f.place, f.address_id
        returning organization_id, address_id, subject),
      lines as (insert into event_lines as l (address_id, subject, organization_id, added)
        select address_id, subject, organization_id, count(*) from posts group by 1, 2, 3 order by 1, 2
        on conflict (address_id, subject) do update set added = l.added + excluded.added)
      select count(*)::int as n from posts`,
  )
}

/**
 * Puts what has happened into the queues of the addresses that ask for it. One process at a time does so, in the order in which it was
 * written: what was committed before something else began stands before it. True: there may be more.
 */
export async function sortEvents(db: Database): Promise<boolean> {
  if (!(await hasRow(db.single, sql`select from events e where ${isFresh} limit 1`))) return false
  return db.as('system', async (tx) => {
    const isMine = await hasRow(tx, sql`select from (select ${tryLock('events')} as mine) l where l.mine`)
    if (!isMine) return false
    const fresh = await rows(
      tx,
      Fresh,
      sql`select e.id from events e where ${isFresh} order by e.place limit ${most}`,
    )
    if (fresh.length === 0) return false
    const ids = arrayOf(
      fresh.map(({ id }) => id),
      'uuid',
    )
    await queued(
      tx,
      sql`select e.organization_id, a.id, e.id, e.subject, e.type, false, e.place from events e
        join event_addresses a on a.organization_id = e.organization_id and e.type = any(a.types) where e.id = any(${ids})`,
    )
    await tx.execute(sql`update events set sorted_at = now() where id = any(${ids})`)
    return fresh.length === most
  })
}
