import { followViewing as follow } from '../../duty/completions.ts'
import type { Database, Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { noteDirty } from '../../platform/derived/keys.ts'
import { markAllVerdicts } from '../../quizzes/watched-before.ts'
import * as tracking from '../../tracking/rebuild.ts'

/** Computes all results of one video anew from the raw log, with all that follows from them. */
export const rebuild = (db: Database, videoId: string) => tracking.rebuild({ db, follow }, videoId)

/** Rebuilds all videos, one after another, and whatever is worked out from their results. `tell` hears of each when it is done. */
export async function rebuildAll(
  db: Database,
  tell: Parameters<typeof tracking.rebuildAll>[1],
): Promise<void> {
  await tracking.rebuildAll({ db, follow }, tell)
  await db.as('system', markEverything)
}

/** Marks whatever is worked out from the results, and the worker of the running product works it out anew. */
async function markEverything(tx: Tx): Promise<void> {
  await noteDirty(
    tx,
    sql`select figure, id, null, null from organizations cross join unnest(array['training', 'reports']) figure`,
  )
  await markAllVerdicts(tx)
}
