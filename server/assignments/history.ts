import type { Reply } from '#contract/endpoint.ts'
import {
  ObligationCycle,
  ObligationDecision,
  ObligationMessage,
  type readObligationHistory,
} from '#contract/duty/obligations.ts'
import { rows, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import type { Whose } from './decide.ts'
import { standing } from '../duty/owed.ts'
import { isResting, stateOf } from '../deliveries.ts'

type History = Reply<typeof readObligationHistory>

/** Reads the decisions, times and messages of one person, each newest first. */
export async function historyOf(tx: Tx, { orgId, assignmentId, userId }: Whose): Promise<History> {
  const ofPerson = sql`o.organization_id = ${orgId} and o.assignment_id = ${assignmentId} and o.user_id = ${userId}`
  return {
    decisions: await rows(
      tx,
      ObligationDecision,
      sql`select o.action, o.reason, ${isoText(sql`o.until`)} as until, o.by_name as "by", ${isoText(sql`o.at`)} as at
        from obligation_changes o where ${ofPerson} order by o.at desc, o.id desc limit 500`,
    ),
    cycles: await rows(
      tx,
      ObligationCycle,
      sql`select o.cycle, ${standing} as state, ${isoText(sql`o.since`)} as since, ${isoText(sql`o.due_at`)} as "dueAt",
          ${isoText(sql`o.done_at`)} as "doneAt", ${isoText(sql`o.valid_until`)} as "validUntil",
          case when c.obligation_id is not null then json_build_object('statement', c.statement, 'at', ${isoText(sql`c.confirmed_at`)},
            'version', n.number, 'subject', message_name(t), 'sentAt', ${isoText(sql`d.accepted_at`)}) end as confirmation
        from obligations o join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id
          left join confirmations c on c.obligation_id = o.id left join video_versions n on n.id = c.version_id
          left join deliveries d on d.id = c.delivery_id and d.organization_id = c.organization_id
          left join transmissions t on t.id = d.transmission_id
        where ${ofPerson} order by o.cycle desc limit 500`,
    ),
    messages: await rows(
      tx,
      ObligationMessage,
      sql`select m.kind, o.cycle, m.slot::text as day, ${stateOf('d')}, coalesce(${isResting}, false) as resting,
          ${isoText(sql`d.accepted_at`)} as "sentAt"
        from obligations o cross join lateral (select g.kind, g.slot, g.transmission_id from obligation_messages g
            where g.obligation_id = o.id and g.organization_id = o.organization_id
          union all select 'first', (t.dated_at at time zone z.time_zone)::date, t.id from assignments a
            join transmissions t on t.id = a.message_id and t.organization_id = a.organization_id join organizations z on z.id = t.organization_id
            where a.id = o.assignment_id and exists (select from deliveries e where e.transmission_id = t.id and e.user_id = o.user_id)) m
          left join deliveries d on d.user_id = o.user_id and d.transmission_id = m.transmission_id and d.organization_id = o.organization_id
        where ${ofPerson} order by m.slot desc, m.transmission_id desc limit 500`,
    ),
  }
}
