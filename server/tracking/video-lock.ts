import { type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { lock, tryLock } from '../platform/db/locks.ts'

/** This expression says whether the transaction is now the one that writes what was watched of a video. It waits for nobody. */
export function videoLocked(videoId: string): SQL {
  return tryLock('videoResults', videoId)
}

/** Makes the caller the one writer of the video's results until its transaction ends. It waits for another one. */
export async function lockVideo(tx: Tx, videoId: string): Promise<void> {
  await tx.execute(sql`select ${lock('videoResults', videoId)}`)
}
