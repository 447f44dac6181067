import { row, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'

/** First half of the advisory lock's key; the second is the video. */
const lockClass = 41

const keyOf = (videoId: string): SQL => sql`${lockClass}, hashtext(${videoId})`

/** Expression: whether the transaction is now the one that writes what was watched of a video. Waits for nobody. */
export function videoLocked(videoId: string): SQL {
  return sql`pg_try_advisory_xact_lock(${keyOf(videoId)})`
}

/** Makes the caller the one writer of the video's results until its transaction ends; waits for another. */
export async function lockVideo(tx: Tx, videoId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyOf(videoId)})`)
}

/** The same without waiting; false when somebody else writes them. */
export async function tryLockVideo(tx: Tx, videoId: string): Promise<boolean> {
  const lock = await row<{ mine: boolean }>(tx, sql`select ${videoLocked(videoId)} as mine`)
  return lock?.mine === true
}
