import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'

/** Long after the last day on which it could be undone. The audit log keeps what has happened. */
const keptDays = 90

/** Takes away what has ended long ago, with its rows and its files. */
export async function forgetOperations({ db }: Pick<Services, 'db'>): Promise<void> {
  const ended = sql`state in ('draft', 'done', 'cancelled', 'failed', 'undone')
    and greatest(created_at, finished_at, undone_at) < now() - make_interval(days => ${keptDays})`
  for (;;) {
    const gone = await db.single.execute(
      sql`delete from operations where id in (select id from operations where ${ended} limit 20 for update skip locked)`,
    )
    if (gone.rowCount === 0) return
  }
}
