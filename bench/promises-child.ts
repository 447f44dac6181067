import { connect } from '#server/db/client.ts'
import { retain } from '#server/viewing/privacy/retain.ts'
import { wipePrivate } from '#server/viewing/privacy/wipe.ts'

/** Deletes what organizations keep no longer until nothing is left to delete, or it is killed. */
const db = connect(process.env['DATABASE_URL'] ?? '', { max: 2 })
const budget = { until: Date.now() + 3_600_000 }
await wipePrivate(db, budget)
await retain(db, budget)
await db.close()
