import type { Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

/** As long as operations are kept. */
const keptDays = 90

/** What was posted or set aside so long ago goes with its line in the log, some at a time; what waits stays. */
export async function forgetEvents({ single }: Pick<Database, 'single'>): Promise<void> {
  for (let gone = -1; gone !== 0;)
    gone =
      (
        await single.execute(
          sql`delete from events where id in (select e.id from events e where e.sorted_at < now() - make_interval(days => ${keptDays})
            and not exists (select from event_posts p where p.event_id = e.id
              and (p.state = 'waiting' or p.queued_at > now() - make_interval(days => ${keptDays}))) limit 5000)`,
        )
      ).rowCount ?? 0
  await single.execute(sql`delete from event_marks where day < now() - interval '2 years'`)
}
