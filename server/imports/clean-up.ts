import { undoDays } from '#contract/operations.ts'
import { forgetDrafts, forgetInput } from '../operations/draft.ts'
import { eachApart } from '../platform/aside.ts'
import { rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { Id } from '../platform/db/rows.ts'

/** Days for which a file waits that nobody has started. */
const draftDays = 7

/**
 * Files are full of people, so none is kept longer than it is needed: one that was never started for a week, the others until they
 * can no longer be undone. What was done stays in the operation, without the cells of the file.
 */
export async function cleanUpImports({ db }: Services): Promise<void> {
  await forgetDrafts(db, 'users.import', draftDays)
  const over = await rows(
    db.single,
    Id,
    sql`select i.operation_id as id from imports i join operations o on o.id = i.operation_id
      where o.state in ('done', 'cancelled', 'failed', 'undone') and o.finished_at < now() - make_interval(days => ${undoDays})
      order by o.finished_at`,
  )
  const nameOf = ({ id }: { id: string }) => ({ item: `import ${id}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, over, async ({ id }) => {
    await db.single.execute(sql`delete from import_rows where operation_id = ${id}`)
    await forgetInput(db, id)
    await db.single.execute(sql`delete from imports where operation_id = ${id}`)
  })
}
