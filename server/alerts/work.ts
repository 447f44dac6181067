import { alertLimits } from '#contract/platform/alerts.ts'
import { waitingFailures } from '#contract/videos/videos.ts'
import { arrayOf } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { lies, withinDays, type OrganizationScope } from './scope.ts'

/** Also of a video whose older version plays on. */
export const failedVideos = (scope: OrganizationScope): SQL =>
  sql`select v.id, v.title as name, v.organization_id from videos v
    where ${lies(scope, 'v')} and v.deleted_at is null and v.failure is not null and v.state in ('failed', 'ready')`

/** Of the installation: they wait until it can convert again. */
export const failingConversion: SQL = sql`select v.id, v.title as name, null::uuid as organization_id from videos v
  where v.failure = any(${arrayOf(waitingFailures, 'text')}) and v.deleted_at is null`

/** Addresses of other systems that refused events for three days, or have taken nothing for a day. */
export const refusedEvents = (scope: OrganizationScope): SQL =>
  sql`select a.id, substring(a.url from '^https://([^/?]+)') as name, a.organization_id from event_addresses a
    where ${lies(scope, 'a')} and (a.failing_since < now() - interval '1 day'
      or exists (select from event_posts p where p.address_id = a.id and p.state = 'aside' and not exists (
        select from event_posts q where q.event_id = p.event_id and q.address_id = p.address_id and q.place > p.place)))`

/** With `created_by`, for who sees only their own. */
export const failedOperations = (scope: OrganizationScope): SQL =>
  sql`select p.id, p.kind as name, p.organization_id, p.created_by from operations p
    where ${lies(scope, 'p')} and p.state = 'failed' and ${withinDays(sql`p.finished_at`, alertLimits.brokenDays)}`
