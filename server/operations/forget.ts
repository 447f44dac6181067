import type { Erase } from '../platform/erasing.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'

/** Long after the last day on which it could be undone. The audit log keeps what has happened. */
const keptDays = 90

/** Takes away what has ended long ago, with its rows and its files. */
export async function forgetOperations({ db }: Pick<Services, 'db'>): Promise<void> {
  // What was removed lies in the row itself, and goes when nobody can bring it back.
  await db.single.execute(
    sql`update operation_rows w set after = null from operations p where p.id = w.operation_id and p.kind = 'captions.remove'
      and w.after is not null and (p.state = 'undone' or p.undo_until is null or p.undo_until <= now())`,
  )
  const ended = sql`state in ('draft', 'done', 'cancelled', 'failed', 'undone')
    and greatest(created_at, finished_at, undone_at) < now() - make_interval(days => ${keptDays})`
  for (;;) {
    const gone = await db.single.execute(
      sql`delete from operations where id in (select id from operations where ${ended} limit 20 for update skip locked)`,
    )
    if (gone.rowCount === 0) return
  }
}

/** Takes their names out of rows of bulk work, and out of operations on them alone. */
export const eraseRows: Erase = ({ gone, known }) => [
  sql`update operations p set params = p.params || jsonb_build_object('subject', r.pseudonym) from ${gone}, operation_rows w
    where w.operation_id = p.id and w.entity_id = r.id and p.total = 1 and p.params->>'subject' = w.label`,
  sql`update operation_rows w set label = k.address, before = null from ${known}
    where w.entity = 'barred_address' and w.label = k.email and w.organization_id = k."organizationId"`,
  sql`update operation_rows w set label = r.pseudonym, input = null, before = null, after = null from ${gone}
    where w.entity_id = r.id and w.entity in ('user', 'member')`,
]
