import { alertLimits } from '#contract/platform/alerts.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { lies, withinDays, type OrganizationScope } from './scope.ts'
import { cameBack, hasArrived, isTroubled } from '../deliveries.ts'

const { refused, returnedDays, failedHours } = alertLimits

/** Held until somebody approves the list of recipients as it has become. */
const awaitsApproval = sql`(t.state = 'held' and coalesce(t.state_reason in ('audience_grown', 'audience_changed'), false))`

/** The product itself stopped them, or found nobody to whom it may send. */
export const pausedTransmissions = (scope: OrganizationScope): SQL =>
  sql`select t.id, message_name(t) as name, t.organization_id from transmissions t
    where ${lies(scope, 't')} and not ${awaitsApproval}
      and (t.state = 'held' or (t.state = 'paused' and t.state_reason is not null))`

export const pendingApprovals = (scope: OrganizationScope): SQL =>
  sql`select t.id, message_name(t) as name, t.organization_id from transmissions t
    where ${lies(scope, 't')} and (t.state = 'pending_approval' or ${awaitsApproval})`

export const returnedMessages = (scope: OrganizationScope): SQL =>
  sql`select t.id, message_name(t) as name, t.organization_id from transmissions t
    where ${lies(scope, 't')} and ${withinDays(sql`t.dated_at`, returnedDays)}
      and exists (select 1 from transmission_counts c where c.transmission_id = t.id and c.n > 0
        and ${isTroubled('c')})`

/** Condition on `transmissions t`: it was stopped because its mails are not taken. */
const hasFailed = sql`t.state_reason in ('many_rejected', 'many_returned', 'sender_refused', 'wave_troubled')`

const isRefused = cameBack('c')

/** Ids of organizations of whose messages too many are refused, or whose sending was stopped because of it. */
const failing = (scope: OrganizationScope): SQL =>
  sql`select t.organization_id from transmissions t
    join transmission_counts c on c.transmission_id = t.id and (${isRefused} or ${hasArrived('c')})
    where ${lies(scope, 't')} and ${withinDays(sql`t.dated_at`, refused.days)} group by 1
    having sum(c.n) >= ${refused.messages} and sum(c.n) filter (where ${isRefused}) >= sum(c.n) * ${refused.share}::float8
    union select t.organization_id from transmissions t
    where ${lies(scope, 't')} and t.state = 'paused' and ${hasFailed}`

export const failingSenders: SQL = sql`select o.id, o.name, o.id as organization_id from organizations o
  where o.id in (${failing(null)})`

/** Of organizations that fail to send: the transmissions that are the reason. */
export const failingTransmissions = (scope: OrganizationScope): SQL =>
  sql`select t.id, message_name(t) as name, t.organization_id from transmissions t
    where ${lies(scope, 't')} and t.organization_id in (${failing(scope)})
      and (${withinDays(sql`t.dated_at`, refused.days)} or (t.state = 'paused' and ${hasFailed}))
      and exists (select 1 from transmission_counts c where c.transmission_id = t.id and c.n > 0 and ${isRefused})`

/** Mails that are no messages of a transmission: codes, notices, invitations. */
export const failedMails = (scope: OrganizationScope): SQL =>
  sql`select m.id, m.address as name, m.organization_id from mails m
    where ${lies(scope, 'm')} and m.state = 'failed' and m.created_at > now() - make_interval(hours => ${failedHours})`
