import { startPlay, type NewPlay } from '../../tracking/ingest/token.ts'
import { aggregateOnce } from './aggregate.ts'
import type { Person, TestServer } from '../server.ts'
import { sent, writeLog, type SentBatch } from './viewers.ts'
import { until } from '../until.ts'
import { addVideo } from './viewing.ts'

type Facts = { organizationId: string; durationMs?: number }

/** A video of its own, for visitors; `by` names its viewer. */
export async function videoToWatch(server: TestServer, facts: Facts): Promise<NewPlay> {
  const { organizationId, durationMs = 60_000 } = facts
  const { videoId, versionId } = await addVideo(server, { organizationId, durationMs })
  const ids = { org: organizationId, video: videoId, version: versionId }
  return { ...ids, durMs: durationMs, kind: 'visitor', maxRate: 2, theta: 0.95 }
}

export const by = (play: NewPlay, person: Person): NewPlay => ({
  ...play,
  kind: 'recipient',
  userId: person.id,
})

export const begin = ({ services }: TestServer, play: NewPlay, at: number) =>
  startPlay(services.keys, play, at).claims

type Watched = { play: NewPlay; at: number; part: [startMs: number, endMs: number] }

/** Somebody opens the page at that instant and plays a part of the video at the usual rate, without a break. */
export function watched(server: TestServer, { play, at, part: [start, end] }: Watched): SentBatch {
  const wall = end - start
  return sent(begin(server, play, at), {
    at: wall + 500,
    elapsedMs: wall + 300,
    spans: [[0, start, end, wall, 100, 0]],
    events: [
      [0, 'impression', 10, 0, null],
      [1, 'play', 300, start, { span: 0 }],
    ],
  })
}

/**
 * Puts batches into the log, and everything that follows from them into the tables. A video whose results are just being written is
 * passed over, so that it may take more than one look.
 */
export async function aggregate(server: TestServer, batches: SentBatch[]): Promise<void> {
  const { db } = server.services
  await writeLog(server, batches)
  await until(async () => {
    await aggregateOnce(db)
    return (await db.system.query('select 1 from track_batches where not folded limit 1')).rowCount === 0
  }, 20)
}
