import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { Assignment, type listAssignments } from '#contract/assignments/assignments.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { transmissionReasons } from '#contract/transmissions/transmission-reasons.ts'
import { requireRow, rows, type Tx } from '../platform/db/client.ts'
import { called, all, contains, isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { orderFrom, type Sorts } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import type { Keys } from '../platform/keys.ts'
import { posterPath } from '../platform/http/pages/poster.ts'
import { messageOf } from './messages.ts'
import { counts } from '../duty/owed.ts'

export type Place = { orgId: string; assignmentId: string }

const waitsFor = sql`(select jsonb_build_object('id', e.id, 'name', e.name, 'state', e.state) from assignments e
  where e.id = a.waits_for and e.organization_id = a.organization_id)`

const ofMessage = sql`(select jsonb_build_object('id', t.id, 'subject', message_name(t), 'state', t.state, 'leavesAt', ${isoText(sql`t.leaves_at`)})
  from transmissions t where t.id = a.message_id and t.organization_id = a.organization_id)`

const columns = sql`a.id, a.organization_id as "organizationId", a.name, a.state, a.version,
  jsonb_build_object('id', v.id, 'title', v.title, 'versionId', vv.id, 'poster', coalesce(vv.poster_small, vv.poster),
    'durationMs', vv.duration_ms, 'state', case when v.deleted_at is null then v.state else 'removed' end) as video,
  a.audience, a.grows, ${ofMessage} as transmission, a.requirement, a.statement, a.due, a.validity, a.counts_since::text as "countsSince", a.reminders, a.escalation, a.subject, a.message,
  case when u.id is null then null else jsonb_build_object('id', a.created_by, 'name', a.created_by_name) end as author,
  ${counts} as counts, a.planned_at is not null as "isPlanned", ${waitsFor} as "waitsFor", z.time_zone as "timeZone", z.language,
  ${isoText(sql`a.created_at`)} as "createdAt", ${isoText(sql`a.started_at`)} as "startedAt", ${isoText(sql`a.updated_at`)} as "updatedAt"`

const joined = sql`join organizations z on z.id = a.organization_id
  join videos v on v.id = a.video_id
  left join video_versions vv on vv.id = v.current_version_id
  left join users u on u.id = a.created_by`

const AssignmentRow = z.extend(z.omit(Assignment, { video: true, people: true }), {
  language: z.enum(languages),
  video: z.extend(Assignment.shape.video, { versionId: z.nullable(z.string()) }),
})
type AssignmentRow = z.infer<typeof AssignmentRow>

export const peopleIn = ({ counts }: Pick<Assignment, 'counts'>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)

function shown(
  keys: Keys,
  { video: { versionId, poster, ...video }, language, ...rest }: AssignmentRow,
): Assignment {
  const { organizationId } = rest
  const path = versionId && posterPath(keys, { organizationId, videoId: video.id, versionId, poster })
  return {
    ...rest,
    message: messageOf({ message: rest.message, language }),
    people: peopleIn(rest),
    video: { ...video, poster: path },
  }
}

export async function findAssignment(
  tx: Tx,
  keys: Keys,
  { orgId, assignmentId }: Place,
): Promise<Assignment> {
  const found = await requireRow(
    tx,
    AssignmentRow,
    sql`select ${columns} from assignments a ${joined} where a.id = ${assignmentId} and a.organization_id = ${orgId}`,
  )
  return shown(keys, found)
}

const sorts: Sorts<ParsedQuery<typeof listAssignments>['sort']> = {
  createdAt: { by: sql`a.created_at`, type: 'timestamptz' },
  name: { by: called(sql`a.name`), type: 'text' },
  state: {
    by: sql`array_position(array['draft', 'active', 'paused', 'ended'], a.state)::float8`,
    type: 'float8',
  },
}

type Listing<Query> = { query: Query; request: FastifyRequest }

export async function assignmentsPage(
  tx: Tx,
  {
    keys,
    orgId,
    query,
    request,
  }: { keys: Keys; orgId: string } & Listing<ParsedQuery<typeof listAssignments>>,
) {
  const { items, ...page } = await readList(tx, {
    query,
    request,
    Row: AssignmentRow,
    columns,
    from: sql`assignments a ${joined}`,
    where: all([
      sql`a.organization_id = ${orgId}`,
      query.state && sql`a.state = ${query.state}`,
      query.videoId && sql`a.video_id = ${query.videoId}`,
      query.q && contains(sql`lower(a.name)`, query.q),
    ]),
    order: orderFrom(query.sort, sorts, sql`a.id`),
  })
  return { ...page, items: items.map((one) => shown(keys, one)) }
}

const Held = z.object({
  transmissionId: z.string(),
  people: z.number(),
  reason: z.nullable(z.enum(transmissionReasons)),
})

/** Finds the transmissions that an assignment asked to be sent and about which somebody has to decide first. */
export function heldOf(tx: Tx, { orgId, assignmentId }: Place) {
  return rows(
    tx,
    Held,
    sql`select t.id as "transmissionId", jsonb_array_length(t.audience->'userIds') as people, t.state_reason as reason from transmissions t
      where t.assignment_id = ${assignmentId} and t.organization_id = ${orgId} and t.state = 'held' order by t.created_at, t.id limit 20`,
  )
}
