import { connect } from '#server/platform/db/client.ts'
import { retain } from '#server/evidence/privacy/retain.ts'
import { wipePrivate } from '#server/evidence/privacy/wipe.ts'

/** Deletes what organizations keep no longer until nothing is left to delete, or it is killed. */
const db = connect(process.env['DATABASE_URL'] ?? '', { max: 2 })
const budget = { until: Date.now() + 3_600_000 }
await wipePrivate(db, budget)
await retain(db, budget)
await db.close()
