import { setTimeout as pause } from 'node:timers/promises'
import { hasRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { aggregateOnce } from '../tracking/aggregate.ts'
import { followViewing } from '../duty/completions.ts'

const patienceMs = 200

/** Aggregates until nothing waits: neither what the worker has in hand, nor what is older than it looks back. */
export async function aggregateAll({ db }: Pick<Services, 'db'>): Promise<void> {
  while (await hasRow(db.single, sql`select 1 from track_batches where not folded limit 1`))
    if ((await aggregateOnce({ db, follow: followViewing })) === 0) await pause(patienceMs)
}
