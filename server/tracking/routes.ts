import type { FastifyInstance } from 'fastify'
import { trackLimits } from '#contract/tracking/track-limits.ts'
import { nameReader, postTracks } from '#contract/tracking/tracks.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import { refusalsOf } from '#server/platform/http/refusals.ts'
import type { Serving } from '#server/tracking/served/served.ts'
import { ingest } from './ingest/ingest.ts'
import { readers } from './ingest/reader.ts'

export function viewingRoutes(app: FastifyInstance, mount: Mount, services: Serving): void {
  const { take, drain } = ingest(services)
  // This does not go through `mount`, because the body may be text, a wrong one is a 400, and nothing here reads a bearer.
  app.route({
    method: postTracks.method,
    url: `/api${postTracks.path}`,
    config: { endpoint: postTracks.name, refusals: refusalsOf(postTracks) },
    bodyLimit: trackLimits.bytes,
    // Its answer is a few bytes, and no browser packs what it reports.
    compress: false,
    decompress: false,
    handler: take,
  })
  const readerOf = readers(services)
  mount(nameReader, ({ body: { playToken, isRecipient }, caller }) =>
    readerOf(playToken, { isRecipient, caller }),
  )
  app.addHook('onClose', drain)
}
