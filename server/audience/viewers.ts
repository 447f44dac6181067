import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type AudienceVersion, listViewers, Viewer } from '#contract/audience.ts'
import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import { parseRanges } from '#server/platform/db/columns.ts'
import { row, rows, together, type Tx } from '#server/platform/db/client.ts'
import { sql, type SQL } from '#server/platform/db/sql.ts'
import { countOf, hasWords, isoText } from '#server/platform/db/search.ts'
import { behind, never, orderBy, pageOf, slice, type Order } from '#server/platform/http/keyset.ts'
import { hasEvidence } from '#server/tracking/evidence-state.ts'
import { has, sittings, type AudienceScope } from './scope.ts'

/**
 * Viewers `w` of one version who played it in the period. Each of them is looked up by the key of the table (`offset 0` keeps the
 * planner to it): where it has no statistics yet, it would go through all viewers for each of them.
 */
function watched(scope: AudienceScope, version: AudienceVersion): SQL {
  const { video, since } = scope
  const own = sql`w.version_id = ${version.id} and w.organization_id = ${video.organizationId} and w.plays > 0`
  if (since === null) return sql`(select w.* from viewer_videos w where ${own}) w`
  return sql`(select distinct p.viewer_key from play_sessions p where ${sittings(scope, version)} and ${has('played')}) s
    cross join lateral (select w.* from viewer_videos w where w.viewer_key = s.viewer_key and ${own} offset 0) w`
}

/** A person who came in two ways has two rows, so the row needs an id of its own. */
const id = sql`md5(w.viewer_key)::uuid`

const keys = {
  name: { by: sql`lower(u.name)`, type: 'text' },
  share: { by: sql`w.covered_ms::float8`, type: 'float8' },
  watchedMs: { by: sql`w.watch_ms::float8`, type: 'float8' },
  plays: { by: sql`w.plays::float8`, type: 'float8' },
  completedAt: { by: sql`coalesce(w.completed_at, '-infinity')`, type: 'timestamptz' },
  lastAt: { by: sql`w.last_at`, type: 'timestamptz' },
} as const satisfies Record<string, Pick<Order, 'by' | 'type'>>

function orderFrom(sort: ParsedQuery<typeof listViewers>['sort']): Order {
  const descending = sort.startsWith('-')
  // What is left of a sort without its sign is a key of the table.
  const { by, type } = keys[(descending ? sort.slice(1) : sort) as keyof typeof keys]
  return { by, type, id, descending }
}

function keyText({ by, type }: Order): SQL {
  if (type !== 'timestamptz') return sql`${by}::text`
  return sql`case when ${by} = '-infinity' then ${never} else ${isoText(by)} end`
}

const ViewerRow = z.extend(z.omit(Viewer, { coverage: true }), { coverage: z.string(), key: z.string() })
type ViewerRow = z.infer<typeof ViewerRow>

type ViewersRequest = {
  scope: AudienceScope
  version: AudienceVersion
  query: ParsedQuery<typeof listViewers>
  request: FastifyRequest
}

const ViewersOfRow = z.object({ n: z.number(), anonymous: listViewers.reply.shape.anonymous })

export async function viewersOf(
  tx: Tx,
  { scope, version, query, request }: ViewersRequest,
): Promise<Reply<typeof listViewers>> {
  const order = orderFrom(query.sort)
  const people = sql`${watched(scope, version)} join users u on u.id = w.user_id and u.organization_id = w.organization_id
    where ${query.q === undefined ? sql`true` : hasWords(sql`u.search`, query.q)}
      and ${query.evidence === undefined ? sql`true` : hasEvidence(sql`w.evidence`, query.evidence)}`
  const beyond = query.after === undefined ? sql`true` : behind(order, query.after)
  const [sums, found] = await together(
    row(
      tx,
      ViewersOfRow,
      sql`select ${countOf(people)} as n, (select json_build_object('viewers', count(*), 'completed', count(w.completed_at),
          'watchedMs', coalesce(sum(w.watch_ms), 0)) from ${watched(scope, version)} where w.user_id is null)
          as anonymous`,
    ),
    rows(
      tx,
      ViewerRow,
      sql`select ${id} as id, u.id as "userId", u.organization_id as "organizationId", u.name, u.email,
          u.deleted_at is null as exists, least(1, w.covered_ms::float8 / ${version.durationMs}::int) as share,
          w.coverage::text as coverage, w.watch_ms::float8 as "watchedMs", w.plays, ${isoText(sql`w.completed_at`)} as "completedAt",
          w.evidence, ${isoText(sql`w.last_at`)} as "lastAt", ${keyText(order)} as key
        from ${people} and ${beyond} order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const toItem = ({ coverage, key: _key, ...viewer }: ViewerRow) => ({
    ...viewer,
    coverage: parseRanges(coverage),
  })
  const page = pageOf({ request, query, total: { n: sums?.n ?? 0, counted: true }, found, toItem })
  return { ...page, anonymous: sums?.anonymous ?? nobody }
}

export const nobody = { viewers: 0, completed: 0, watchedMs: 0 }
