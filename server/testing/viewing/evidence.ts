import { startPlay, type PlayClaims } from '../../tracking/ingest/token.ts'
import type { TestServer } from '../server.ts'
import { chance, sendSomehow, watchSomehow, writeLog } from './viewers.ts'
import { addDelivery, addVideo } from './viewing.ts'

const hour = 3_600_000

export type Audience = { videoId: string; versionId: string; claims: PlayClaims[]; userIds: string[] }

/**
 * A video that people were sent and watched somehow over a bad network, most of them in several sittings, some `hoursAgo` and some
 * later; the log is written, and not aggregated.
 */
export async function addAudience(
  server: TestServer,
  organizationId: string,
  { seed = 1, people = 6, hoursAgo = [60, 40, 30], durationMs = 60_000 } = {},
): Promise<Audience> {
  const luck = chance(seed)
  const video = await addVideo(server, { organizationId, durationMs })
  const audience: Audience = { ...video, claims: [], userIds: [] }
  for (let n = 0; n < people; n += 1) {
    const { id: userId } = await server.person(null, organizationId)
    const delivery = await addDelivery(server, { organizationId, ...video, userId })
    audience.userIds.push(userId)
    for (const ago of hoursAgo.slice(0, luck.between(1, hoursAgo.length))) {
      const play = {
        org: organizationId,
        video: video.videoId,
        version: video.versionId,
        durMs: durationMs,
        transmission: delivery.transmissionId,
        delivery: delivery.deliveryId,
        kind: 'recipient' as const,
        userId,
        maxRate: 2,
        theta: 0.5,
      }
      const at = Date.now() - ago * hour - luck.between(0, 60_000)
      const { claims } = startPlay(server.services.keys, play, at)
      audience.claims.push(claims)
      await writeLog(server, sendSomehow(luck, claims, watchSomehow(luck, durationMs)))
    }
  }
  return audience
}
