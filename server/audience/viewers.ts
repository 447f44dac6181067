import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type AudienceVersion, listViewers, Viewer } from '#contract/audience/audience.ts'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { row, together, type Tx } from '#server/platform/db/client.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { all, hasWords, isoText } from '#server/platform/db/search.ts'
import { orderFrom, type Sorts } from '#server/platform/http/lists/keyset.ts'
import { readList } from '#server/platform/http/lists/list.ts'
import { hasEvidence } from '#server/tracking/served/sources.ts'
import { has, sittings, type AudienceScope } from './scope.ts'

/**
 * Viewers `w` of one version who played it in the period. */
function watched(scope: AudienceScope, version: AudienceVersion): SQL {
  const { video, since } = scope
  const own = sql`w.version_id = ${version.id} and w.organization_id = ${video.organizationId} and w.plays > 0`
  if (since === null) return sql`(select w.* from viewer_videos w where ${own}) w`
  return sql`(select distinct p.viewer_key from play_sessions p where ${sittings(scope, version)} and ${has('played')}) s
    join viewer_videos w on w.viewer_key = s.viewer_key and ${own}`
}

/** A person who came in two ways has two rows, so the row needs an id of its own. */
const id = sql`md5(w.viewer_key)::uuid`

const sorts: Sorts<ParsedQuery<typeof listViewers>['sort']> = {
  name: { by: sql`u.called`, type: 'text' },
  share: { by: sql`w.covered_ms::float8`, type: 'float8' },
  watchedMs: { by: sql`w.watch_ms::float8`, type: 'float8' },
  plays: { by: sql`w.plays::float8`, type: 'float8' },
  completedAt: { by: sql`coalesce(w.completed_at, '-infinity')`, type: 'timestamptz' },
  lastAt: { by: sql`w.last_at`, type: 'timestamptz' },
}

const ViewerRow = z.extend(z.omit(Viewer, { coverage: true }), { id: z.string(), coverage: z.string() })

type ViewersRequest = {
  scope: AudienceScope
  version: AudienceVersion
  query: ParsedQuery<typeof listViewers>
  request: FastifyRequest
}

const Anonymous = listViewers.reply.shape.anonymous

export async function viewersOf(
  tx: Tx,
  { scope, version, query, request }: ViewersRequest,
): Promise<Reply<typeof listViewers>> {
  const [page, anonymous] = await together(
    readList(tx, {
      query,
      request,
      Row: ViewerRow,
      columns: sql`${id} as id, u.id as "userId", u.organization_id as "organizationId", u.name, u.email,
        u.deleted_at is null as exists, least(1, w.covered_ms::float8 / ${version.durationMs}::int) as share,
        w.coverage::text as coverage, w.watch_ms::float8 as "watchedMs", w.plays, ${isoText(sql`w.completed_at`)} as "completedAt",
        w.evidence, ${isoText(sql`w.last_at`)} as "lastAt"`,
      from: sql`${watched(scope, version)} join users u on u.id = w.user_id and u.organization_id = w.organization_id`,
      where: all([
        query.q !== undefined && hasWords(sql`u.search`, query.q),
        query.evidence && hasEvidence(sql`w.evidence`, query.evidence),
      ]),
      order: orderFrom(query.sort, sorts, id),
    }),
    row(
      tx,
      Anonymous,
      sql`select count(*)::int as viewers, count(w.completed_at)::int as completed,
          coalesce(sum(w.watch_ms), 0)::float8 as "watchedMs" from ${watched(scope, version)} where w.user_id is null`,
    ),
  )
  const items = page.items.map((viewer) => ({ ...viewer, coverage: parseRanges(viewer.coverage) }))
  return { ...page, items, anonymous: anonymous ?? nobody }
}

export const nobody = { viewers: 0, completed: 0, watchedMs: 0 }
