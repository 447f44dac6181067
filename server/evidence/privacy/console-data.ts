import { sql, type SQL } from '../../platform/db/sql.ts'

type Subject = { organizationId: string; userId: string | null }

/** What is kept about somebody because they use the console; nothing for who only receives. */
export const consoleSources = {
  signIns: ({ userId }: Subject): SQL =>
    sql`select s.created_at as "startedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.revoked_at as "endedAt",
        s.end_reason as "endReason", s.amr as proofs, s.user_agent as browser, s.ip_prefix as network
      from sessions s where s.user_id = ${userId} order by s.created_at, s.id`,
  devices: ({ userId }: Subject): SQL =>
    sql`select d.user_agent as browser, d.created_at as "firstAt", d.last_seen_at as "lastSeenAt" from devices d
      where d.user_id = ${userId} order by d.created_at, d.id`,
  factors: ({ userId }: Subject): SQL =>
    sql`select * from (
        select 'passkey' as kind, k.name, k.created_at as "createdAt", k.last_used_at as "lastUsedAt" from passkeys k where k.user_id = ${userId}
        union all select 'authenticator', null, t.created_at, t.last_used_at from totp_factors t where t.user_id = ${userId}
        union all select 'recovery code', null, r.created_at, r.used_at from recovery_codes r where r.user_id = ${userId}
      ) f order by f."createdAt", f.kind, f.name, f."lastUsedAt"`,
  views: ({ organizationId, userId }: Subject): SQL =>
    sql`select w.list, w.name, w.search, w.shared, w.created_at as "createdAt", w.updated_at as "updatedAt" from saved_views w
      where w.organization_id = ${organizationId} and w.owner_id = ${userId} order by w.created_at, w.id`,
  reportSchedules: ({ organizationId, userId }: Subject): SQL =>
    sql`select r.report, r.view, r.period, r.rhythm, r.weekday, r.month_day as "monthDay", r.hour, r.time_zone as "timeZone", r.formats,
        r.state, r.created_at as "createdAt", r.last_sent_at as "lastSentAt", r.next_at as "nextAt",
        array(select a.address from report_addresses a where a.schedule_id = r.id order by a.id) as addresses from report_schedules r
      where r.organization_id = ${organizationId} and r.owner_id = ${userId} order by r.created_at, r.id`,
  notifications: ({ organizationId, userId }: Subject): SQL =>
    sql`select n.kind, n.params, n.created_at as at, n.read_at as "readAt" from notifications n
      where n.organization_id = ${organizationId} and n.user_id = ${userId} order by n.created_at, n.id`,
  hiddenAlerts: ({ organizationId, userId }: Subject): SQL =>
    sql`select h.kind, h.created_at as at, h.until from hidden_attention h
      where h.organization_id = ${organizationId} and h.owner_id = ${userId} order by h.created_at, h.id`,
  barred: ({ organizationId, userId }: Subject): SQL =>
    sql`select b.address, b.reason, b.created_at as since, b.expires_at as until
      from users u join suppressions b on b.organization_id = u.organization_id and b.address = u.email
      where u.organization_id = ${organizationId} and u.id = ${userId}
      union all select w.address, 'unsubscribed', w.created_at, null from unsubscriptions w
      where w.organization_id = ${organizationId} and w.user_id = ${userId} order by since, reason`,
  actions: ({ organizationId, userId }: Subject): SQL =>
    sql`select a.at, a.action, a.entity, a.entity_id as "entityId", a.ip_prefix as network, a.user_agent as browser from audit a
      where a.organization_id = ${organizationId} and a.actor_id = ${userId} order by a.at, a.id`,
}
