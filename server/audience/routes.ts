import type { FastifyInstance } from 'fastify'
import {
  listViewers,
  readAudience,
  startPreview,
  type VideoAudience,
  type AudienceVersion,
} from '#contract/audience/audience.ts'
import { readWeave } from '#contract/audience/weave.ts'
import { together, type Tx, rows } from '#server/platform/db/client.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { qualityOf } from '#server/tracking/quality.ts'
import { binned, curvesOf, hotspotsOf, Heat } from '../tracking/curves.ts'
import { figuresOf, noFigures } from './figures.ts'
import { chaptersIn, scopeOf, type AudienceScope } from './scope.ts'
import { previewOf } from './preview.ts'
import { relativeOf } from './relative.ts'
import { nobody, viewersOf } from './viewers.ts'
import { weaveOf } from './weave.ts'
import { sql } from '#server/platform/db/sql.ts'

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
  const chapters = await chaptersIn(tx, version)
  const isSmall = figures.viewers < smallestGroup
  const disclosed = isSmall && isDiscreet ? noFigures : figures
  const head = { versions, version, chapters, period, figures: disclosed, smallestGroup, isDiscreet, quality }
  if (!version || isSmall) return { ...head, curves: null, hotspots: [], relative: null }
  const [heat, relative] = await together(heatOf(tx, scope, version), relativeOf(tx, video, version))
  const seconds = curvesOf(heat, version.durationMs)
  const base = since === null ? figures.viewers : figures.plays
  const hotspots = hotspotsOf(seconds, base, version.durationMs)
  return { ...head, curves: binned(seconds, base), hotspots, relative }
}

/** What the aggregation has added up, for all time or since the first day of the period. */
function heatOf(tx: Tx, { video, since }: AudienceScope, version: AudienceVersion): Promise<Heat[]> {
  const mine = sql`version_id = ${version.id} and organization_id = ${video.organizationId}`
  if (since === null)
    return rows(
      tx,
      Heat,
      sql`select sec, viewers_delta as "coveredDelta", passes_delta as "passesDelta", seek_in as "seekIn", seek_out as "seekOut",
          pauses, exits
        from video_heat where ${mine} order by sec`,
    )
  return rows(
    tx,
    Heat,
    sql`select sec, sum(sessions_delta)::int as "coveredDelta", sum(passes_delta)::int as "passesDelta", sum(seek_in)::int as "seekIn",
        sum(seek_out)::int as "seekOut", sum(pauses)::int as pauses, sum(exits)::int as exits
      from video_heat_days where ${mine} and day >= ${since} group by sec order by sec`,
  )
}
