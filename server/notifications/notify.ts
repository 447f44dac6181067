import type { NotificationKind, NotificationParams } from '#contract/notifications/notifications.ts'
import { rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { Id } from '../platform/db/rows.ts'
import { isActive } from '../people.ts'

export type BellNotice = {
  /** Of the thing; null: about the installation. */
  organizationId: string | null
  userId: string
  kind: NotificationKind
  entityId: string
  /** Which of the times that this has become of the thing: the same again is told once. */
  cause: string
  /** To an administrator who did not do it. */
  asAdmin?: boolean
  params?: NotificationParams
}

/** The channel of PostgreSQL on which every process hears, with the commit, whose notifications have changed. */
export const noticeChannel = 'notifications'

/** Written in the transaction of what happened: nobody is told of what did not come about, and nothing is told twice. */
export async function notify(tx: Tx, notices: readonly BellNotice[]): Promise<void> {
  if (notices.length === 0) return
  await tx.execute(
    sql`with told as (
        insert into notifications (organization_id, user_id, kind, entity_id, cause, as_admin, params)
        select n."organizationId", n."userId", n.kind, n."entityId", n.cause, coalesce(n."asAdmin", false), coalesce(n.params, '{}')
        from jsonb_to_recordset(${JSON.stringify(notices)}::jsonb) as n("organizationId" uuid, "userId" uuid, kind text,
          "entityId" uuid, cause text, "asAdmin" boolean, params jsonb)
        on conflict do nothing returning user_id)
      select pg_notify(${noticeChannel}, user_id::text) from (select distinct user_id from told) person`,
  )
}

/** What somebody was asked to do is done, by whomever: nobody has to look at it any more. */
export async function markDone(tx: Tx, kind: NotificationKind, entityId: string): Promise<void> {
  await tx.execute(
    sql`with seen as (update notifications set read_at = now() where kind = ${kind} and entity_id = ${entityId} and read_at is null
        returning user_id)
      select pg_notify(${noticeChannel}, user_id::text) from (select distinct user_id from seen) person`,
  )
}

/** The administrators of an organization, for what goes wrong in it. */
export async function adminsOf(tx: Tx, organizationId: string): Promise<string[]> {
  const found = await rows(
    tx,
    Id,
    sql`select u.id from users u where u.organization_id = ${organizationId} and u.role = 'admin' and ${isActive('u')} and u.deleted_at is null`,
  )
  return found.map(({ id }) => id)
}
