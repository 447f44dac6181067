import type { FastifyInstance } from 'fastify'
import { listViewers, readAudience, startPreview, type VideoAudience } from '#contract/audience/audience.ts'
import { readWeave } from '#contract/audience/weave.ts'
import { together, type Tx } from '#server/platform/db/client.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { qualityOf } from '#server/tracking/quality.ts'
import { binned, curvesOf, hotspotsOf } from '../tracking/curves.ts'
import { figuresOf, noFigures } from './figures.ts'
import { scopeOf, type AudienceScope } from './scope.ts'
import { heatOf } from './heat.ts'
import { previewOf } from './preview.ts'
import { relativeOf } from './relative.ts'
import { nobody, viewersOf } from './viewers.ts'
import { weaveOf } from './weave.ts'

export function audienceRoutes(_app: FastifyInstance, mount: Mount, { keys }: Services): void {
  mount(readAudience, async ({ tx, params, query }) =>
    audienceOf(tx, await scopeOf(tx, params.videoId, query)),
  )

  mount(listViewers, async ({ tx, params, query, request }) => {
    const scope = await scopeOf(tx, params.videoId, query)
    const { version, video } = scope
    if (version && !video.isDiscreet) return viewersOf(tx, { scope, version, query, request })
    return { items: [], total: 0, offset: 0, limit: query.limit, next: null, anonymous: nobody }
  })

  mount(readWeave, async ({ tx, params, query }) => ({ weave: await weaveOf(tx, params.videoId, query) }))

  mount(startPreview, ({ tx, params, caller }) =>
    previewOf(tx, keys, { videoId: params.videoId, userId: caller.userId }),
  )
}

async function audienceOf(tx: Tx, scope: AudienceScope): Promise<VideoAudience> {
  const { video, versions, version, period, since } = scope
  const asked = { organizationId: video.organizationId, videoId: video.id, from: since ?? undefined }
  const [quality, figures] = await together(
    qualityOf(tx, asked),
    version ? figuresOf(tx, scope, version) : Promise.resolve(noFigures),
  )
  const { smallestGroup, isDiscreet } = video
  const isSmall = figures.viewers < smallestGroup
  const told = isSmall && isDiscreet ? noFigures : figures
  const head = { versions, version, period, figures: told, smallestGroup, isDiscreet, quality }
  if (!version || isSmall) return { ...head, curves: null, hotspots: [], relative: null }
  const [heat, relative] = await together(heatOf(tx, scope, version), relativeOf(tx, video, version))
  const seconds = curvesOf(heat, version.durationMs)
  const base = since === null ? figures.viewers : figures.plays
  const hotspots = hotspotsOf(seconds, base, version.durationMs)
  return { ...head, curves: binned(seconds, base), hotspots, relative }
}
