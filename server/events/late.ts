import type { Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { takesPart } from '../people.ts'

const most = 2_000

/**
 * Writes down what happens by a day that passes: an assignment is overdue, or what was done of it expires soon, which begins with the days
 * before its end in which it can be renewed. Each day of each person is told once, and what had passed before the address was added is
 * not. True: there may be more.
 */
export async function noteDays(db: Database): Promise<boolean> {
  return db.as('system', async (tx) => {
    const { rowCount } = await tx.execute(
      sql`with asked as (select a.organization_id, t.type, min(a.created_at) as since from event_addresses a
            join organizations z on z.id = a.organization_id and z.state = 'active' and z.deleted_at is null
            cross join unnest(a.types) t(type) where t.type in ('assignment.overdue', 'assignment.expiring') group by 1, 2),
        found as (select o.id, o.organization_id, o.user_id, k.type, o.due_at as day from asked k
            join obligations o on o.organization_id = k.organization_id and o.state = 'open' and o.due_at > k.since and o.due_at <= now()
            join assignments s on s.id = o.assignment_id and s.state = 'active'
            where k.type = 'assignment.overdue'
          union all
          select o.id, o.organization_id, o.user_id, k.type, o.valid_until from asked k
            join obligations o on o.organization_id = k.organization_id and o.state = 'done' and o.valid_until > greatest(k.since, now())
            join assignments s on s.id = o.assignment_id and s.state = 'active'
            where k.type = 'assignment.expiring'
              and o.valid_until - make_interval(days => coalesce((s.validity->>'renewDays')::int, 0)) between k.since and now()),
        marked as (insert into event_marks (obligation_id, organization_id, type, day)
          select f.id, f.organization_id, f.type, f.day from found f join users u on u.id = f.user_id and ${takesPart('u')}
            where not exists (select from event_marks m where m.obligation_id = f.id and m.type = f.type and m.day = f.day)
            order by f.day, f.id, f.type limit ${most} on conflict do nothing returning obligation_id, type, day)
        insert into events (organization_id, type, subject, at, data, due_at)
          select o.organization_id, m.type, o.user_id, case when m.type = 'assignment.overdue' then m.day else now() end,
            event_obligation(o.id), now()
          from marked m join obligations o on o.id = m.obligation_id order by m.day, o.id`,
    )
    return rowCount === most
  })
}
