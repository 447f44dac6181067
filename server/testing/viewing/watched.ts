import { expect } from 'vitest'
import { aggregateOnce } from './aggregate.ts'
import type { TestServer } from '../server.ts'
import { addDelivery, addVideo, batchOf, openedAgo, openPage } from './viewing.ts'

export const durationMs = 4_800
const browser = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0'

/** [startMs, endMs) of what was played; the second of them without sound. */
type Parts = readonly (readonly [number, number])[]
type Whose = { orgId: string; userId: string }

/** Sends a video to somebody who opened it so long ago that they have watched these parts by now. */
export async function watched(server: TestServer, { orgId, userId }: Whose, parts: Parts) {
  const video = await addVideo(server, { organizationId: orgId, privacy: 'private', durationMs })
  const delivery = await addDelivery(server, { organizationId: orgId, userId, ...video })
  const path = `/w/video/${video.videoId}?d=${delivery.secret}`
  const playToken = await watchMore(server, path, parts)
  return { ...video, path, playToken }
}

/** In another session; gives its play token. */
export async function watchMore(server: TestServer, path: string, parts: Parts): Promise<string> {
  const { data } = await openPage(server, path)
  const playToken = openedAgo(server, data?.playToken ?? '', durationMs + 200)
  const spans = parts.map(([start, end], i): [number, number, number, number, number, number] => [
    i,
    start,
    end,
    end - start,
    100,
    i === 1 ? 2 : 0,
  ])
  const body = batchOf({ playToken, elapsedMs: durationMs, spans, events: [[0, 'impression', 10, 0, null]] })
  const sent = await server.send('POST', '/api/tracks', { body, headers: { 'user-agent': browser } })
  expect(sent.status).toBe(200)
  await aggregateOnce(server.services.db)
  return playToken
}

/** Nobody watches two windows at once; what was watched until now was watched an hour ago. */
export async function longAgo({ services }: TestServer, videoId: string): Promise<void> {
  await services.db.system.query(
    `update play_sessions set started_at = started_at - interval '1 hour', zero_at = zero_at - interval '1 hour',
      last_at = last_at - interval '1 hour' where video_id = $1`,
    [videoId],
  )
}
