import type { Database } from '../../platform/db/client.ts'
import { aggregateOnce as aggregateAndFollow } from '../../tracking/aggregate.ts'
import { followViewing } from '../../duty/completions.ts'

/** Aggregates what waits in the raw log, with all that follows from it; gives the number of batches. */
export const aggregateOnce = (db: Database) => aggregateAndFollow({ db, follow: followViewing })
