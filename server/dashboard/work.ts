import { mostWork, readDashboardWork } from '#contract/dashboard.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { asksToWatch, hasArrived, isLeftOut, isTroubled } from '../deliveries.ts'

/** Also those that nobody has approved or resumed: they are begun and not ended. */
const underWay = sql`('scheduled', 'held', 'preparing', 'sending', 'paused', 'pending_approval')`

/** The newest of the transmissions that have begun and not ended, with how far they are. `own`: a condition on `t`. */
function inFlight(own: SQL): SQL {
  const count = (which: SQL) => sql`coalesce(sum(c.n) filter (where ${which}), 0)::float8`
  return sql`(select json_build_object('total', count(*)::int, 'items', coalesce(json_agg(json_build_object('id', f.id,
        'subject', f.name, 'state', f.state, 'reason', f.state_reason, 'audienceTotal', coalesce(nullif(f.audience_total - n.skipped, 0), a.asked_for, 0),
        'organizationId', f.organization_id, 'organizationName', f.organization_name,
        'createdAt', ${isoText(sql`f.dated_at`)}, 'sent', n.sent, 'troubled', n.troubled, 'dropped', n.dropped, 'opened', w.opened, 'completed', w.completed)
        order by f.dated_at desc) filter (where f.nth <= ${mostWork}), '[]'))
    from (select t.*, message_name(t) as name, o.name as organization_name, row_number() over (order by t.dated_at desc) as nth
      from transmissions t join organizations o on o.id = t.organization_id and o.deleted_at is null
      where ${own} and t.state in ${underWay}) f
    left join lateral (select ${count(hasArrived('c'))} as sent,
        ${count(isTroubled('c'))} as troubled, ${count(sql`not ${asksToWatch('c')}`)} as dropped, ${count(isLeftOut('c'))} as skipped
      from transmission_counts c where c.transmission_id = f.id and f.nth <= ${mostWork}) n on true
    left join lateral (select count(w.opened_at)::int as opened, count(w.completed_at)::int as completed
      from delivery_viewing w where w.transmission_id = f.id and f.nth <= ${mostWork}) w on true
    left join lateral (select a.asked_for from transmission_approvals a
      where a.transmission_id = f.id and a.organization_id = f.organization_id and f.nth <= ${mostWork}
      order by a.id desc limit 1) a on true)`
}

/** `own`: a condition on `p`. */
function operations(own: SQL): SQL {
  return sql`(select json_build_object('total', count(*)::int, 'items', coalesce(json_agg(json_build_object('id', f.id,
        'kind', f.kind, 'state', f.state, 'subject', f.params->>'subject', 'total', f.total, 'done', f.done,
        'organizationId', f.organization_id, 'organizationName', f.organization_name,
        'createdAt', ${isoText(sql`f.created_at`)}) order by f.nth) filter (where f.nth <= ${mostWork}), '[]'))
    from (select p.*, o.name as organization_name, row_number() over (order by p.created_at desc, p.id) as nth
      from operations p left join organizations o on o.id = p.organization_id
      where ${own} and p.state in ('queued', 'running', 'cancelling', 'undoing')) f)`
}

/** `own`: a condition on `v`. A new version of a video that plays is worked on as well. */
function videos(own: SQL): SQL {
  return sql`(select json_build_object('total', count(*)::int, 'items', coalesce(json_agg(json_build_object('id', f.id,
        'title', f.title, 'progress', f.progress, 'organizationId', f.organization_id, 'organizationName', f.organization_name,
        'createdAt', ${isoText(sql`f.created_at`)}) order by f.nth) filter (where f.nth <= ${mostWork}), '[]'))
    from (select v.*, o.name as organization_name, row_number() over (order by v.created_at desc, v.id) as nth
      from videos v join organizations o on o.id = v.organization_id and o.deleted_at is null
      where ${own} and v.deleted_at is null and v.state = 'processing') f)`
}

const WorkRow = readDashboardWork.reply

/** `organizationId` null: of all organizations. Groupadmins neither send nor upload; they see what they started themselves. */
export async function workOf(tx: Tx, caller: Caller, organizationId: string | null) {
  const isLimited = caller.role === 'groupadmin'
  const own = (alias: string) =>
    organizationId === null ? sql`true` : sql`${sql.raw(alias)}.organization_id = ${organizationId}`
  const content = (alias: string) => (isLimited ? sql`false` : own(alias))
  const mine = all([own('p'), isLimited && sql`p.created_by = ${caller.userId}`])
  return requireRow(
    tx,
    WorkRow,
    sql`select ${inFlight(content('t'))} as transmissions, ${operations(mine)} as operations, ${videos(content('v'))} as videos`,
  )
}
