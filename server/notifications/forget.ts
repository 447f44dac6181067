import { notificationDays } from '#contract/notifications/notifications.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'

/** Takes away what is older than people look back, some at a time. */
export async function forgetNotifications({ db }: Pick<Services, 'db'>): Promise<void> {
  for (;;) {
    const gone = await db.single.execute(
      sql`delete from notifications where id in (select id from notifications
        where created_at < now() - make_interval(days => ${notificationDays}) order by created_at limit 5000)`,
    )
    if (gone.rowCount === 0) return
  }
}
